import { nthHighest } from '../domain/nth-highest.ts'
import { compareBytes } from '../domain/order.ts'
import { dot, type Vector } from '../domain/vector.ts'
import type { VectorKey } from '../domain/vector-key.ts'
import { semanticFault } from './semantic-fault.ts'

export type VectorEntry = { readonly key: VectorKey; readonly vector: Vector }
/** `score`: the dot product, an integer; higher is closer. */
export type VectorHit = { readonly key: VectorKey; readonly score: number }

/**
 * Vectors of one embedder, kept apart by repo, and the search among them: exact, so that any two
 * implementations give the same list. Order: score, then key by its bytes.
 *
 * Every method rejects with a Fault that `isSemanticFault` knows when the index cannot answer now.
 */
export interface VectorIndex {
  /** Up to which position of the repo's log its records are in; -1 when nothing is. */
  position(repo: string): Promise<number>
  /**
   * Puts vectors in, over what was there under the same key, and then notes the position: one that
   * was interrupted is repeated whole, to the same effect.
   * @param position null leaves the noted one as it is: code has no place in the log
   */
  upsert(repo: string, entries: readonly VectorEntry[], position: number | null): Promise<void>
  /** Those of `keys` that are not there, in their order. */
  missing(repo: string, keys: readonly VectorKey[]): Promise<readonly VectorKey[]>
  /** Keys that are not there are passed over. */
  delete(repo: string, keys: readonly VectorKey[]): Promise<void>
  /** Forgets a repo and its position. */
  clear(repo: string): Promise<void>
  count(repo: string): Promise<number>
  /**
   * The `limit` vectors closest to `query`.
   * @param among only these; null: all of the repo's. An array that is given again is taken to hold
   *   what it held, and costs less: keep one for each view.
   */
  search(
    repo: string,
    query: Vector,
    among: readonly VectorKey[] | null,
    limit: number,
  ): Promise<readonly VectorHit[]>
}

/** 320,000 vectors of 256 dimensions: 82 MB, and some 40 MB for their keys. */
export const VECTOR_BYTES_MAX = 82_000_000

/** The vectors in this process: an array a repo, read from end to end. */
export class MemoryVectors implements VectorIndex {
  private readonly repos = new Map<string, Shelf>()
  private bytes = 0

  constructor(private readonly bytesMax = VECTOR_BYTES_MAX) {}

  async position(repo: string): Promise<number> {
    return this.repos.get(repo)?.position ?? -1
  }

  async upsert(repo: string, entries: readonly VectorEntry[], position: number | null) {
    const first = entries[0]
    const shelf = this.repos.get(repo) ?? new Shelf(first?.vector.length ?? 0)
    this.repos.set(repo, shelf)
    for (const { key, vector } of entries) {
      if (shelf.dims === 0) shelf.dims = vector.length
      if (vector.length !== shelf.dims) throw mismatch(vector.length, shelf.dims)
      if (shelf.replace(key, vector)) continue
      if (this.bytes + vector.length > this.bytesMax) throw full(this.bytesMax)
      this.bytes += vector.length
      shelf.add(key, vector)
    }
    if (position !== null) shelf.position = position
  }

  async missing(repo: string, keys: readonly VectorKey[]): Promise<readonly VectorKey[]> {
    const shelf = this.repos.get(repo)
    return shelf === undefined ? keys : keys.filter((key) => !shelf.has(key))
  }

  async delete(repo: string, keys: readonly VectorKey[]): Promise<void> {
    const shelf = this.repos.get(repo)
    for (const key of keys) if (shelf?.take(key)) this.bytes -= shelf.dims
  }

  async clear(repo: string): Promise<void> {
    const shelf = this.repos.get(repo)
    if (shelf === undefined) return
    this.bytes -= shelf.size * shelf.dims
    this.repos.delete(repo)
  }

  async count(repo: string): Promise<number> {
    return this.repos.get(repo)?.size ?? 0
  }

  async search(
    repo: string,
    query: Vector,
    among: readonly VectorKey[] | null,
    limit: number,
  ): Promise<readonly VectorHit[]> {
    const shelf = this.repos.get(repo)
    if (shelf === undefined || shelf.size === 0) return []
    if (query.length !== shelf.dims) throw mismatch(query.length, shelf.dims)
    return shelf.search(query, among, limit)
  }
}

/**
 * One repo's vectors in a row; the last one moves into the place of one that goes. Keys are kept as they
 * come: `vectorKey` makes such as keep no longer text alive.
 */
