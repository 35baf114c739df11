import { recordMoves } from './anchor-moves.ts'
import type { QueryTerm } from './bm25.ts'
import type { LexicalIndex, LexicalView, RecordView } from './lexical.ts'
import type { RecordId } from './record.ts'
import { leftPaths } from './record-rank.ts'
import type { Surroundings } from './semantic-around.ts'

/** Up to so many current records all are compared with the goal. */
export const RECORDS_WHOLE_MAX = 20_000
/**
 * Of more only so many of the best by words, five times what the list holds, and so many of the newest
 * anchored around: their texts are read from the store when they are new.
 */
const RECORDS_BY_WORDS = 300
const RECORDS_AROUND = 200

export function areWhole({ texts }: RecordView): boolean {
  return texts.size <= RECORDS_WHOLE_MAX
}

/** Of many records: what the words find, and what is anchored at the files around. */
export function recordsAround(
  index: LexicalIndex,
  view: LexicalView,
  records: RecordView,
  query: readonly QueryTerm[],
  { around }: Surroundings,
): readonly RecordId[] {
  const found = index.searchRecords(records, query, RECORDS_BY_WORDS).map(({ id }) => id)
  const files = new Set(around)
  const left = leftPaths(recordMoves(index, view), files)
  const anchored = index
    .anchoredAt(records, [...files, ...left])
    .sort((a, b) => b.position - a.position)
    .slice(0, RECORDS_AROUND)
  return [...new Set([...found, ...anchored.map(({ id }) => id)])]
}
