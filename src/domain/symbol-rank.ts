import { nameMatches, type SymbolPlace } from './focus.ts'
import type { LexicalView } from './lexical.ts'
import { symbolsOf } from './lexical.ts'
import { compareBytes } from './order.ts'
import type { ChangedCode, SymbolCandidate } from './pack-candidate.ts'
import type { ListedSymbol } from './packed-file.ts'
import { fused, type Ranked, type Ranks, ranking, scaled, type Weights } from './rank.ts'
import type { FileFactors } from './wanted-code.ts'
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
  factors: FileFactors,
  weights: Weights,
): SymbolCandidate[] {
  const listed = new SymbolLists(view)
  const numbers = new SymbolNumbers()
  const rankingOf = (places: readonly SymbolPlace[]) =>
    ranking(places.map((place) => numbers.of(place)))
  const lists = {
    words: rankingOf(found.words),
    focus: rankingOf(found.focus),
    semantic: rankingOf(found.semantic ?? []),
    changed: rankingOf(changed.flatMap((file) => listed.changedIn(file))),
  }
  const byFile = numbers.ranksOfFiles(Object.values(lists), files)
  const factor = found.semantic === null ? FACTORS.symbol : FACTORS.symbolWithSemantic
  const symbols = fused({ ...lists, ...byFile }, weights)
    .map((ranked) => {
      const place = numbers.placeOf(ranked.key)
      const { language } = view.byPath.get(place.path)!
      const by = scaled(factors.of(place.path, language), factor)
      return candidate(view, listed, place, ranked, by)
    })
    .sort(better)
  return firstOfEach(symbols, LIMITS.symbolsPerFile)
}

/** Symbols as numbers, in the order asked for: a thousand of them are looked up many times. */
class SymbolNumbers {
  private readonly paths: string[] = []
  private readonly fileOf = new Map<string, number>()

  of({ path, ordinal }: SymbolPlace): SymbolNumber {
    let file = this.fileOf.get(path)
    if (file === undefined) {
      file = this.paths.push(path) - 1
      this.fileOf.set(path, file)
    }
    return (file * ORDINALS + ordinal) as SymbolNumber
  }

  placeOf(symbol: SymbolNumber): SymbolPlace {
    return { path: this.paths[Math.floor(symbol / ORDINALS)]!, ordinal: symbol % ORDINALS }
  }

  /** For each symbol in `lists` the rank of its file, and its file's rank by the graph. */
  ranksOfFiles(
    lists: readonly ReadonlyMap<SymbolNumber, number>[],
    files: readonly { readonly path: string; readonly ranks: Ranks }[],
  ) {
    const ranks = ranking(files.map(({ path }) => path))
    const rankAt = this.paths.map((path) => ranks.get(path))
    const file = new Map<SymbolNumber, number>()
    const graph = new Map<SymbolNumber, number>()
    for (const list of lists) {
      for (const symbol of list.keys()) {
        const rank = rankAt[Math.floor(symbol / ORDINALS)]
        if (rank === undefined) continue
        file.set(symbol, rank)
        const near = files[rank - 1]!.ranks.graph
        if (near !== undefined) graph.set(symbol, near)
      }
    }
    return { file, graph }
  }
}

type SymbolNumber = number & { readonly __brand: 'SymbolNumber' }
/** More than a file can have symbols. */
const ORDINALS = 1 << 21

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
  { ranks, score: raw }: Ranked<SymbolNumber>,
  factor: number,
): SymbolCandidate {
  const file = view.byPath.get(path)!
  const all = listed.of(path)
  const symbol = all[ordinal]!
  let nth = 0
  for (let before = 0; before < ordinal; before++) {
    if (all[before]!.name === symbol.name) nth++
  }
  const score = scaled(raw, factor)
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
    a.nth - b.nth ||
    a.ordinal! - b.ordinal!
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
