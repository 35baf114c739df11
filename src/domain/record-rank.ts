import { anchorKey, type Moves } from './anchor-moves.ts'
import type { LexicalIndex, LexicalView, RecordHit, RecordView } from './lexical.ts'
import { compareBytes } from './order.ts'
import type { ChangedCode } from './pack-candidate.ts'
import { scaled } from './rank.ts'
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
 * Records anchored at what the task is about, best first: by the best place they are anchored at, whose
 * worth is its file's score and that of its definition; then newest first. For each newer record at a
 * place it is worth less, so that the newest of several places come before all of one.
 */
export function anchoredRecords(
  index: LexicalIndex,
  records: RecordView,
  scores: PlaceScores,
  moves: Moves,
): AnchoredRecord[] {
  const max = LIMITS.anchoredRecords
  const left = leftFor(moves, scores.files)
  const reach = [...scores.files]
    .filter(([, score]) => score > 0)
    .map(([path, score]) => ({ path, score, most: score + (scores.bestIn.get(path) ?? 0) }))
    .sort((a, b) => b.most - a.most)
  let best: Weighed[] = []
  for (const { path, score, most } of reach) {
    if (best.length === max && most < best.at(-1)!.strength) break
    const there = index.anchoredAt(records, [path, ...(left.get(path) ?? [])])
    if (there.length === 0) continue
    const worthOf = (key: string) => score + (scores.symbols.get(key) ?? 0)
    best = firstOfEach([...best, ...byTurns(there, path, worthOf, moves)]).slice(0, max)
  }
  return best.map(({ record }) => record)
}

/** What the places are worth that a record can be anchored at. */
export type PlaceScores = {
  /** By path. */
  readonly files: ReadonlyMap<string, number>
  /** By `path:name`. */
  readonly symbols: ReadonlyMap<string, number>
  /** By path: the best of its symbols. */
  readonly bestIn: ReadonlyMap<string, number>
}

/** @param symbols best first: of those of one name the best speaks for all */
export function placeScores(
  files: readonly { readonly path: string; readonly score: number }[],
  symbols: readonly {
    readonly path: string
    readonly symbol: { readonly name: string }
    readonly score: number
  }[],
): PlaceScores {
  const byKey = new Map<string, number>()
  const bestIn = new Map<string, number>()
  for (const { path, symbol, score } of symbols) {
    const key = placeKey({ path, symbol: symbol.name })
    if (!byKey.has(key)) byKey.set(key, score)
    if (!bestIn.has(path)) bestIn.set(path, score)
  }
  return { files: new Map(files.map(({ path, score }) => [path, score])), symbols: byKey, bestIn }
}

type Weighed = { readonly record: AnchoredRecord; readonly strength: number }

/** Records of one file, each by the best of its places there. */
function byTurns(
  there: AnchoredRecord[],
  path: string,
  worthOf: (key: string) => number,
  moves: Moves,
): Weighed[] {
  const worth = new Map<string, number>()
  return there
    .sort((a, b) => b.position - a.position)
    .flatMap((record) => {
      let strength = 0
      for (const key of keysAt(record, (place) => place.path === path, moves)) {
        const here = worth.get(key) ?? worthOf(key)
        strength = Math.max(strength, here)
        worth.set(key, scaled(here, FOLLOWED))
      }
      return strength > 0 ? [{ record, strength }] : []
    })
}

/** In thousandths: what a record at a place counts there for each newer one. */
const FOLLOWED = 700

/** Strongest first, then newest; each record once. */
function firstOfEach(weighed: Weighed[]): Weighed[] {
  // No two have one position.
  const seen = new Set<number>()
  return weighed
    .sort((a, b) => b.strength - a.strength || b.record.position - a.record.position)
    .filter(({ record }) => !seen.has(record.position) && seen.add(record.position))
}

/**
 * Records anchored at what the task changed: at a definition that it changed first, then elsewhere in a
 * file that it changed, by the score of the definition. What newer records followed at a place counts
 * half for each, so that the newest of several places come before all of one.
 */
export function recordsOfChanged(
  index: LexicalIndex,
  records: RecordView,
  changed: readonly ChangedCode[],
  scores: PlaceScores,
  moves: Moves,
): AnchoredRecord[] {
  const paths = new Set(changed.map(({ path }) => path))
  const definitions = new Set(
    changed.flatMap(({ path, symbols }) => symbols.map((symbol) => placeKey({ path, symbol }))),
  )
  const there = index.anchoredAt(records, [...paths, ...leftPaths(moves, paths)])
  const worth = new Map<string, number>()
  const worthOf = (key: string) => worth.get(key) ?? ANY_PLACE + (scores.symbols.get(key) ?? 0)
  const found = there
    .sort((a, b) => b.position - a.position)
    .flatMap((record) => {
      const keys = [...keysAt(record, ({ path }) => paths.has(path), moves)]
      const exact = keys.filter((key) => definitions.has(key))
      const strength = Math.max(...(exact.length > 0 ? exact : keys).map(worthOf))
      for (const key of keys) worth.set(key, scaled(worthOf(key), 500))
      return keys.length === 0 ? [] : [{ record, isExact: exact.length > 0, strength }]
    })
  return found
    .sort(
      (a, b) =>
        Number(b.isExact) - Number(a.isExact) ||
        b.strength - a.strength ||
        b.record.position - a.record.position,
    )
    .slice(0, LIMITS.anchoredRecords)
    .map(({ record }) => record)
}

/** What a place is worth that is no candidate. */
const ANY_PLACE = 1_000_000

/** The places where a record is anchored now, each once, as far as they are wanted. */
function keysAt(
  { anchors }: AnchoredRecord,
  isWanted: (place: Pick<AnchorPlace, 'path'>) => boolean,
  moves: Moves,
): Set<string> {
  const places = anchors.map((anchor) => placeNow(anchor, moves))
  return new Set(places.filter(isWanted).map(placeKey))
}

function placeKey({ path, symbol }: Pick<AnchorPlace, 'path' | 'symbol'>): string {
  return `${path}:${symbol ?? ''}`
}

function placeNow(anchor: AnchorPlace, moves: Moves): Pick<AnchorPlace, 'path' | 'symbol'> {
  if (moves.size === 0) return anchor
  const { path, symbol, hash } = anchor
  return moves.get(anchorKey({ path, symbol, hash: hash ?? null })) ?? anchor
}

/** Paths that code moved away from, to one of these files. */
export function leftPaths(moves: Moves, files: Paths): Set<string> {
  return new Set([...leftFor(moves, files).values()].flatMap((left) => [...left]))
}

/** By the file that it moved to. */
function leftFor(moves: Moves, files: Paths): Map<string, Set<string>> {
  const left = new Map<string, Set<string>>()
  for (const [key, { path }] of moves) {
    if (!files.has(path)) continue
    const from = key.slice(0, key.indexOf('\0'))
    const there = left.get(path)
    if (there === undefined) left.set(path, new Set([from]))
    else there.add(from)
  }
  return left
}

type Paths = { has(path: string): boolean }
