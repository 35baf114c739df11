import { anchorKey, type Moves } from './anchor-moves.ts'
import type {
  AnchoredRecord,
  AnchorPlace,
  LexicalIndex,
  LexicalView,
  RecordHit,
  RecordView,
} from './lexical.ts'
import { compareBytes } from './order.ts'
import { scaled } from './rank.ts'
import { LIMITS } from './weights.ts'

/**
 * Files that the best matching records are anchored at, best first: what was said about a file tells
 * more of what it is for than its own words do. A record shares its score among its files; one whose
 * code has moved counts where it is now.
 */
export function filesOfRecords(
  hits: readonly RecordHit[],
  view: LexicalView,
  moves: Moves = new Map(),
): string[] {
  const scores = new Map<string, number>()
  for (const { anchors, score } of hits.slice(0, LIMITS.recordsForFiles)) {
    const places = anchors.map((anchor) => placeNow(anchor, moves).path)
    const paths = [...new Set(places)].filter((p) => view.byPath.has(p))
    const part = Math.floor((score * 1_000) / Math.sqrt(paths.length))
    for (const path of paths) scores.set(path, (scores.get(path) ?? 0) + part)
  }
  return [...scores]
    .sort((a, b) => b[1] - a[1] || compareBytes(a[0], b[0]))
    .slice(0, LIMITS.filesOfRecords)
    .map(([path]) => path)
}

/**
 * Records anchored at what the task is about, best first: by the score of the best place they are
 * anchored at (a symbol that is itself a candidate counts half as much again), then newest first.
 */
export function anchoredRecords(
  index: LexicalIndex,
  records: RecordView,
  fileScores: ReadonlyMap<string, number>,
  symbolNames: ReadonlySet<string>,
  moves: Moves,
): AnchoredRecord[] {
  const left = leftPaths(moves, fileScores)
  const found = index.anchoredAt(records, [...fileScores.keys(), ...left]).flatMap((record) => {
    let strength = 0
    for (const anchor of record.anchors) {
      const { path, symbol } = placeNow(anchor, moves)
      const score = fileScores.get(path) ?? 0
      const exact = symbol !== null && symbolNames.has(`${path}:${symbol}`)
      strength = Math.max(strength, exact ? scaled(score, 1_500) : score)
    }
    return strength > 0 ? [{ record, strength }] : []
  })
  return found
    .sort((a, b) => b.strength - a.strength || b.record.position - a.record.position)
    .slice(0, LIMITS.anchoredRecords)
    .map(({ record }) => record)
}

function placeNow(anchor: AnchorPlace, moves: Moves): Pick<AnchorPlace, 'path' | 'symbol'> {
  const { path, symbol, hash } = anchor
  return moves.get(anchorKey({ path, symbol, hash: hash ?? null })) ?? anchor
}

/** Paths that code moved away from, to one of these files. */
function leftPaths(moves: Moves, files: ReadonlyMap<string, number>): Set<string> {
  const left = new Set<string>()
  for (const [key, { path }] of moves)
    if (files.has(path)) left.add(key.slice(0, key.indexOf('\0')))
  return left
}
