import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobId } from '../domain/code.ts'
import type { CodeView, OverlayEntry, TreeEntry, TreeKey } from '../domain/code-view.ts'
import { OVERLAY_MAX } from '../domain/code-view.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { languageClass } from '../source/languages.ts'
import { FILE_BYTES_MAX, leftOutByPath } from '../source/left-out.ts'
import { INDEX_VERSION } from '../source/version.ts'
import { linguistMarks } from '../workspace/attributes.ts'
import { readBlobs } from '../workspace/blobs.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import type { Host } from '../workspace/host.ts'
import { type DiskFile, overlay } from '../workspace/overlay.ts'
import { readEntry, type Workspace } from '../workspace/registry.ts'
import { checkoutGround, type Ground, workspaceGround } from '../workspace/scan.ts'
import { listTree, treeOf } from '../workspace/tree.ts'

/**
 * Some code at hand: a commit of the store and, where there is a folder, what differs from it
 * there. Files that are not worth indexing are listed as left out.
 */
export class Code {
  private listed: Promise<readonly TreeEntry[]> | null = null

  private constructor(
    private readonly host: Host,
    private readonly clone: Clone,
    private readonly base: CommitId | null,
    private readonly ground: Ground | null,
  ) {}

  static ofWorkspace(host: Host, workspace: Workspace): Code {
    const base = readEntry(workspace.clone, workspace.name)?.base ?? null
    return new Code(host, workspace.clone, base, workspaceGround(workspace))
  }

  /** A person's checkout, compared with trunk. */
  static ofCheckout(host: Host, clone: Clone, root: string, trunk: CommitId | null): Code {
    return new Code(host, clone, trunk, checkoutGround(clone, root))
  }

  static ofCommit(host: Host, clone: Clone, commit: CommitId): Code {
    return new Code(host, clone, commit, null)
  }

  /** What the daemon is told of it; `changed`: every path that differs from the base on disk. */
  async view(): Promise<{ readonly view: CodeView; readonly changed: readonly string[] }> {
    const [tree, files] = await Promise.all([
      treeOf(this.host, this.store, this.base),
      this.ground === null ? [] : overlay(this.host, this.ground, this.base, FILE_BYTES_MAX),
    ])
    if (files.length > OVERLAY_MAX) throw tooManyChanges(files.length)
    const key = `${tree ?? EMPTY_TREE}/${INDEX_VERSION}` as TreeKey
    const entries = await this.overlayEntries(files)
    return { view: { tree: key, overlay: entries }, changed: files.map(({ path }) => path) }
  }

  /** The files of the base, which git is asked for once. */
  listing(): Promise<readonly TreeEntry[]> {
    this.listed ??= this.list()
    return this.listed
  }

  private async list(): Promise<readonly TreeEntry[]> {
    const files = await listTree(this.host, this.store, this.base)
    const plain = files.filter(({ mode }) => mode !== '160000')
    const marked = await this.marked(plain.map(({ path }) => path))
    return plain.map(({ path, blob, mode, size }) => ({
      path,
      blob: isLeftOut(path, mode, size) || marked.has(path) ? null : fileKey(blob, path),
    }))
  }

  /**
   * The contents of files of the base and of the folder, as they come; one that cannot be had any
   * more has none.
   */
  async *contents(
    files: readonly { readonly path: string; readonly blob: BlobId }[],
    onDisk: ReadonlySet<string>,
  ): AsyncGenerator<{ path: string; blob: BlobId; bytes: Uint8Array | null }> {
    const stored = files.filter(({ path }) => !onDisk.has(path))
    let at = 0
    const ids = stored.map(({ blob }) => gitBlob(blob))
    for await (const { bytes } of readBlobs(this.host, this.store, ids, FILE_BYTES_MAX)) {
      const file = stored[at++]
      if (file) yield { ...file, bytes }
    }
    for (const file of files) {
      if (onDisk.has(file.path)) yield { ...file, bytes: this.readDisk(file) }
    }
  }

  /** Null unless what lies there is still what was hashed: an index is kept by content, for good. */
  private readDisk({ path, blob }: { readonly path: string; readonly blob: BlobId }) {
    if (this.ground === null) return null
    const file = join(this.ground.folder, path)
    try {
      if (!lstatSync(file).isFile()) return null
      const bytes = readFileSync(file)
      return isContentOf(gitBlob(blob), bytes) ? bytes : null
    } catch {
      return null
    }
  }

  private get store() {
    return { gitDir: storeGit(this.clone) }
  }

  private async overlayEntries(files: readonly DiskFile[]): Promise<OverlayEntry[]> {
    const marked = await this.marked(files.map(({ path }) => path))
    return files.map(({ path, blob, mode, size }) => {
      if (mode === null) return { path, blob: null, gone: true }
      const leftOut = blob === null || isLeftOut(path, mode, size) || marked.has(path)
      return { path, blob: leftOut ? null : fileKey(blob, path), gone: false }
    })
  }

  /** Paths that the repository's own attributes call generated or vendored. */
  private async marked(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set()
    // Without a folder the rules are the same: only the base's own attributes count.
    const ground = this.ground ?? checkoutGround(this.clone, this.clone.dir)
    return new Set((await linguistMarks(this.host, ground, this.base, paths)).keys())
  }
}

/** Git's name for no files at all: the tree of a repository without commits. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

function isLeftOut(path: string, mode: string | null, size: number): boolean {
  return mode === '120000' || size > FILE_BYTES_MAX || leftOutByPath(path) !== null
}

/** See `BlobId`: the content, and what the path says of its language. */
function fileKey(blob: BlobId, path: string): BlobId {
  const kind = languageClass(path)
  return (kind === 'text' ? blob : `${blob}.${kind}`) as BlobId
}

function gitBlob(key: BlobId): BlobId {
  return key.split('.', 1)[0] as BlobId
}

function isContentOf(blob: BlobId, bytes: Uint8Array): boolean {
  const hash = createHash(blob.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === blob
}

function tooManyChanges(count: number): Fault {
  return new Fault(
    'too_large',
    `${count} files differ from the commit this stands on; the limit is ${OVERLAY_MAX}.`,
    'Let .gitignore name what is built or downloaded, or commit what belongs to the repository.',
    { detail: { reason: 'overlay_too_large', files: count, limit: OVERLAY_MAX } },
  )
}
