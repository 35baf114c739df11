import type { BlobId } from '../domain/code.ts'
import type { CodeView, TreeKey } from '../domain/code-view.ts'
import { IndexTally } from '../domain/index-check.ts'
import { filePrint, treePrint } from '../domain/index-print.ts'
import type { IndexedFile } from '../domain/lexical.ts'
import type { Selection } from '../domain/postings.ts'
import type { Repo } from '../domain/repo.ts'
import type { Store } from '../store/store.ts'
import { asCodeView } from './code.ts'
import { CodeIndexes, type IndexedView, type RepoIndex } from './code-indexes.ts'
import type { Handler } from './deps.ts'
import { findRepo } from './lookup.ts'

/** Rows deleted in one statement, and read for one answer. */
const ROWS_A_STEP = 2_000
const FILES_A_PAGE = 500
const TREES_A_PAGE = 4

export const dropIndex: Handler<'index.drop'> = async ({ store, indexes, semantic }, input) => {
  const repo = await findRepo(store, input.repo)
  await semantic.forget(repo.id)
  const step = await store.dropCodeIndex(repo.id, ROWS_A_STEP)
  // Memory believes in rows that are gone now.
  indexes.forget(repo.id)
  return step
}

export const loadIndex: Handler<'index.load'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const { index, view } = await load(indexes, repo, asCodeView(input.view))
  return { files: view?.lexical.byPath.size ?? 0, ...sizeOf(index, view) }
}

export const unparsable: Handler<'index.unparsable'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  return store.unparsable(repo.id, input.version)
}

export const keptFiles: Handler<'index.rows'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const { after } = input
  const from = after === null ? null : { ...after, blob: after.blob as BlobId }
  const rows = await store.filesAfter(repo.id, from, FILES_A_PAGE)
  const items = rows.map(({ version, blob, file }) => ({
    ...{ version, blob, print: file === null ? null : filePrint(file) },
  }))
  return { items, more: rows.length === FILES_A_PAGE }
}

export const keptTrees: Handler<'index.listings'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const rows = await store.treesAfter(repo.id, input.after as TreeKey | null, TREES_A_PAGE)
  const items = rows.map(({ key, entries }) => ({
    ...{ key, print: entries === null ? null : treePrint(entries) },
  }))
  return { items, more: rows.length === TREES_A_PAGE }
}

/** Makes a second index beside the one in memory, from the store alone, and lets it go again. */
export const compareIndex: Handler<'index.compare'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const code = asCodeView(input.view)
  const held = await load(indexes, repo, code)
  const fresh = await loadFresh(store, repo, code)
  const tally = new IndexTally()
  compareSelections(tally, 'records', recordsOf(held.index), recordsOf(fresh.index))
  if (held.view !== null && fresh.view !== null) compareViews(tally, held.view, fresh.view)
  return { ...sizeOf(held.index, held.view), difference: tally.differences[0] ?? null }
}

type Loaded = { readonly index: RepoIndex; readonly view: IndexedView | null }

async function load(indexes: CodeIndexes, repo: Repo, code: CodeView | null): Promise<Loaded> {
  const index = await indexes.current(repo)
  return { index, view: code === null ? null : await index.view(code) }
}

function loadFresh(store: Store, repo: Repo, code: CodeView | null): Promise<Loaded> {
  return load(new CodeIndexes(store), repo, code)
}

function recordsOf({ lexical }: RepoIndex): Selection {
  return lexical.recordView().texts
}

function sizeOf(index: RepoIndex, view: IndexedView | null) {
  let symbols = 0
  for (const file of view?.lexical.byPath.values() ?? []) symbols += file.symbols.size
  return { symbols, records: recordsOf(index).size }
}

function compareViews(tally: IndexTally, held: IndexedView, fresh: IndexedView): void {
  const [had, made] = [held.lexical.byPath, fresh.lexical.byPath]
  for (const [path, file] of made) {
    const there = had.get(path)
    if (there === undefined) tally.note('memory', 'missing', path)
    else if (shownOf(there) !== shownOf(file)) tally.note('memory', 'different', path)
  }
  for (const path of had.keys()) if (!made.has(path)) tally.note('memory', 'leftOver', path)
  if (tally.differences.length > 0) return
  compareSelections(tally, 'files', held.lexical.texts, fresh.lexical.texts)
  compareSelections(tally, 'symbols', held.lexical.symbols, fresh.lexical.symbols)
}

function shownOf({ blob, language, status, lines, hash, packed }: IndexedFile): string {
  return [blob, language, status, lines, hash, packed].join('\u0000')
}

/** As many texts, with as many words. */
function compareSelections(tally: IndexTally, what: string, held: Selection, fresh: Selection) {
  tally.note('memory', 'missing', what, Math.max(0, fresh.size - held.size))
  tally.note('memory', 'leftOver', what, Math.max(0, held.size - fresh.size))
  const isOther = held.size === fresh.size && held.length !== fresh.length
  tally.note('memory', 'different', what, isOther ? 1 : 0)
}
