import { recordMoves } from './anchor-moves.ts'
import type { QueryTerm } from './bm25.ts'
import { fileText, symbolText } from './embedding-text.ts'
import type { SymbolPlace } from './focus.ts'
import { graphOf } from './graph.ts'
import { nearby } from './graph-walk.ts'
import {
  type IndexedFile,
  type LexicalIndex,
  type LexicalView,
  type RecordView,
  symbolsOf,
} from './lexical.ts'
import { compareBytes } from './order.ts'
import { filesOfRecords } from './record-rank.ts'
import type { SemanticLists } from './semantic-lists.ts'
import { type VectorKey, vectorKey } from './vector-key.ts'
import { LIMITS } from './weights.ts'

/** Up to so many files and symbols all of a view are compared with the goal. */
export const SEMANTIC_WHOLE_MAX = 20_000
/**
 * Of a larger view only the best by words: five and three times what the lists hold. The text of a
 * file takes a tenth of a millisecond to embed, and a pack waits for all that are new.
 */
const FILES_BY_WORDS = 500
const SYMBOLS_BY_WORDS = 2_000

/** Closeness to the goal; higher is closer. */
type Hit = { readonly key: VectorKey; readonly score: number }

/** Code that is compared with a goal: the names of its texts, and the place that each text is of. */
export class SemanticCode {
  readonly files: readonly VectorKey[]
  readonly symbols: readonly VectorKey[]
  private readonly fileOf = new Map<VectorKey, IndexedFile>()
  private readonly placesOf = new Map<VectorKey, SymbolPlace[]>()
  private readonly fileAt = new Map<string, IndexedFile>()

  /** @param places null: every symbol of `files` */
  constructor(files: readonly IndexedFile[], places: readonly (SymbolPlace & In)[] | null) {
    for (const file of files) {
      this.fileOf.set(fileKey(file), file)
      this.fileAt.set(file.path, file)
      if (places !== null) continue
      for (let ordinal = 0; ordinal < file.symbols.size; ordinal++) this.put(file, ordinal)
    }
    for (const { file, ordinal } of places ?? []) {
      this.fileAt.set(file.path, file)
      this.put(file, ordinal)
    }
    this.files = [...this.fileOf.keys()]
    this.symbols = [...this.placesOf.keys()]
  }

  /** The text that a key names; it is put together anew. */
  textOf(key: VectorKey): string {
    const whole = this.fileOf.get(key)
    if (whole !== undefined) return fileText(whole.path, symbolsOf(whole))
    const { path, ordinal } = this.placesOf.get(key)![0]!
    return symbolText(path, symbolsOf(this.fileAt.get(path)!)[ordinal]!)
  }

  /** Best first; ties by path, then place in the file. */
  listsOf(files: readonly Hit[], symbols: readonly Hit[]): SemanticLists {
    const places = symbols.flatMap(({ key, score }) =>
      (this.placesOf.get(key) ?? []).map((place) => ({ place, score })),
    )
    const paths = files.flatMap(({ key, score }) => {
      const file = this.fileOf.get(key)
      return file === undefined ? [] : [{ path: file.path, score }]
    })
    return {
      files: paths
        .sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
        .map(({ path }) => path),
      symbols: places
        .sort(
          (a, b) =>
            b.score - a.score ||
            compareBytes(a.place.path, b.place.path) ||
            a.place.ordinal - b.place.ordinal,
        )
        .slice(0, LIMITS.symbols)
        .map(({ place }) => place),
    }
  }

  private put(file: IndexedFile, ordinal: number): void {
    const key = symbolKey(file, ordinal)
    const { path } = file
    const there = this.placesOf.get(key)
    if (there === undefined) this.placesOf.set(key, [{ path, ordinal }])
    else there.push({ path, ordinal })
  }
}

type In = { readonly file: IndexedFile }

export function isWhole(view: LexicalView): boolean {
  return view.byPath.size + view.symbols.size <= SEMANTIC_WHOLE_MAX
}

/** All of a view: the same for every goal. */
export function wholeCode(view: LexicalView): SemanticCode {
  return new SemanticCode([...view.byPath.values()], null)
}

/** Of a large view: what the words find, what found records are anchored at, and what is near those. */
export function codeAround(
  index: LexicalIndex,
  view: LexicalView,
  records: RecordView,
  query: readonly QueryTerm[],
): SemanticCode {
  const found = index.searchFiles(view, query, FILES_BY_WORDS)
  const hits = index.searchRecords(records, query, LIMITS.records)
  const anchored = filesOfRecords(hits, view, recordMoves(index, view))
  const best = [...anchored, ...found.map(({ path }) => path)].slice(0, LIMITS.graphSeeds)
  const seeds = best.map((path, at) => ({ path, score: Math.floor(1_000_000 / (at + 1)) }))
  const around = [...anchored, ...nearby(graphOf(view), seeds, () => true)]
  const paths = new Set([...found.map(({ path }) => path), ...around])
  const fileAt = (path: string) => view.byPath.get(path)!
  const places = new Map<string, SymbolPlace & In>()
  const put = (path: string, ordinal: number) =>
    places.set(`${ordinal}\0${path}`, { path, ordinal, file: fileAt(path) })
  for (const hit of index.searchSymbols(view, query, SYMBOLS_BY_WORDS)) put(hit.path, hit.ordinal)
  for (const path of around) {
    for (let ordinal = 0; ordinal < fileAt(path).symbols.size; ordinal++) put(path, ordinal)
  }
  return new SemanticCode([...paths].map(fileAt), [...places.values()])
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

function fileKey(file: IndexedFile): VectorKey {
  const keys = keysOf(file)
  keys.file ??= vectorKey(fileText(file.path, symbolsOf(file)))
  return keys.file
}

function symbolKey(file: IndexedFile, ordinal: number): VectorKey {
  const { symbols } = keysOf(file)
  symbols[ordinal] ??= vectorKey(symbolText(file.path, symbolsOf(file)[ordinal]!))
  return symbols[ordinal]
}
