import type { Anchor } from './anchor.ts'
import { type LexicalIndex, type LexicalView, symbolsOf } from './lexical.ts'
import { type Mark, markOf } from './mark.ts'
import { compareBytes } from './order.ts'
import { hashNumber, hasSymbol } from './packed-file.ts'

/** The code a caller stands on, as far as marks go. */
export type AnchorView = {
  readonly lexical: LexicalView
  /** Paths that are there but not indexed. */
  readonly leftOut: ReadonlySet<string>
  /** Files whose index has not arrived: what is not found may be in one of them. */
  readonly missing: number
}

export type Place = { readonly path: string; readonly symbol: string | null }

/** What became of anchored code in a view, and where it is now; `at` null: nowhere, or nobody can tell. */
export type AnchorState = { readonly mark: Mark | null; readonly at: Place | null }

/**
 * Judges an anchor. Code that is gone from its place and stands unchanged at another (a file moved or
 * renamed, a definition taken elsewhere) has moved, and the record goes with it.
 */
export function anchorIn(view: AnchorView | null, anchor: Anchor): AnchorState {
  const { path, symbol } = anchor
  const mark = markOf(anchor, view === null ? undefined : hashIn(view, anchor))
  if (mark !== 'gone' || view === null || view.missing > 0) {
    return { mark, at: mark === 'gone' || mark === 'missing' ? null : { path, symbol } }
  }
  const at = movesIn(view.lexical, [anchor]).get(anchorKey(anchor)) ?? null
  return { mark: at === null ? 'gone' : 'moved', at }
}

/** Of several definitions with one name, the one that is as it was recorded speaks for all. */
function hashIn(view: AnchorView, { path, symbol, hash }: Anchor): string | null | undefined {
  const file = view.lexical.byPath.get(path)
  if (file === undefined) return view.leftOut.has(path) || view.missing > 0 ? undefined : null
  if (symbol === null) return file.hash
  if (file.status !== 'parsed') return undefined
  const named = symbolsOf(file).filter(({ name }) => name === symbol)
  return named.some((found) => found.hash === hash) ? hash : (named[0]?.hash ?? null)
}

/** Anchor (`anchorKey`) → where its code stands now. */
export type Moves = ReadonlyMap<string, Place>

export function anchorKey({ path, symbol, hash }: Anchor): string {
  return `${path}\0${symbol ?? ''}\0${hash ?? ''}`
}

/**
 * Where those of `anchors` went whose code is gone from its place: to the file, or the definition, of
 * the same text. Of several the one that kept its name, then its file's name, then the first by path
 * and line; one that kept neither is believed only when there is no other.
 */
export function movesIn(view: LexicalView, anchors: Iterable<Anchor>): Moves {
  const gone: (Anchor & { readonly hash: string })[] = []
  for (const anchor of anchors) {
    const { path, symbol, hash } = anchor
    if (hash !== null && isGone(view, anchor)) gone.push({ path, symbol, hash })
  }
  if (gone.length === 0) return NO_MOVES
  const found = placesOfHashes(view, gone)
  const moves = new Map<string, Place>()
  for (const anchor of gone) {
    const places = found.get(`${anchor.symbol === null ? 'file' : 'symbol'} ${anchor.hash}`) ?? []
    const place = likeliest(anchor, places)
    if (place !== null) moves.set(anchorKey(anchor), place)
  }
  return moves
}

/** Where the code went that records of `index` are anchored at; found once a view and set of records. */
export function recordMoves(index: LexicalIndex, view: LexicalView): Moves {
  const known = movesKnown.get(view)
  const edition = index.recordEdition
  if (known?.edition === edition) return known.moves
  const moves = view.missing > 0 ? NO_MOVES : movesIn(view, hashedAnchors(index))
  movesKnown.set(view, { edition, moves })
  return moves
}

const movesKnown = new WeakMap<LexicalView, { readonly edition: number; readonly moves: Moves }>()

function* hashedAnchors(index: LexicalIndex): Generator<Anchor> {
  for (const { path, symbol, hash } of index.anchors()) if (hash) yield { path, symbol, hash }
}

const NO_MOVES: Moves = new Map()

function isGone(view: LexicalView, { path, symbol }: Anchor): boolean {
  const file = view.byPath.get(path)
  if (file === undefined) return true
  return symbol !== null && file.status === 'parsed' && !hasSymbol(file.packed, symbol)
}

/** One pass over the view, however many are looked for. */
function placesOfHashes(
  view: LexicalView,
  wanted: readonly { readonly symbol: string | null; readonly hash: string }[],
): Map<string, FoundPlace[]> {
  const files = new Set(wanted.flatMap(({ symbol, hash }) => (symbol === null ? [hash] : [])))
  const symbols = new Set(wanted.flatMap(({ symbol, hash }) => (symbol === null ? [] : [hash])))
  const numbers = new Set([...symbols].map(hashNumber))
  const found = new Map<string, FoundPlace[]>()
  const add = (key: string, place: FoundPlace) => found.set(key, [...(found.get(key) ?? []), place])
  for (const file of view.byPath.values()) {
    if (files.has(file.hash))
      add(`file ${file.hash}`, { path: file.path, symbol: null, lines: file.lines })
    if (numbers.size === 0 || !file.hashes.some((number) => numbers.has(number))) continue
    for (const { name, hash, line, endLine } of symbolsOf(file)) {
      if (!symbols.has(hash)) continue
      add(`symbol ${hash}`, { path: file.path, symbol: name, lines: endLine - line + 1 })
    }
  }
  return found
}

type FoundPlace = Place & { readonly lines: number }

/** Shorter code under another name is no sign of anything: many a getter reads the same. */
const RENAMED_LINES_MIN = 3

function likeliest(from: Anchor, places: readonly FoundPlace[]): Place | null {
  const hasName = ({ symbol }: Place) => sameName(from.symbol, symbol)
  const hasFile = ({ path }: Place) => baseName(from.path) === baseName(path)
  const rank = (place: Place) => (hasName(place) ? 0 : 2) + (hasFile(place) ? 0 : 1)
  const [best, ...others] = [...places].sort(
    (a, b) => rank(a) - rank(b) || compareBytes(a.path, b.path),
  )
  if (best === undefined) return null
  const kept = from.symbol === null ? hasFile(best) : hasName(best)
  const alone = others.length === 0 && best.lines >= RENAMED_LINES_MIN
  return kept || alone ? { path: best.path, symbol: best.symbol } : null
}

function sameName(a: string | null, b: string | null): boolean {
  return a?.slice(a.lastIndexOf('.') + 1) === b?.slice(b.lastIndexOf('.') + 1)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
