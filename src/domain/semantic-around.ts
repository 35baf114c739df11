import { recordMoves } from './anchor-moves.ts'
import type { QueryTerm } from './bm25.ts'
import { graphOf } from './graph.ts'
import { nearby } from './graph-walk.ts'
import type { LexicalIndex, LexicalView, RecordView } from './lexical.ts'
import { filesOfRecords } from './record-rank.ts'
import { LIMITS } from './weights.ts'

/**
 * Five times what the list of files holds. The text of a file takes a tenth of a millisecond to embed,
 * and a pack waits for all that are new.
 */
const FILES_BY_WORDS = 500

/** The part of a view that is looked at where it, or what was recorded of it, is too much to compare whole. */
export type Surroundings = {
  /** Files that the words find, best first. */
  readonly found: readonly string[]
  /** Files that records which the words find are anchored at, and what is up to two hops from the best of all. */
  readonly around: readonly string[]
}

export function surroundings(
  index: LexicalIndex,
  view: LexicalView,
  records: RecordView,
  query: readonly QueryTerm[],
): Surroundings {
  if (view.byPath.size === 0) return { found: [], around: [] }
  const found = index.searchFiles(view, query, FILES_BY_WORDS).map(({ path }) => path)
  const hits = index.searchRecords(records, query, LIMITS.records)
  const anchored = filesOfRecords(hits, view, recordMoves(index, view))
  const best = [...anchored, ...found].slice(0, LIMITS.graphSeeds)
  const seeds = best.map((path, at) => ({ path, score: Math.floor(1_000_000 / (at + 1)) }))
  return { found, around: [...anchored, ...nearby(graphOf(view), seeds, () => true)] }
}