class Shelf {
  position = -1
  private readonly slots = new Map<VectorKey, number>()
  private readonly keys: VectorKey[] = []
  private rows = new Int8Array(0)
  /** Rises when keys come or go: slots looked up before are stale then. */
  private edition = 0
  private readonly lookedUp = new WeakMap<
    readonly VectorKey[],
    { readonly edition: number; readonly slots: Uint32Array }
  >()

  constructor(public dims: number) {}

  get size(): number {
    return this.keys.length
  }

  has(key: VectorKey): boolean {
    return this.slots.has(key)
  }

  /** False when the key is not there. */
  replace(key: VectorKey, vector: Vector): boolean {
    const slot = this.slots.get(key)
    if (slot === undefined) return false
    this.rows.set(vector, slot * this.dims)
    return true
  }

  /** A key that is not there. */
  add(key: VectorKey, vector: Vector): void {
    const slot = this.keys.length
    this.slots.set(key, slot)
    this.keys.push(key)
    this.edition++
    const end = (slot + 1) * this.dims
    if (end > this.rows.length) {
      const larger = new Int8Array(Math.max(end, Math.ceil(this.rows.length * 1.5)))
      larger.set(this.rows)
      this.rows = larger
    }
    this.rows.set(vector, slot * this.dims)
  }

  take(key: VectorKey): boolean {
    const slot = this.slots.get(key)
    if (slot === undefined) return false
    this.slots.delete(key)
    this.edition++
    const moved = this.keys.pop()!
    if (slot < this.keys.length) {
      this.keys[slot] = moved
      this.slots.set(moved, slot)
      const from = this.keys.length * this.dims
      this.rows.copyWithin(slot * this.dims, from, from + this.dims)
    }
    return true
  }

  search(query: Vector, among: readonly VectorKey[] | null, limit: number): VectorHit[] {
    const { dims, keys, rows } = this
    const slots = among === null ? null : this.slotsOf(among)
    const count = slots === null ? keys.length : slots.length
    const scores = new Int32Array(count)
    for (let at = 0; at < count; at++) {
      scores[at] = dot(query, rows, (slots === null ? at : slots[at]!) * dims)
    }
    return closest(scores, (at) => keys[slots === null ? at : slots[at]!]!, limit)
  }

  /** Looking twenty thousand keys up takes four times as long as comparing their vectors. */
  private slotsOf(among: readonly VectorKey[]): Uint32Array {
    const known = this.lookedUp.get(among)
    if (known?.edition === this.edition) return known.slots
    const found = new Uint32Array(among.length)
    let count = 0
    for (const key of among) {
      const slot = this.slots.get(key)
      if (slot !== undefined) found[count++] = slot
    }
    const slots = distinct(found.subarray(0, count).sort())
    this.lookedUp.set(among, { edition: this.edition, slots })
    return slots
  }
}

/** Of sorted numbers each once. */
function distinct(sorted: Uint32Array): Uint32Array {
  let count = 0
  for (let at = 0; at < sorted.length; at++) {
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[count++] = sorted[at]!
  }
  return sorted.slice(0, count)
}

/** The `limit` best of `scores`. A key is looked at only where it is in the list, or ties with its end. */
function closest(scores: Int32Array, keyAt: (at: number) => VectorKey, limit: number): VectorHit[] {
  if (limit < 1 || scores.length === 0) return []
  const floor = nthHighest(scores, limit)
  const hits: VectorHit[] = []
  const level: VectorHit[] = []
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at]!
    if (score > floor) hits.push({ key: keyAt(at), score })
    else if (score === floor) level.push({ key: keyAt(at), score })
  }
  hits.push(...level.sort(byCloseness).slice(0, limit - hits.length))
  return hits.sort(byCloseness)
}

export function byCloseness(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || compareBytes(a.key, b.key)
}

function mismatch(given: number, kept: number) {
  return semanticFault(
    'vectors_mismatch',
    `A vector has ${given} dimensions; those in the index have ${kept}.`,
    'The model behind AV_EMBED_MODEL changed under its name: `av reindex` makes all vectors anew.',
  )
}

function full(bytesMax: number) {
  return semanticFault(
    'vectors_full',
    `The vectors would take more than ${Math.floor(bytesMax / 1_000_000)} MB.`,
    'Packs go on without semantic search; with AV_QDRANT_URL vectors lie outside the daemon.',
  )
}
