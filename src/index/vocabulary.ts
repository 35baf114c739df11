import { isAt } from '../domain/run-memo.ts'

/**
 * The terms of a table, looked up where they stand in a text: as a string of its own each would have to
 * be made and hashed for a Map, which costs more than the rest of embedding a short text.
 */
export class Vocabulary {
  private readonly terms: readonly string[]
  private readonly rows: readonly number[]
  /** By hash: a number of `terms` and one, 0 where there is none. At most half are taken. */
  private readonly slots: Uint32Array
  private readonly longest: number

  constructor(rowOf: ReadonlyMap<string, number>) {
    this.terms = [...rowOf.keys()]
    this.rows = [...rowOf.values()]
    this.longest = this.terms.reduce((most, { length }) => Math.max(most, length), 0)
    this.slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * this.terms.length + 2)))
    for (const [number, term] of this.terms.entries()) {
      let hash = 0
      for (let at = 0; at < term.length; at++) hash = hashed(hash, term.charCodeAt(at))
      let slot = this.slotOf(hash)
      while (this.slots[slot] !== 0) slot = this.after(slot)
      this.slots[slot] = number + 1
    }
  }

  /** The row of a whole term; -1: none. */
  row(term: string): number {
    let hash = 0
    for (let at = 0; at < term.length; at++) hash = hashed(hash, term.charCodeAt(at))
    const number = this.find(hash, term, 0, term.length)
    return number < 0 ? -1 : this.rows[number]!
  }

  /**
   * The rows of the terms that `text` is made of, each the longest that goes on from the one before
   * and has `charsMin` characters; none when a rest stays.
   */
  split(text: string, charsMin: number): readonly number[] {
    const found: number[] = []
    for (let start = 0; start < text.length; ) {
      const number = this.longestAt(text, start, charsMin)
      if (number < 0) return []
      found.push(this.rows[number]!)
      start += this.terms[number]!.length
    }
    return found
  }

  private longestAt(text: string, start: number, charsMin: number): number {
    const last = Math.min(text.length, start + this.longest)
    let longest = -1
    let hash = 0
    for (let end = start + 1; end <= last; end++) {
      hash = hashed(hash, text.charCodeAt(end - 1))
      if (end - start < charsMin) continue
      const number = this.find(hash, text, start, end)
      if (number >= 0) longest = number
    }
    return longest
  }

  private find(hash: number, text: string, start: number, end: number): number {
    for (let slot = this.slotOf(hash); this.slots[slot] !== 0; slot = this.after(slot)) {
      const number = this.slots[slot]! - 1
      const term = this.terms[number]!
      if (term.length === end - start && isAt(text, start, term)) return number
    }
    return -1
  }

  private slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.slots.length - 1)
  }

  private after(slot: number): number {
    return (slot + 1) & (this.slots.length - 1)
  }
}

function hashed(before: number, unit: number): number {
  return Math.imul(before ^ unit, HASH_PRIME)
}

const HASH_PRIME = 0x01000193
