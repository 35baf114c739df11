import { EMBEDDING_CHARS_MAX } from '../domain/embedding-text.ts'
import { terms } from '../domain/terms.ts'

/**
 * Cuts text into the terms of a table and counts them by row; those of the first line count three
 * times (a path, a signature, a title). A term that is no row is taken apart where it is made of some
 * (`statuscode`: `status`, `code`), longest first; otherwise it is passed over.
 */
export class TableTerms {
  private readonly parts = new Map<string, readonly number[]>()

  /** Characters of the longest term that is a row. */
  private readonly longest: number

  constructor(private readonly rowOf: ReadonlyMap<string, number>) {
    let longest = 0
    for (const term of rowOf.keys()) longest = Math.max(longest, term.length)
    this.longest = longest
  }

  count(text: string): Map<number, number> {
    const counts = new Map<number, number>()
    const read = text.slice(0, EMBEDDING_CHARS_MAX)
    const end = read.indexOf('\n')
    this.add(counts, end < 0 ? read : read.slice(0, end), FIRST_LINE_TIMES)
    if (end >= 0) this.add(counts, read.slice(end + 1), 1)
    return counts
  }

  private add(counts: Map<number, number>, text: string, times: number): void {
    for (const term of terms(text)) {
      const row = this.rowOf.get(term)
      if (row !== undefined) counts.set(row, (counts.get(row) ?? 0) + times)
      else for (const part of this.partsOf(term)) counts.set(part, (counts.get(part) ?? 0) + times)
    }
  }

  private partsOf(term: string): readonly number[] {
    if (!COMPOUND.test(term)) return NONE
    const known = this.parts.get(term)
    if (known !== undefined) return known
    const found = this.split(term)
    if (this.parts.size >= PARTS_MAX) this.parts.clear()
    // A slice keeps the text it was cut from alive in JavaScriptCore.
    this.parts.set(` ${term}`.slice(1), found)
    return found
  }

  private split(term: string): readonly number[] {
    const found: number[] = []
    let start = 0
    while (start < term.length) {
      let end = Math.min(term.length, start + this.longest)
      while (end - start >= PART_CHARS_MIN && !this.rowOf.has(term.slice(start, end))) end--
      if (end - start < PART_CHARS_MIN) return []
      found.push(this.rowOf.get(term.slice(start, end))!)
      start = end
    }
    return found
  }
}

const NONE: readonly number[] = []
const FIRST_LINE_TIMES = 3
const COMPOUND = /^[a-z]{6,40}$/
const PART_CHARS_MIN = 3
const PARTS_MAX = 20_000
