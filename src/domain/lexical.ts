import { type Bm25Params, type QueryTerm, search } from './bm25.ts'
import type { BlobId, FileIndex } from './code.ts'
import { compareBytes } from './order.ts'
import {
  hashNumbers,
  type ListedSymbol,
  nameNumbers,
  packLinks,
  packSymbols,
  unpackSymbol,
  unpackSymbols,
} from './packed-file.ts'
import { Dictionary, type Group, Postings, type Selection, type TermCounts } from './postings.ts'
import type { RecordId } from './record.ts'
import { type AnchoredRecord, type AnchorPlace, RecordShelf } from './record-shelf.ts'
import { terms } from './terms.ts'
import { isTestPath } from './test-path.ts'
import { TextNumbers } from './text-numbers.ts'

/**
 * What a daemon holds of one repo to search it: files, their symbols, and records. Files are kept by
 * path and blob, for every workspace and branch at once; a `LexicalView` says which of them somebody
 * stands on, and scores depend on that view alone.
 */
export class LexicalIndex {
  private readonly dictionary = new Dictionary()
  private readonly fileTexts = new Postings()
  private readonly symbolTexts = new Postings()
  private readonly recordTexts = new Postings()
  private readonly fileKeys = new TextNumbers()
  /** By the number of their key, which owns their texts and symbols; null where one is gone. */
  private readonly files: (IndexedFile | null)[] = []
  readonly records = new RecordShelf()
  /** Rises when a record comes or goes. */
  recordEdition = 0

  hasFile(path: string, blob: BlobId): boolean {
    return this.file(path, blob) !== null
  }

  /** Does nothing when that file is there already. */
  addFile(path: string, index: FileIndex): void {
    const owner = this.fileKeys.number(fileKey(path, index.blob))
    if (this.files[owner]) return
    const pathTerms = counted(terms(path))
    const words = index.words.map((word) => this.dictionary.number(word))
    const text = this.document(pathTerms, PATH_TIMES, words, index.counts)
    const texts = this.fileTexts.add([text], owner)
    const symbolDocuments = index.symbols.map((symbol) => {
      const ids: number[] = []
      const counts: number[] = []
      for (let i = 0; i + 1 < symbol.words.length; i += 2) {
        ids.push(words[symbol.words[i]!]!)
        counts.push(symbol.words[i + 1]!)
      }
      return this.document(pathTerms, 1, ids, counts)
    })
    const symbols = this.symbolTexts.add(symbolDocuments, owner)
    const { blob, language, status, lines, hash } = index
    const file: IndexedFile = {
      ...{ path, blob, language, status, lines, hash },
      ...{ texts, symbols, packed: packSymbols(index.symbols), isTest: isTestPath(path) },
      links: packLinks(index.links ?? []),
      names: nameNumbers(index, this.dictionary),
      hashes: hashNumbers(index.symbols),
    }
    this.files[owner] = file
  }

  removeFile(path: string, blob: BlobId): void {
    const file = this.file(path, blob)
    if (file === null) return
    this.files[file.texts.owner] = null
    this.fileTexts.remove(file.texts)
    this.symbolTexts.remove(file.symbols)
  }

  /** Those of `entries` that are indexed; `missing` counts the others. Paths must be distinct. */
  view(entries: Iterable<{ readonly path: string; readonly blob: BlobId }>): LexicalView {
    const byPath = new Map<string, IndexedFile>()
    let missing = 0
    for (const { path, blob } of entries) {
      const file = this.file(path, blob)
      if (file === null) missing++
      else byPath.set(path, file)
    }
    const files = [...byPath.values()]
    return {
      byPath,
      missing,
      dictionary: this.dictionary,
      texts: this.fileTexts.select(files.map((file) => file.texts)),
      symbols: this.symbolTexts.select(files.map((file) => file.symbols)),
    }
  }

