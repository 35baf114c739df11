import type { Output } from '../api/routes.ts'
import type { IndexView } from '../api/views.ts'
import type { BlobId, FileIndex } from '../domain/code.ts'
import { applyOverlay, type CodeView, type TreeEntry, versionOf } from '../domain/code-view.ts'
import type { RepoId } from '../domain/repo.ts'
import type { Code } from './code.ts'
import type { Session } from './session.ts'

/** Entries of a listing, and bytes of file indexes, in one call. */
const ENTRIES_A_CALL = 20_000
/** The daemon takes the first calls in while the rest is still parsed. */
const BYTES_A_CALL = 512 * 1024
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
  return sendMissing(session, repo, code, view, await askState(session, repo, code, view))
}

/** The same where the daemon was asked already. */
export async function sendMissing(
  session: Session,
  repo: RepoId,
  code: Code,
  view: CodeView,
  state: Output<'index.state'>,
): Promise<Omit<IndexView, 'symbols'>> {
  const counts = { indexed: 0, bytes: 0, unparsable: 0, leftOut: 0 }
  const onDisk = new Set(view.overlay.map(({ path }) => path))
  let { missing, blobs } = state
  while (missing > 0) {
    const sent = counts.indexed
    const wanted = await filesOf(code, view, blobs as readonly BlobId[])
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
    if (counts.indexed - sent === missing) break
    const next = await session.call('index.state', { repo, view })
    // What could not be read vanished meanwhile; the next view will not name it.
    if (next.missing >= missing) break
    missing = next.missing
    blobs = next.blobs
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

type FileAt = { readonly path: string; readonly blob: BlobId }

/** One path for each of some contents. What was edited tells its own, and spares the listing of all. */
async function filesOf(
  code: Code,
  view: CodeView,
  blobs: readonly BlobId[],
): Promise<readonly FileAt[]> {
  const edited = firstPaths(view.overlay)
  const known = blobs.every((blob) => edited.has(blob))
    ? edited
    : firstPaths(applyOverlay(await code.listing(), view.overlay))
  return blobs.flatMap((blob) => known.get(blob) ?? [])
}

function firstPaths(entries: readonly TreeEntry[]): ReadonlyMap<BlobId, FileAt> {
  const files = new Map<BlobId, FileAt>()
  for (const { path, blob } of entries) {
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

/** Gathers file indexes into calls of a bounded size, of which one is under way while the next is gathered. */
class Batch {
  private files: FileIndex[] = []
  private bytes = 0
  private sending: Promise<unknown> = Promise.resolve()

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
    if (this.bytes >= BYTES_A_CALL || this.files.length >= FILES_A_CALL) await this.send()
  }

  /** Resolves when all that was added is stored. */
  async flush(): Promise<void> {
    await this.send()
    await this.sending
  }

  private async send(): Promise<void> {
    await this.sending
    if (this.files.length === 0) return
    const { files, repo, version } = this
    this.files = []
    this.bytes = 0
    this.sending = this.session.call('index.files', { repo, version, files })
    // Told to whoever adds or flushes next.
    this.sending.catch(() => {})
  }
}
