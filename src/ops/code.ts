import type { BlobId, FileIndex } from '../domain/code.ts'
import { applyOverlay, type CodeView, type TreeKey, versionOf } from '../domain/code-view.ts'
import { Fault } from '../domain/fault.ts'
import type { RepoIndex } from './code-indexes.ts'
import type { Handler } from './deps.ts'
import { findRepo } from './lookup.ts'

/** Missing blobs named in one answer. */
const BLOBS_MAX = 2_000

const NOTHING = { total: 0, missing: 0, blobs: [], symbols: null } as const

/** What a client is to send before the daemon knows the code it stands on. */
export const indexState: Handler<'index.state'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const code = asCodeView(input.view)
  if (code === null) return { treeKnown: true, ...NOTHING }
  const index = indexes.of(repo.id)
  const tree = await index.tree(code.tree)
  if (tree === null) return { treeKnown: false, ...NOTHING }
  const entries = applyOverlay(tree, code.overlay)
  const missing = await index.missing(entries, versionOf(code.tree))
  return {
    treeKnown: true,
    total: entries.length,
    missing: missing.length,
    blobs: missing.slice(0, BLOBS_MAX),
    symbols: input.countSymbols ? await countSymbols(index, code) : null,
  }
}

async function countSymbols(index: RepoIndex, code: CodeView): Promise<number> {
  const view = await index.view(code)
  let count = 0
  for (const file of view?.lexical.byPath.values() ?? []) count += file.symbols.size
  return count
}

export const indexTree: Handler<'index.tree'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const part = input.entries.map(([path, blob]) => ({ path, blob: blob as BlobId | null }))
  const index = indexes.of(repo.id)
  const entries = await index.addToTree(input.tree as TreeKey, input.offset, part, input.last)
  return { entries }
}

export const indexFiles: Handler<'index.files'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const files = input.files.map((file) => ({ ...file, blob: file.blob as BlobId }))
  for (const file of files) assertConsistent(file)
  await store.putFiles(repo.id, input.version, files)
  indexes.of(repo.id).noteStored(
    input.version,
    files.map(({ blob }) => blob),
  )
  return { stored: files.length }
}

/** A file index whose numbers point where they should; it is searched without further checks. */
function assertConsistent(file: FileIndex): void {
  const inRange = (symbol: FileIndex['symbols'][number]) =>
    symbol.words.length % 2 === 0 &&
    symbol.words.every((word, place) => place % 2 === 1 || word < file.words.length)
  if (file.words.length === file.counts.length && file.symbols.every(inRange)) return
  throw new Fault(
    'bad_input',
    `The index of ${file.blob} does not fit together.`,
    'Update av on the machine that sent it.',
    { detail: { reason: 'bad_file_index', blob: file.blob } },
  )
}

type GivenView = {
  readonly tree: string
  readonly overlay: readonly {
    readonly path: string
    readonly blob: string | null
    readonly gone: boolean
  }[]
}

/** A checked view of the wire as the domain names it. */
export function asCodeView(given: GivenView | null): CodeView | null {
  if (given === null) return null
  const overlay = given.overlay.map((entry) => ({ ...entry, blob: entry.blob as BlobId | null }))
  return { tree: given.tree as TreeKey, overlay }
}
