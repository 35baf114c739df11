import { nameMatches, type SymbolPlace } from './focus.ts'
import { type IndexedFile, type LexicalView, symbolAt, symbolsOf } from './lexical.ts'
import { compareBytes } from './order.ts'
import type { ChangedCode, SymbolCandidate } from './pack-candidate.ts'
import { fused, type Ranks, ranking, scaled, type Weights } from './rank.ts'
import { factorOf, type WantedCode } from './wanted-code.ts'
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
    readonly semantic: readonly SymbolPlace[]
  },
  changed: readonly ChangedCode[],
  /** Best first. */
  files: readonly { readonly path: string; readonly ranks: Ranks }[],
  wanted: WantedCode,
  weights: Weights,
): SymbolCandidate[] {
  const numbers = new SymbolNumbers(view)
  const rankingOf = (places: readonly SymbolPlace[]) =>
    ranking(places.map((place) => numbers.of(place)))
  const lists = {
    words: rankingOf(found.words),
    focus: rankingOf(found.focus),
    semantic: rankingOf(found.semantic),
    changed: rankingOf(changed.flatMap((file) => placesChanged(view, file))),
  }
  const byFile = numbers.ranksOfFiles(Object.values(lists), files)
  const factors = numbers.files.map((file) => scaled(factorOf(file, wanted), FACTORS.symbol))
  const symbols = fused({ ...lists, ...byFile }, weights).map(({ key, ranks, score }) => {
    const number = numbers.fileOf(key)
    const [file, by] = [numbers.files[number]!, factors[number]!]
    return { file, ordinal: key % ORDINALS, ranks, factor: by, score: scaled(score, by) }
  })
  return firstOfEach(symbols.sort(better), LIMITS.symbolsPerFile).map(candidate)
}

/** Symbols as numbers, in the order asked for: a thousand of them are looked up many times. */
class SymbolNumbers {
  readonly files: IndexedFile[] = []
  private readonly numbers = new Map<string, number>()

  constructor(private readonly view: LexicalView) {}

  of({ path, ordinal }: SymbolPlace): SymbolNumber {
    let file = this.numbers.get(path)
    if (file === undefined) {
      file = this.files.push(this.view.byPath.get(path)!) - 1
      this.numbers.set(path, file)
    }
    return (file * ORDINALS + ordinal) as SymbolNumber
  }

  /** Which of `files` it is in. */
  fileOf(symbol: SymbolNumber): number {
    return Math.floor(symbol / ORDINALS)
  }

  /** For each symbol in `lists` the rank of its file, and its file's rank by the graph. */
  ranksOfFiles(
    lists: readonly ReadonlyMap<SymbolNumber, number>[],
    files: readonly { readonly path: string; readonly ranks: Ranks }[],
  ) {
    const ranks = new Array<number | undefined>(this.files.length)
    const near = new Array<number | undefined>(this.files.length)
    for (const [at, { path, ranks: others }] of files.entries()) {
      const number = this.numbers.get(path)
      if (number === undefined) continue
      ranks[number] = at + 1
      near[number] = others.graph
    }
    const file = new Map<SymbolNumber, number>()
    const graph = new Map<SymbolNumber, number>()
    for (const list of lists) {
      for (const symbol of list.keys()) {
        const number = this.fileOf(symbol)
        if (ranks[number] !== undefined) file.set(symbol, ranks[number])
        if (near[number] !== undefined) graph.set(symbol, near[number])
      }
    }
    return { file, graph }
  }
}

type SymbolNumber = number & { readonly __brand: 'SymbolNumber' }
/** More than a file can have symbols. */
const ORDINALS = 1 << 21

function placesChanged(view: LexicalView, { path, symbols }: ChangedCode): SymbolPlace[] {
  const file = view.byPath.get(path)
  const all = file === undefined ? [] : symbolsOf(file)
  return symbols.flatMap((wanted) =>
    all.flatMap(({ name }, ordinal) => (nameMatches(name, wanted) ? [{ path, ordinal }] : [])),
  )
}

type RankedSymbol = Pick<SymbolCandidate, 'ranks' | 'factor' | 'score'> & {
  readonly file: IndexedFile
  readonly ordinal: number
}

function candidate({ file, ordinal, ranks, factor, score }: RankedSymbol): SymbolCandidate {
  const { path, blob } = file
  return { path, blob, symbol: symbolAt(file, ordinal), ordinal, ranks, factor, score }
}

/** Score, then path bytes, line, kind, name, place in the file. */
function better(a: RankedSymbol, b: RankedSymbol): number {
  return b.score - a.score || compareBytes(a.file.path, b.file.path) || byLine(a, b)
}

/** Two of a file. */
function byLine(a: RankedSymbol, b: RankedSymbol): number {
  const [first, second] = [symbolAt(a.file, a.ordinal), symbolAt(b.file, b.ordinal)]
  return (
    first.line - second.line ||
    compareBytes(first.kind, second.kind) ||
    compareBytes(first.name, second.name) ||
    a.ordinal - b.ordinal
  )
}

function firstOfEach(symbols: readonly RankedSymbol[], max: number): RankedSymbol[] {
  const counts = new Map<IndexedFile, number>()
  return symbols.filter(({ file }) => {
    const count = (counts.get(file) ?? 0) + 1
    counts.set(file, count)
    return count <= max
  })
}
