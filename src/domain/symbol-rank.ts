import { nameMatches, type SymbolPlace } from './focus.ts'
import type { LexicalView } from './lexical.ts'
import { symbolsOf } from './lexical.ts'
import { compareBytes } from './order.ts'
import type { ChangedCode, SymbolCandidate } from './pack-candidate.ts'
import type { ListedSymbol } from './packed-file.ts'
import { fuse, type Ranks, ranking, scaled, type Weights } from './rank.ts'
import { fileFactor, type WantedCode } from './wanted-code.ts'
import { FACTORS, LIMITS } from './weights.ts'

/**
 * Symbols best first: by their own words and meaning, the rank of their file, the focus, and what was
 * changed. At most ten of one file.
 */
export function rankSymbols(
  view: LexicalView,
  found: {
    readonly words: readonly SymbolPlace[]
    readonly focus: readonly SymbolPlace[]
    /** Null: meaning was not searched. */
    readonly semantic: readonly SymbolPlace[] | null
  },
  changed: readonly ChangedCode[],
  /** Best first. */
  files: readonly { readonly path: string; readonly ranks: Ranks }[],
  wanted: WantedCode,
  weights: Weights,
): SymbolCandidate[] {
  const listed = new SymbolLists(view)
  const lists = {
    words: ranking(found.words.map(keyOf)),
    focus: ranking(found.focus.map(keyOf)),
    semantic: ranking((found.semantic ?? []).map(keyOf)),
    changed: ranking(changed.flatMap((file) => listed.changedIn(file).map(keyOf))),
  }
  const fileRank = ranking(files.map(({ path }) => path))
  const graphRank = new Map(files.map(({ path, ranks }) => [path, ranks.graph]))
  const file = new Map<SymbolKey, number>()
  const graph = new Map<SymbolKey, number>()
  for (const key of Object.values(lists).flatMap((list) => [...list.keys()])) {
    const rank = fileRank.get(placeOf(key).path)
    if (rank !== undefined) file.set(key, rank)
    const near = graphRank.get(placeOf(key).path)
    if (near !== undefined) graph.set(key, near)
  }
  const factor = found.semantic === null ? FACTORS.symbol : FACTORS.symbolWithSemantic
  const symbols = fuse({ ...lists, file, graph }, weights, compareKeys)
    .map(({ key, ranks, score }) => {
      const place = placeOf(key)
      const { language } = view.byPath.get(place.path)!
      const by = scaled(fileFactor(place.path, language, wanted), factor)
      return candidate(view, listed, place, ranks, score, by)
    })
    .sort(better)
  return firstOfEach(symbols, LIMITS.symbolsPerFile)
}

/** Symbols of files, unpacked once each. */
class SymbolLists {
  private readonly byPath = new Map<string, readonly ListedSymbol[]>()

  constructor(private readonly view: LexicalView) {}

  of(path: string): readonly ListedSymbol[] {
    const known = this.byPath.get(path)
    if (known !== undefined) return known
    const file = this.view.byPath.get(path)
    const symbols = file === undefined ? [] : symbolsOf(file)
    this.byPath.set(path, symbols)
    return symbols
  }

  changedIn({ path, symbols }: ChangedCode): SymbolPlace[] {
    const all = this.of(path)
    return symbols.flatMap((wanted) =>
      all.flatMap(({ name }, ordinal) => (nameMatches(name, wanted) ? [{ path, ordinal }] : [])),
    )
  }
}

function candidate(
  view: LexicalView,
  listed: SymbolLists,
  { path, ordinal }: SymbolPlace,
  ranks: Ranks,
  fused: number,
  factor: number,
): SymbolCandidate {
  const file = view.byPath.get(path)!
  const all = listed.of(path)
  const symbol = all[ordinal]!
  let nth = 0
  for (let before = 0; before < ordinal; before++) {
    if (all[before]!.name === symbol.name) nth++
  }
  const score = scaled(fused, factor)
  return { path, blob: file.blob, symbol, ordinal, nth, ranks, factor, score }
}

/** Score, then path bytes, line, kind, name. */
function better(a: SymbolCandidate, b: SymbolCandidate): number {
  return (
    b.score - a.score ||
    compareBytes(a.path, b.path) ||
    a.symbol.line - b.symbol.line ||
    compareBytes(a.symbol.kind, b.symbol.kind) ||
    compareBytes(a.symbol.name, b.symbol.name) ||
    a.nth - b.nth
  )
}

function firstOfEach(symbols: readonly SymbolCandidate[], max: number): SymbolCandidate[] {
  const counts = new Map<string, number>()
  return symbols.filter(({ path }) => {
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    return count <= max
  })
}

type SymbolKey = `${number}\0${string}`

function keyOf({ path, ordinal }: SymbolPlace): SymbolKey {
  return `${ordinal}\0${path}`
}

function placeOf(key: SymbolKey): SymbolPlace {
  const cut = key.indexOf('\0')
  return { path: key.slice(cut + 1), ordinal: Number(key.slice(0, cut)) }
}

function compareKeys(a: SymbolKey, b: SymbolKey): number {
  const [x, y] = [placeOf(a), placeOf(b)]
  return compareBytes(x.path, y.path) || x.ordinal - y.ordinal
}
