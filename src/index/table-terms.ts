import { EMBEDDING_CHARS_MAX } from '../domain/embedding-text.ts'
import { RunMemo } from '../domain/run-memo.ts'
import { identifierTerms, readRuns } from '../domain/terms.ts'

/**
 * Cuts text into the terms of a table and counts them by row; those of the first line count three
 * times (a path, a signature, a title). A term that is no row is taken apart where it is made of some
 * (`statuscode`: `status`, `code`), longest first; otherwise it is passed over.
 */
export class TableTerms {
  private readonly runs = new RunMemo<readonly number[]>((run) => this.rowsOf(run))
  /** Characters of the longest term that is a row. */
  private readonly longest: number
  /** By row; all 0 between two texts. */
  private readonly counts: Uint16Array

  constructor(private readonly rowOf: ReadonlyMap<string, number>) {
    this.longest = [...rowOf.keys()].reduce((most, { length }) => Math.max(most, length), 0)
    this.counts = new Uint16Array(rowOf.size)
  }

  /** Calls `each` for every row that the text has, once. */
  count(text: string, each: (row: number, count: number) => void): void {
    const { counts } = this
    const read = text.slice(0, EMBEDDING_CHARS_MAX)
    const end = read.indexOf('\n')
    const first = readRuns(end < 0 ? read : read.slice(0, end), this.runs)
    const rest = end < 0 ? NONE : readRuns(read.slice(end + 1), this.runs)
    for (let i = 0; i < first.length; i++) counts[first[i]!]! += FIRST_LINE_TIMES
    for (let i = 0; i < rest.length; i++) counts[rest[i]!]!++
    for (const rows of [first, rest]) {
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i]!
        if (counts[row] === 0) continue
        each(row, counts[row]!)
        counts[row] = 0
      }
    }
  }

  private rowsOf(run: string): readonly number[] {
    const found: number[] = []
    for (const term of identifierTerms(run)) {
      const row = this.rowOf.get(term)
      if (row !== undefined) found.push(row)
      else if (COMPOUND.test(term)) found.push(...this.split(term))
    }
    return found
  }

  private split(term: string): readonly number[] {
    const found: number[] = []
    let start = 0
    while (start < term.length) {
      let end = Math.min(term.length, start + this.longest)
      while (end - start >= PART_CHARS_MIN && !this.rowOf.has(term.slice(start, end))) end--
      if (end - start < PART_CHARS_MIN) return NONE
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
