import type { QueryTerm } from './bm25.ts'
import { type EmbeddedSymbol, fileText, symbolText } from './embedding-text.ts'
import type { SymbolPlace } from './focus.ts'
import type { IndexedFile, LexicalIndex, LexicalView } from './lexical.ts'
import { compareBytes } from './order.ts'
import { OutlineReader } from './packed-outline.ts'
import type { Surroundings } from './semantic-around.ts'
import type { SemanticLists } from './semantic-lists.ts'
import { type VectorKey, vectorKey } from './vector-key.ts'
import { LIMITS } from './weights.ts'

/** Up to so many files and symbols all of a view are compared with the goal. */
export const SEMANTIC_WHOLE_MAX = 20_000
/** Of a larger view only the best by words, three times what the list holds, beside those of files around. */
const SYMBOLS_BY_WORDS = 2_000

/** Closeness to the goal; higher is closer. */
type Hit = { readonly key: VectorKey; readonly score: number }

/**
 * Code that is compared with a goal: the names of its texts, and the places that each text is of. A
 * daemon holds one for each view: as objects the places of 20,000 texts would take five times the memory.
 */
export class SemanticCode {
  readonly files: readonly VectorKey[]
  readonly symbols: readonly VectorKey[]
  private readonly fileOf = new Map<VectorKey, IndexedFile>()
  /** Each place of a symbol: its file, which of the file's symbols, the next place of the same text or -1. */
  private readonly placeFiles: IndexedFile[] = []
  private readonly ordinals: number[] = []
  private readonly nextPlace: number[] = []
  private readonly firstPlace = new Map<VectorKey, number>()
  private readonly outlines = new OutlineReader()

  /** @param symbols of which files, in rising order; null: every one of the file's */
  constructor(files: Iterable<IndexedFile>, symbols: ReadonlyMap<IndexedFile, Ordinals>) {
    for (const file of files) this.fileOf.set(this.fileKey(file), file)
    for (const [file, ordinals] of symbols) {
      const count = ordinals === null ? file.symbols.size : ordinals.length
      for (let at = 0; at < count; at++) this.put(file, ordinals === null ? at : ordinals[at]!)
    }
    this.files = [...this.fileOf.keys()]
    this.symbols = [...this.firstPlace.keys()]
  }

  /** The text that a key names; it is put together anew. */
  textOf(key: VectorKey): string {
    const whole = this.fileOf.get(key)
    if (whole !== undefined) return this.fileText(whole)
    const place = this.firstPlace.get(key)!
    return this.symbolText(this.placeFiles[place]!, this.ordinals[place]!)
  }

  /** Best first; ties by path, then place in the file. */
  listsOf(files: readonly Hit[], symbols: readonly Hit[]): CodeLists {
    const paths: Found<string>[] = []
    for (const { key, score } of files) {
      const file = this.fileOf.get(key)
      if (file !== undefined) paths.push({ what: file.path, score })
    }
    const places: Found<SymbolPlace>[] = []
    for (const { key, score } of symbols) {
      for (let at = this.firstPlace.get(key) ?? -1; at >= 0; at = this.nextPlace[at]!) {
        const place = { path: this.placeFiles[at]!.path, ordinal: this.ordinals[at]! }
        places.push({ what: place, score })
      }
    }
    return {
      files: paths
        .sort((a, b) => b.score - a.score || compareBytes(a.what, b.what))
        .map(({ what }) => what),
      symbols: places
        .sort((a, b) => b.score - a.score || byPlace(a.what, b.what))
        .slice(0, LIMITS.symbols)
        .map(({ what }) => what),
    }
  }

  private put(file: IndexedFile, ordinal: number): void {
    const { symbols } = keysOf(file)
    symbols[ordinal] ??= vectorKey(this.symbolText(file, ordinal))
    const key = symbols[ordinal]
    this.nextPlace.push(this.firstPlace.get(key) ?? -1)
    this.firstPlace.set(key, this.placeFiles.length)
    this.placeFiles.push(file)
    this.ordinals.push(ordinal)
  }

  private fileKey(file: IndexedFile): VectorKey {
    const keys = keysOf(file)
    keys.file ??= vectorKey(this.fileText(file))
    return keys.file
  }

  private fileText(file: IndexedFile): string {
    return fileText(file.path, this.outlinesOf(file))
  }

  private *outlinesOf({ packed, symbols }: IndexedFile): Generator<EmbeddedSymbol> {
    for (let at = 0; at < symbols.size; at++) yield this.outlines.read(packed, at)
  }

  private symbolText({ path, packed }: IndexedFile, ordinal: number): string {
    return symbolText(path, this.outlines.read(packed, ordinal))
  }
}

type Ordinals = readonly number[] | null
type Found<What> = { readonly what: What; readonly score: number }

function byPlace(a: SymbolPlace, b: SymbolPlace): number {
  return compareBytes(a.path, b.path) || a.ordinal - b.ordinal
}

type CodeLists = Pick<SemanticLists, 'files' | 'symbols'>

export function isWhole(view: LexicalView): boolean {
  return view.byPath.size + view.symbols.size <= SEMANTIC_WHOLE_MAX
}

/** All of a view: the same for every goal. */
export function wholeCode(view: LexicalView): SemanticCode {
  const files = [...view.byPath.values()]
  return new SemanticCode(files, new Map(files.map((file) => [file, null])))
}

/** Of a large view: what the words find, and what is around that. */
export function codeAround(
  index: LexicalIndex,
  view: LexicalView,
  query: readonly QueryTerm[],
  { found, around }: Surroundings,
): SemanticCode {
  const fileAt = (path: string) => view.byPath.get(path)!
  const symbols = new Map<IndexedFile, number[] | null>()
  for (const path of around) symbols.set(fileAt(path), null)
  for (const { path, ordinal } of index.searchSymbols(view, query, SYMBOLS_BY_WORDS)) {
    const file = fileAt(path)
    const ordinals = symbols.get(file)
    if (ordinals === undefined) symbols.set(file, [ordinal])
    else ordinals?.push(ordinal)
  }
  for (const ordinals of symbols.values()) ordinals?.sort((a, b) => a - b)
  return new SemanticCode([...found, ...around].map(fileAt), symbols)
}

type Keys = { file: VectorKey | null; readonly symbols: VectorKey[] }
/** Those asked for so far: in a large view most never are. */
const known = new WeakMap<IndexedFile, Keys>()

function keysOf(file: IndexedFile): Keys {
  const there = known.get(file)
  if (there !== undefined) return there
  const keys: Keys = { file: null, symbols: new Array(file.symbols.size) }
  known.set(file, keys)
  return keys
}
