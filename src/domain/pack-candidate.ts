import type { ListedSymbol } from './packed-file.ts'
import type { Ranks } from './rank.ts'
import type { RecordId } from './record.ts'

export type ChangedCode = { readonly path: string; readonly symbols: readonly string[] }

/** Each best first. */
export type Candidates = {
  readonly folders: readonly FolderCandidate[]
  readonly files: readonly FileCandidate[]
  readonly symbols: readonly SymbolCandidate[]
  readonly records: readonly RecordCandidate[]
  /** What decides which conventions and whose live work concern the task; ordered by bytes. */
  readonly taskFiles: readonly string[]
  /** Files of the view that have no index yet. */
  readonly missing: number
}

export type FileCandidate = {
  readonly path: string
  readonly blob: string
  readonly lines: number
  readonly symbolCount: number
  readonly ranks: Ranks
  readonly factor: number
  readonly score: number
}
export type SymbolCandidate = {
  readonly path: string
  readonly blob: string
  readonly symbol: Omit<ListedSymbol, 'hash'>
  /** Among the file's symbols, from 0. */
  readonly ordinal?: number
  /** Only of the best: names of what it uses in other files, and of what uses it there. */
  readonly calls?: readonly string[]
  readonly calledBy?: readonly string[]
  readonly ranks: Ranks
  readonly factor: number
  readonly score: number
}

export type RecordCandidate = { readonly id: RecordId; readonly ranks: Ranks }

/** A folder that candidates lie in. Counts are of all its own files, subfolders not among them. */
export type FolderCandidate = {
  /** Ends with `/`; `./` is the root. */
  readonly path: string
  readonly files: number
  readonly symbols: number
  /** Folders that its candidates use, and that use them. */
  readonly uses?: readonly string[]
  readonly usedBy?: readonly string[]
  /** Its candidates, best first, each with its best symbols. */
  readonly central: readonly { readonly name: string; readonly symbols: readonly string[] }[]
}
