import { terms } from '../domain/terms.ts'
import type { DeclaredSymbol } from './symbols.ts'

/** A file's terms, and what makes a symbol's document out of them. */
export type WordCount = {
  readonly words: readonly string[]
  readonly counts: readonly number[]
  /** Pairs flattened (index into `words`, count), by index. */
  document(symbol: DeclaredSymbol): number[]
}

/**
 * Cuts a file into terms once, line by line; a symbol's document is then a sum over lines. It weighs
 * the name twice, the signature, up to 8 lines of the comment above and the first 60 lines.
 */
export function countWords(lines: readonly string[]): WordCount {
  const indexes = new Map<string, number>()
  const words: string[] = []
  const counts: number[] = []
  const stream: number[] = []
  const lineStarts: number[] = [0]
  for (const line of lines) {
    for (const term of terms(line)) {
      let index = indexes.get(term)
      if (index === undefined) {
        if (words.length >= WORDS_MAX) continue
        index = add(term)
      }
      counts[index]!++
      stream.push(index)
    }
    lineStarts.push(stream.length)
  }

  function add(term: string): number {
    const index = words.push(term) - 1
    indexes.set(term, index)
    counts.push(0)
    return index
  }

  let linesBudget = stream.length * LINE_READS_MAX + LINE_READS_FLOOR
  // One array of counts serves all documents; `touched` says where to clear it.
  const tally: number[] = []
  const touched: number[] = []

  function count(index: number, by: number): void {
    const before = tally[index] ?? 0
    if (before === 0) touched.push(index)
    tally[index] = before + by
  }

  function countText(text: string, by: number): void {
    for (const term of terms(text)) count(indexes.get(term) ?? add(term), by)
  }

  function countRows(first: number, last: number): void {
    const from = lineStarts[first]!
    const to = Math.min(lineStarts[last + 1]!, from + DOCUMENT_MAX)
    linesBudget -= to - from
    if (linesBudget < 0) return
    for (let at = from; at < to; at++) count(stream[at]!, 1)
  }

  function document({ name, signature, comment, line, endLine }: DeclaredSymbol): number[] {
    countText(name, NAME_WEIGHT)
    countText(signature.endsWith('…') ? signature.replace(CUT_WORD, '') : signature, 1)
    if (comment !== null) {
      countRows(Math.max(comment.first, comment.last + 1 - COMMENT_LINES), comment.last)
    }
    countRows(line - 1, Math.min(endLine, line - 1 + BODY_LINES) - 1)
    touched.sort((a, b) => a - b)
    const pairs: number[] = []
    for (const index of touched) {
      pairs.push(index, tally[index]!)
      tally[index] = 0
    }
    touched.length = 0
    return pairs
  }
  return { words, counts, document }
}

const NAME_WEIGHT = 2
const COMMENT_LINES = 8
const BODY_LINES = 60
/** A data file may hold more distinct terms; no search is served by them. */
const WORDS_MAX = 20_000
const DOCUMENT_MAX = 4_000
/** Bounds the sum over all symbols where hostile content nests them in one line. */
const LINE_READS_MAX = 8
const LINE_READS_FLOOR = 10_000
/** The word that the length limit of a signature cut. */
const CUT_WORD = /[\p{L}\p{N}\p{M}_$]*…$/u
