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
  const left = leftFor(moves, scores.files)
  const reach = [...scores.files]
    .filter(([, score]) => score > 0)
    .map(([path, score]) => ({
      path,
      score,
      most: score + (scores.symbols.get(path)?.[0]?.score ?? 0),
    }))
    .sort((a, b) => b.most - a.most)
  const best = new Strongest(LIMITS.anchoredRecords)
  for (const { path, score, most } of reach) {
    if (most < best.least) break
    const there = index.anchoredAt(records, [path, ...(left.get(path) ?? [])])
    if (there.length === 0) continue
    const worthOf = (name: string) => score + symbolScore(scores, path, name)
    for (const weighed of byTurns(there, path, worthOf, moves)) best.put(weighed)
  }
  return best.records()
}

/** What the places are worth that a record can be anchored at. */
export type PlaceScores = {
  /** By path. */
  readonly files: ReadonlyMap<string, number>
  /** By path, best first: of those of one name the best speaks for all. */
  readonly symbols: ReadonlyMap<string, readonly ScoredSymbol[]>
}

type ScoredSymbol = {
  readonly path: string
  readonly symbol: { readonly name: string }
  readonly score: number
}

/** @param symbols best first */
export function placeScores(
  files: readonly { readonly path: string; readonly score: number }[],
  symbols: readonly ScoredSymbol[],
): PlaceScores {
  return {
    files: new Map(files.map(({ path, score }) => [path, score])),
    symbols: Map.groupBy(symbols, ({ path }) => path),
  }
}

/** 0 for what is no candidate. */
function symbolScore({ symbols }: PlaceScores, path: string, name: string): number {
  return symbols.get(path)?.find(({ symbol }) => symbol.name === name)?.score ?? 0
}

type Weighed = { readonly record: AnchoredRecord; readonly strength: number }

/** Records of one file, each by the best of its places there. */
function byTurns(
  there: AnchoredRecord[],
  path: string,
  worthOf: (name: string) => number,
  moves: Moves,
): Weighed[] {
  const worth = new Map<string, number>()
  return there
    .sort((a, b) => b.position - a.position)
    .map((record) => {
      const names = record.anchors
        .map((anchor) => placeNow(anchor, moves))
        .flatMap((place) => (place.path === path ? [place.symbol ?? ''] : []))
      let strength = 0
      for (const name of new Set(names)) {
        const here = worth.get(name) ?? worthOf(name)
        strength = Math.max(strength, here)
        worth.set(name, scaled(here, FOLLOWED))
      }
      return { record, strength }
    })
}

/** In thousandths: what a record at a place counts there for each newer one. */
const FOLLOWED = 700

/** The strongest records, then the newest; each once, by its best. */
class Strongest {
  private readonly best: Weighed[] = []

  constructor(private readonly max: number) {}

  /** Who is weaker does not come in; above 0. */
  get least(): number {
    return this.best.length < this.max ? 1 : this.best.at(-1)!.strength
  }

  put(one: Weighed): void {
    if (one.strength < this.least) return
    // No two have one position.
    const known = this.best.findIndex(({ record }) => record.position === one.record.position)
    if (known >= 0 && this.best[known]!.strength >= one.strength) return
    if (known >= 0) this.best.splice(known, 1)
    let at = this.best.length
    while (at > 0 && isStronger(one, this.best[at - 1]!)) at--
    this.best.splice(at, 0, one)
    if (this.best.length > this.max) this.best.pop()
  }

  records(): AnchoredRecord[] {
    return this.best.map(({ record }) => record)
  }
}

function isStronger(a: Weighed, b: Weighed): boolean {
  return (
    a.strength > b.strength || (a.strength === b.strength && a.record.position > b.record.position)
  )
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
  const worthOf = ({ path, symbol }: Place) => ANY_PLACE + symbolScore(scores, path, symbol ?? '')
  const found = there
    .sort((a, b) => b.position - a.position)
    .flatMap((record) => {
      const places = placesIn(record, paths, moves)
      for (const [key, place] of places) if (!worth.has(key)) worth.set(key, worthOf(place))
      const keys = [...places.keys()]
      const exact = keys.filter((key) => definitions.has(key))
      const strength = Math.max(...(exact.length > 0 ? exact : keys).map((key) => worth.get(key)!))
      for (const key of keys) worth.set(key, scaled(worth.get(key)!, 500))
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

/** The places in some files where a record is anchored now, each once, by key. */
function placesIn({ anchors }: AnchoredRecord, paths: Paths, moves: Moves): Map<string, Place> {
  const places = anchors.map((anchor) => placeNow(anchor, moves))
  const there = places.filter(({ path }) => paths.has(path))
  return new Map(there.map((place) => [placeKey(place), place]))
}

type Place = Pick<AnchorPlace, 'path' | 'symbol'>

function placeKey({ path, symbol }: Place): string {
  return `${path}:${symbol ?? ''}`
}

function placeNow(anchor: AnchorPlace, moves: Moves): Place {
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
