import type { Anchor } from './anchor.ts'
import { type LexicalIndex, type LexicalView, symbolsOf } from './lexical.ts'
import { type Mark, markOf } from './mark.ts'
import { compareBytes } from './order.ts'
import { hashNumber, hasSymbol } from './packed-file.ts'
import type { AnchoredRecord, AnchorPlace } from './record-shelf.ts'

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
  return anchorsIn(view, [anchor])[0]!
}

/** `anchorIn` of each, in their order, with one search for all that are gone. */
export function anchorsIn(
  view: AnchorView | null,
  anchors: readonly Anchor[],
): readonly AnchorState[] {
  const marks = anchors.map((anchor) =>
    markOf(anchor, view === null ? undefined : hashIn(view, anchor)),
  )
  const gone = anchors.filter((_, nth) => marks[nth] === 'gone')
  const moves = view === null || view.missing > 0 ? NO_MOVES : movesIn(view.lexical, gone)
  return anchors.map((anchor, nth) => {
    const { path, symbol } = anchor
    const mark = marks[nth] ?? null
    if (mark !== 'gone') return { mark, at: mark === 'missing' ? null : { path, symbol } }
    const at = moves.get(anchorKey(anchor)) ?? null
    return { mark: at === null ? 'gone' : 'moved', at }
  })
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
 * and line; one that kept its name in part, or not at all, is believed only when no other is as likely.
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
  const ofView = movesKnown.get(view) ?? new WeakMap()
  movesKnown.set(view, ofView)
  const known = ofView.get(index)
  const edition = index.recordEdition
  if (known?.edition === edition) return known.moves
  const moves = view.missing > 0 ? NO_MOVES : movesIn(view, hashedAnchors(index))
  ofView.set(index, { edition, moves })
  return moves
}

const movesKnown = new WeakMap<
  LexicalView,
  WeakMap<LexicalIndex, { readonly edition: number; readonly moves: Moves }>
>()

/**
 * Records of `index` whose code has moved to this place from another, newest first. A path with a slash
 * at its end is a folder; a symbol is met by what encloses it and what it encloses, too.
 */
export function recordsMovedTo(
  index: LexicalIndex,
  { lexical, leftOut }: AnchorView,
  place: Place,
): readonly AnchoredRecord[] {
  const keys = new Set<string>()
  const left = new Set<string>()
  for (const [key, at] of recordMoves(index, lexical)) {
    const path = key.slice(0, key.indexOf('\0'))
    // What is there but not indexed has not gone, whatever else reads the same.
    if (leftOut.has(path) || !isAt(at, place)) continue
    keys.add(key)
    left.add(path)
  }
  const isMoved = ({ path, symbol, hash = null }: AnchorPlace) =>
    keys.has(anchorKey({ path, symbol, hash }))
  return index
    .anchoredAt(index.recordView(), left)
    .filter(({ anchors }) => anchors.some(isMoved))
    .sort((a, b) => b.position - a.position)
}

function isAt(at: Place, { path, symbol }: Place): boolean {
  if (path.endsWith('/') ? !at.path.startsWith(path) : at.path !== path) return false
  if (symbol === null || at.symbol === null || at.symbol === symbol) return true
  return at.symbol.startsWith(`${symbol}.`) || symbol.startsWith(`${at.symbol}.`)
}

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
  const add = (key: string, place: FoundPlace) => {
    const there = found.get(key)
    if (there === undefined) found.set(key, [place])
    else there.push(place)
  }
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
  const hasFile = ({ path }: Place) => baseName(from.path) === baseName(path)
  const rank = (place: Place) => nameRank(from.symbol, place.symbol) * 2 + (hasFile(place) ? 0 : 1)
  const [best, ...others] = [...places].sort(
    (a, b) => rank(a) - rank(b) || compareBytes(a.path, b.path),
  )
  if (best === undefined) return null
  const { path, symbol, lines } = best
  const name = nameRank(from.symbol, symbol)
  const isKept = from.symbol === null ? hasFile(best) : name === NAME_KEPT
  // A method of another class may be the same one, or just one that reads the same.
  const rivals = name === NAME_LOST ? others : others.filter((other) => rank(other) === rank(best))
  const isTelling = lines >= RENAMED_LINES_MIN || (name === NAME_HALF_KEPT && hasFile(best))
  return isKept || (rivals.length === 0 && isTelling) ? { path, symbol } : null
}

const NAME_KEPT = 0
/** The last part of it is the same: `Session.refresh` that is `Visit.refresh` now. */
const NAME_HALF_KEPT = 1
const NAME_LOST = 2

function nameRank(from: string | null, to: string | null): number {
  if (from === to) return NAME_KEPT
  return lastPart(from) === lastPart(to) ? NAME_HALF_KEPT : NAME_LOST
}

function lastPart(name: string | null): string | undefined {
  return name?.slice(name.lastIndexOf('.') + 1)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