  /** Best first; ties by path. */
  searchFiles(view: LexicalView, query: readonly QueryTerm[], limit: number): FileHit[] {
    const at = (doc: number) => this.files[this.fileTexts.groupAt(doc)!.owner]!
    const byKey = (a: number, b: number) => compareBytes(at(a).path, at(b).path)
    const hits = search(this.dictionary, view.texts, query, FILE_BM25, limit, byKey)
    return hits.map(({ doc, score }) => ({ path: at(doc).path, score }))
  }

  /** Best first; ties by path, then place in the file. */
  searchSymbols(view: LexicalView, query: readonly QueryTerm[], limit: number): SymbolHit[] {
    const groupAt = (doc: number) => this.symbolTexts.groupAt(doc)!
    const pathOf = (group: Group) => this.files[group.owner]!.path
    const byKey = (a: number, b: number) => {
      const [first, second] = [groupAt(a), groupAt(b)]
      return first === second ? a - b : compareBytes(pathOf(first), pathOf(second))
    }
    const hits = search(this.dictionary, view.symbols, query, SYMBOL_BM25, limit, byKey)
    return hits.map(({ doc, score }) => {
      const group = groupAt(doc)
      return { path: pathOf(group), ordinal: doc - group.start, score }
    })
  }

  /** Does nothing when that record is there already. Only current records belong here. */
  addRecord(record: RecordText): void {
    if (this.records.has(record.id)) return
    this.recordEdition++
    const words = counted(terms(`${record.summary}\n${record.body}`))
    for (const { path, symbol } of record.anchors) {
      for (const term of terms(`${path} ${symbol ?? ''}`)) {
        words.set(term, (words.get(term) ?? 0) + 1)
      }
    }
    const row = this.records.rowFor(record.id)
    const texts = this.recordTexts.add([this.document(words, 1, [], [])], row)
    this.records.add(record.position, record.anchors, texts)
  }

  /** For one that was superseded or purged. */
  removeRecord(id: RecordId): void {
    const texts = this.records.remove(id)
    if (texts === null) return
    this.recordEdition++
    this.recordTexts.remove(texts)
  }

  /** All records, or only `ids`: what they were at some earlier time, say. */
  recordView(ids?: Iterable<RecordId>): RecordView {
    if (ids === undefined) return { texts: this.recordTexts.everything(), only: null }
    const only = new Set(ids)
    const groups = [...only].flatMap((id) => this.records.groupOf(id) ?? [])
    return { texts: this.recordTexts.select(groups), only }
  }

  hasRecord(id: RecordId): boolean {
    return this.records.has(id)
  }

  /** The records of a view that stand after a position of the log, in no order. */
  recordIds({ only }: RecordView, after: number): RecordId[] {
    const found = this.records.idsAfter(after)
    return only === null ? found : found.filter((id) => only.has(id))
  }

  /** Best first; ties by position, newest first. */
  searchRecords(view: RecordView, query: readonly QueryTerm[], limit: number): RecordHit[] {
    const rowAt = (doc: number) => this.recordTexts.groupAt(doc)!.owner
    const positionAt = (doc: number) => this.records.positionAt(rowAt(doc))
    const byKey = (a: number, b: number) => positionAt(b) - positionAt(a)
    const hits = search(this.dictionary, view.texts, query, RECORD_BM25, limit, byKey)
    return hits.map(({ doc, score }) => {
      const row = rowAt(doc)
      return { id: this.records.idAt(row), anchors: this.records.anchorsAt(row), score }
    })
  }

  /** Records with an anchor in one of `paths`, in no order. */
  anchoredAt({ only }: RecordView, paths: Iterable<string>): AnchoredRecord[] {
    const found = this.records.anchoredAt(new Set(paths))
    return only === null ? found : found.filter(({ id }) => only.has(id))
  }

  /** Where all records are anchored, in no order. */
  anchors(): Iterable<AnchorPlace> {
    return this.records.anchors()
  }

  get size(): LexicalSize {
    return {
      files: this.fileTexts.size,
      symbols: this.symbolTexts.size,
      records: this.recordTexts.size,
      terms: this.dictionary.size,
      postingBytes: this.fileTexts.bytes + this.symbolTexts.bytes + this.recordTexts.bytes,
    }
  }

