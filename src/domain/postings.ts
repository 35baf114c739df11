import { grownWords } from './grown-array.ts'
import { PostingChunks } from './posting-chunks.ts'
import { TextNumbers } from './text-numbers.ts'

/**
 * Which documents hold which term, how often: the store under `bm25`. Documents are added and
 * removed in groups (the symbols of a file are one), whose members keep consecutive numbers. A
 * removed group leaves a tombstone; when a quarter is dead everything is rewritten, and numbers move.
 *
 * Ten million postings take about 50 MB.
 */
export class Postings {
  private chunks = new PostingChunks()
  /** Terms in each document, by its number. */
  lengths = new Uint32Array(1 << 10)
  private groups: Group[] = []
  /** Of each document: which of `groups` it belongs to. */
  private groupNumbers = new Uint32Array(1 << 10)
  private docs = 0
  private dead = 0
  /** Rises when documents go or move: what was derived from their numbers is stale then. */
  private edition = 0
  private whole: Selection | null = null

  /**
   * Adds one group; a document is its terms' numbers (each once) and how often each occurs.
   * @param owner a number by which the caller knows the group again
   */
  add(documents: readonly TermCounts[], owner = 0): Group {
    if (this.docs + documents.length > DOCS_MAX) throw new RangeError('too many documents')
    const group: Group = { start: this.docs, size: documents.length, live: true, owner }
    const number = this.groups.push(group) - 1
    for (const document of documents) this.addDocument(document, number)
    return group
  }

  /** Does nothing to a group that is gone already. */
  remove(group: Group): void {
    if (!group.live) return
    group.live = false
    this.dead += group.size
    this.edition++
    if (this.dead >= COMPACT_MIN && this.dead * 4 >= this.docs) this.compact()
  }

  /** The documents of the live ones among `groups`, as a search needs them. */
  select(groups: readonly Group[]): Selection {
    return new Selection(this, groups)
  }

  /** Every live document, those added later too. */
  everything(): Selection {
    this.whole ??= new Selection(this, null)
    return this.whole
  }

  /** The group a document number belongs to. */
  groupAt(doc: number): Group | undefined {
    return this.groups[this.groupNumbers[doc]!]
  }

  /** In the order they were added, gone ones among them. */
  get all(): readonly Group[] {
    return this.groups
  }

  get size(): number {
    return this.docs - this.dead
  }

  /** Numbers given out so far; every document's is below it. */
  get numbers(): number {
    return this.docs
  }

  get version(): number {
    return this.edition
  }

  get bytes(): number {
    return this.chunks.bytes + this.lengths.byteLength + this.groupNumbers.byteLength
  }

  /**
   * Writes the postings of `term` whose document `mask` holds to `into` (which has room for every
   * document), each as document × 256 + count; returns how many.
   */
  collect(term: number, mask: Uint8Array, into: Uint32Array): number {
    return this.chunks.collect(term, mask, into)
  }

  private addDocument(document: TermCounts, group: number): void {
    const { ids, counts } = document
    const doc = this.docs++
    let length = 0
    for (let i = 0; i < ids.length; i++) {
      const count = counts[i]!
      length += count
      this.chunks.append(ids[i]!, doc * 256 + Math.min(count, COUNT_MAX))
    }
    this.lengths = grownWords(this.lengths, doc + 1)
    this.lengths[doc] = length
    this.groupNumbers = grownWords(this.groupNumbers, doc + 1)
    this.groupNumbers[doc] = group
  }

  private compact(): void {
    const moved = new Uint32Array(this.docs)
    const kept = new Uint8Array(this.docs)
    let next = 0
    this.groups = this.groups.filter((group) => group.live)
    for (const [number, group] of this.groups.entries()) {
      for (let i = 0; i < group.size; i++) {
        kept[group.start + i] = 1
        moved[group.start + i] = next + i
        this.lengths[next + i] = this.lengths[group.start + i]!
        this.groupNumbers[next + i] = number
      }
      group.start = next
      next += group.size
    }
    const old = this.chunks
    this.chunks = new PostingChunks()
    const room = new Uint32Array(this.docs)
    for (let term = 0; term < old.terms; term++) {
      const found = old.collect(term, kept, room)
      for (let i = 0; i < found; i++) {
        const posting = room[i]!
        this.chunks.append(term, moved[posting >>> 8]! * 256 + (posting & 255))
      }
    }
    this.docs = next
    this.dead = 0
  }
}

/** A document's terms: `ids[i]` occurs `counts[i]` times, no id twice. */
export type TermCounts = {
  readonly ids: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** A handle on documents added together. `start` moves when the dead are swept out. */
export type Group = {
  start: number
  readonly size: number
  live: boolean
  readonly owner: number
}

/** Some of the documents, and what a score needs to know of them as a whole. */
export class Selection {
  private madeAt = -1
  private madeOf = -1
  private marks = new Uint8Array(0)
  private documents = 0
  private words = 0

  constructor(
    readonly postings: Postings,
    private readonly groups: readonly Group[] | null,
  ) {}

  /** 1 for each document number that is in. */
  get mask(): Uint8Array {
    this.refresh()
    return this.marks
  }

  get size(): number {
    this.refresh()
    return this.documents
  }

  /** Terms in all documents together. */
  get length(): number {
    this.refresh()
    return this.words
  }

  private refresh(): void {
    const { version, numbers } = this.postings
    if (this.madeAt === version && (this.groups !== null || this.madeOf === numbers)) return
    this.madeAt = version
    this.madeOf = numbers
    this.marks = new Uint8Array(numbers)
    this.documents = 0
    this.words = 0
    for (const group of this.groups ?? this.postings.all) if (group.live) this.mark(group)
  }

  private mark(group: Group): void {
    for (let doc = group.start; doc < group.start + group.size; doc++) {
      if (this.marks[doc] === 1) continue
      this.marks[doc] = 1
      this.documents++
      this.words += this.postings.lengths[doc]!
    }
  }
}

/** Gives each term a number. Numbers are never given back: a daemon that rests forgets them all. */
export class Dictionary {
  private readonly terms = new TextNumbers()
  /** Of the terms looked for last: a pack looks for the same in files, symbols and records. */
  private readonly known = new Map<string, number>()

  number(term: string): number {
    return this.terms.number(term)
  }

  find(term: string): number | undefined {
    const known = this.known.get(term)
    if (known !== undefined) return known
    const number = this.terms.find(term)
    if (number === undefined) return undefined
    if (this.known.size >= KNOWN_MAX) this.known.clear()
    this.known.set(term, number)
    return number
  }

  get size(): number {
    return this.terms.size
  }

  get bytes(): number {
    return this.terms.memoryBytes
  }
}

const COUNT_MAX = 255
const KNOWN_MAX = 500
export const DOCS_MAX = 1 << 24
const COMPACT_MIN = 1_000
