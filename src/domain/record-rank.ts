import { anchorKey, type Moves } from './anchor-moves.ts'
import type { LexicalIndex, LexicalView, RecordHit, RecordView } from './lexical.ts'
import { compareBytes } from './order.ts'
import { scaled } from './rank.ts'
import type { RecordId } from './record.ts'
import type { AnchoredRecord, AnchorPlace } from './record-shelf.ts'
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
 * Places are looked at from the best one down, until what is left could not be among the best.
 */
export function anchoredRecords(
  index: LexicalIndex,
  records: RecordView,
  fileScores: ReadonlyMap<string, number>,
  symbolNames: ReadonlySet<string>,
  moves: Moves,
): AnchoredRecord[] {
  const max = LIMITS.anchoredRecords
  const seen = new Set<RecordId>()
  let best: { readonly record: AnchoredRecord; readonly strength: number }[] = []
  for (const [path, most] of placesBestFirst(fileScores, moves)) {
    if (best.length === max && scaled(most, EXACT_FACTOR) < best.at(-1)!.strength) break
    const there = index.anchoredAt(records, [path])
    if (there.length === 0) continue
    for (const record of there) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      const strength = strengthOf(record, fileScores, symbolNames, moves)
      if (strength > 0) best.push({ record, strength })
    }
    best.sort((a, b) => b.strength - a.strength || b.record.position - a.record.position)
    best = best.slice(0, max)
  }
  return best.map(({ record }) => record)
}

const EXACT_FACTOR = 1_500

function strengthOf(
  { anchors }: AnchoredRecord,
  fileScores: ReadonlyMap<string, number>,
  symbolNames: ReadonlySet<string>,
  moves: Moves,
): number {
  let strength = 0
  for (const anchor of anchors) {
    const { path, symbol } = placeNow(anchor, moves)
    const score = fileScores.get(path) ?? 0
    const exact = symbol !== null && symbolNames.has(`${path}:${symbol}`)
    strength = Math.max(strength, exact ? scaled(score, EXACT_FACTOR) : score)
  }
  return strength
}

/** The files, and the paths that code moved away from to one of them, each with the score of that file. */
function placesBestFirst(
  fileScores: ReadonlyMap<string, number>,
  moves: Moves,
): (readonly [path: string, score: number])[] {
  const places = [...fileScores]
  for (const [key, { path }] of moves) {
    const score = fileScores.get(path)
    if (score !== undefined) places.push([leftPath(key), score])
  }
  return places.sort((a, b) => b[1] - a[1])
}

function placeNow(anchor: AnchorPlace, moves: Moves): Pick<AnchorPlace, 'path' | 'symbol'> {
  if (moves.size === 0) return anchor
  const { path, symbol, hash } = anchor
  return moves.get(anchorKey({ path, symbol, hash: hash ?? null })) ?? anchor
}

/** Paths that code moved away from, to one of these files. */
export function leftPaths(moves: Moves, files: { has(path: string): boolean }): Set<string> {
  const left = new Set<string>()
  for (const [key, { path }] of moves) if (files.has(path)) left.add(leftPath(key))
  return left
}

/** The path in an `anchorKey`. */
function leftPath(key: string): string {
  return key.slice(0, key.indexOf('\0'))
}