  private file(path: string, blob: BlobId): IndexedFile | null {
    const number = this.fileKeys.find(fileKey(path, blob))
    return number === undefined ? null : (this.files[number] ?? null)
  }

  /** One document of a text's terms and, `times` over, those of its path. */
  private document(
    pathTerms: ReadonlyMap<string, number>,
    times: number,
    ids: readonly number[],
    counts: readonly number[],
  ): TermCounts {
    const sums = new Map<number, number>()
    for (let i = 0; i < ids.length; i++) sums.set(ids[i]!, (sums.get(ids[i]!) ?? 0) + counts[i]!)
    for (const [term, count] of pathTerms) {
      const id = this.dictionary.number(term)
      sums.set(id, (sums.get(id) ?? 0) + count * times)
    }
    return { ids: [...sums.keys()], counts: [...sums.values()] }
  }
}

export type FileHit = { readonly path: string; readonly score: number }
/** `ordinal`: which of the file's symbols, from 0. */
export type SymbolHit = { readonly path: string; readonly ordinal: number; readonly score: number }

export type RecordText = {
  readonly id: RecordId
  readonly position: number
  readonly summary: string
  readonly body: string
  readonly anchors: readonly AnchorPlace[]
}
export type RecordHit = {
  readonly id: RecordId
  readonly anchors: readonly AnchorPlace[]
  readonly score: number
}

/** The files somebody stands on. Stays good while the index changes; made anew when the files do. */
export type LexicalView = {
  readonly byPath: ReadonlyMap<string, IndexedFile>
  readonly missing: number
  readonly dictionary: Dictionary
  readonly texts: Selection
  readonly symbols: Selection
}

export type RecordView = {
  readonly texts: Selection
  readonly only: ReadonlySet<RecordId> | null
}

export type LexicalSize = {
  readonly files: number
  readonly symbols: number
  readonly records: number
  readonly terms: number
  readonly postingBytes: number
}

export type IndexedFile = Pick<FileIndex, 'blob' | 'language' | 'status' | 'lines' | 'hash'> & {
  readonly path: string
  readonly texts: Group
  readonly symbols: Group
  readonly isTest: boolean
  /** Its symbols as `symbolsOf` reads them. */
  readonly packed: string
  /** As `unpackLinks` reads them. */
  readonly links: string
  /** As `nameNumbers` makes them, in the symbols' order. */
  readonly names: Uint32Array
  /** As `hashNumbers`. */
  readonly hashes: Uint32Array
}

/** A file's symbols, in its order: `ordinal` indexes it. Those asked for last stay unpacked. */
export function symbolsOf(file: IndexedFile): readonly ListedSymbol[] {
  return keptOf(unpacked, file, () => unpackSymbols(file.packed))
}

/** One of them, without unpacking the others: in a large view it is the only one of its file that is asked for. */
export function symbolAt(file: IndexedFile, ordinal: number): ListedSymbol {
  const whole = unpacked.get(file)
  if (whole !== undefined) return whole[ordinal]!
  const rows = keptOf(unpackedRows, file, () => [])
  rows[ordinal] ??= unpackSymbol(file.packed, ordinal)
  return rows[ordinal]
}

const UNPACKED_MAX = 1_000
const unpacked = new Map<IndexedFile, readonly ListedSymbol[]>()
const unpackedRows = new Map<IndexedFile, ListedSymbol[]>()

function keptOf<Symbols>(
  kept: Map<IndexedFile, Symbols>,
  file: IndexedFile,
  unpack: () => Symbols,
): Symbols {
  const known = kept.get(file)
  if (known !== undefined) return known
  const symbols = unpack()
  if (kept.size >= UNPACKED_MAX) kept.clear()
  kept.set(file, symbols)
  return symbols
}

const PATH_TIMES = 3
const FILE_BM25: Bm25Params = { b: 0.4 }
const SYMBOL_BM25: Bm25Params = { b: 0.3 }
const RECORD_BM25: Bm25Params = { b: 0.75 }

function fileKey(path: string, blob: BlobId): string {
  return `${blob}\u0000${path}`
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
