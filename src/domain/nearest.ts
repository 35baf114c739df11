import { compareBytes } from './order.ts'

/**
 * The candidate that somebody who wrote `word` most likely meant: one that goes on from it, else the
 * one with the fewest edits between; ties go by bytes. Null without candidates.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  return nearestFew(word, candidates, 1)[0] ?? null
}

/** The same, of `count` candidates, nearest first. */
export function nearestFew(word: string, candidates: readonly string[], count: number): string[] {
  return candidates
    .map((candidate) => ({
      candidate,
      edits: candidate.startsWith(word) ? 0 : editDistance(word, candidate),
    }))
    .sort((a, b) => a.edits - b.edits || compareBytes(a.candidate, b.candidate))
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

/** Insertions, deletions and replacements of UTF-16 units (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
