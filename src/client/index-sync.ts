import type { IndexView } from '../api/views.ts'
import type { BlobId, FileIndex } from '../domain/code.ts'
import { applyOverlay, type CodeView, versionOf } from '../domain/code-view.ts'
import type { RepoId } from '../domain/repo.ts'
import type { Code } from './code.ts'
import type { Session } from './session.ts'

/** Entries of a listing, and bytes of file indexes, in one call. */
const ENTRIES_A_CALL = 20_000
const BYTES_A_CALL = 2 * 1024 * 1024
const FILES_A_CALL = 500

/**
 * Brings the daemon's index of some code up to date: sends the listing of a tree it does not know,
 * and what is found in files it has not seen, each once, ever.
 */
export async function syncIndex(
  session: Session,
  repo: RepoId,
  code: Code,
  view: CodeView,
): Promise<Omit<IndexView, 'symbols'>> {
  const state = await askState(session, repo, code, view)
  const counts = { indexed: 0, bytes: 0, unparsable: 0, leftOut: 0 }
  if (state.missing === 0) return { files: state.total, ...counts }
  const files = await filesOf(code, view)
  const onDisk = new Set(view.overlay.map(({ path }) => path))
  let blobs = state.blobs as readonly BlobId[]
  let left = state.missing
  while (blobs.length > 0) {
    const wanted = blobs.flatMap((blob) => files.get(blob) ?? [])
    const batch = new Batch(session, repo, versionOf(view.tree))
    for await (const index of fileIndexes(code, wanted, onDisk)) {
      counts.indexed++
      counts.bytes += index.bytes
      if (index.status === 'unparsable') counts.unparsable++
      if (index.status === 'left_out') counts.leftOut++
      await batch.add(index)
      session.invocation.progress?.('indexing', counts.indexed, state.missing)
    }
    await batch.flush()
    const next = await session.call('index.state', { repo, view })
    // What could not be read vanished meanwhile; the next view will not name it.
    if (next.missing >= left) break
    left = next.missing
    blobs = next.blobs as readonly BlobId[]
  }
  return { files: state.total, ...counts }
}

/** What the daemon lacks, once it has the listing. */
export async function askState(session: Session, repo: RepoId, code: Code, view: CodeView) {
  const state = await session.call('index.state', { repo, view })
  if (state.treeKnown) return state
  const entries = await code.listing()
  const last = Math.max(0, Math.ceil(entries.length / ENTRIES_A_CALL) - 1)
  for (let part = 0; part <= last; part++) {
    const offset = part * ENTRIES_A_CALL
    const some = entries.slice(offset, offset + ENTRIES_A_CALL)
    await session.call('index.tree', {
      repo,
      tree: view.tree,
      offset,
      entries: some.map(({ path, blob }) => [path, blob]),
      last: part === last,
    })
  }
  return session.call('index.state', { repo, view })
}

/** One path for each content; the first by the listing's order. */
async function filesOf(code: Code, view: CodeView) {
  const files = new Map<BlobId, { readonly path: string; readonly blob: BlobId }>()
  for (const { path, blob } of applyOverlay(await code.listing(), view.overlay)) {
    if (blob !== null && !files.has(blob)) files.set(blob, { path, blob })
  }
  return files
}

/** What is found in the contents of some code; of one that vanished, nothing. */
export async function* fileIndexes(
  code: Code,
  wanted: readonly { readonly path: string; readonly blob: BlobId }[],
  onDisk: ReadonlySet<string>,
): AsyncGenerator<FileIndex> {
  // Parsers are loaded only when there is something to parse.
  const { indexFiles } = await import('../source/index-files.ts')
  for await (const result of indexFiles(code.contents(wanted, onDisk), wanted.length)) {
    yield result.kind === 'indexed' ? result.index : leftOut(result.blob)
  }
}

/** Known to hold nothing worth a word, so that it is not read again. */
function leftOut(blob: BlobId): FileIndex {
  const none = { bytes: 0, lines: 0, hash: '-', words: [], counts: [], symbols: [] }
  return { blob, language: 'none', status: 'left_out', ...none }
}

/** Gathers file indexes into calls of a bounded size. */
class Batch {
  private files: FileIndex[] = []
  private bytes = 0

  constructor(
    private readonly session: Session,
    private readonly repo: RepoId,
    private readonly version: string,
  ) {}

  async add(file: FileIndex): Promise<void> {
    this.files.push(file)
    // JSON of an index takes about its content's size; words and symbols bound it from above.
    this.bytes += file.words.length * 12 + file.symbols.length * 400
    for (const link of file.links ?? []) this.bytes += link.length * 30
    if (this.bytes >= BYTES_A_CALL || this.files.length >= FILES_A_CALL) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.files.length === 0) return
    const { files } = this
    this.files = []
    this.bytes = 0
    await this.session.call('index.files', { repo: this.repo, version: this.version, files })
  }
}
