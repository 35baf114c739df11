import type { BlobId } from '../domain/code.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { commitId, type TreeId, treeId } from './commit.ts'
import { type GitPlace, git, nameText, splitNul } from './git.ts'
import type { Host } from './host.ts'

/** Git's words for what stands at a path: a file, an executable, a symbolic link, a submodule. */
export type FileMode = '100644' | '100755' | '120000' | '160000'

export type TreeFile = {
  /** Repo-relative, with `/`, as git has it (a name may hold any character but NUL). */
  readonly path: string
  readonly mode: FileMode
  readonly blob: BlobId
  /** Bytes; 0 for a submodule. */
  readonly size: number
}

export type RawTreeEntry = {
  readonly name: Buffer
  readonly mode: string
  readonly object: string
  readonly size: number
}

const LS_TREE_MS = 120_000

/**
 * Every file of a commit, in git's order (by the bytes of the path); submodules are among them.
 * Faults with `unsupported` when a name is not UTF-8. A conflicted commit lists jj's own
 * `.jjconflict-*` folders: read the task's base, or the files on disk, instead.
 */
export async function listTree(
  host: Host,
  place: GitPlace,
  commit: CommitId | null,
): Promise<TreeFile[]> {
  if (commit === null) return []
  return (await listRawTree(host, place, commit)).map(({ name, mode, object, size }) => {
    const path = nameText(name)
    if (path === null) throw notUtf8([name])
    return { path, mode: fileMode(mode), blob: object as BlobId, size }
  })
}

/** `ls-tree` with names as bytes: what `listTree` and the survey of trunk stand on. */
export async function listRawTree(
  host: Host,
  place: GitPlace,
  commit: CommitId,
): Promise<RawTreeEntry[]> {
  const args = ['ls-tree', '-r', '-z', '-l', '--full-tree', commit]
  const ran = await git(host, place, args, { timeoutMs: LS_TREE_MS })
  return splitNul(ran.stdout).map((line) => {
    const tab = line.indexOf(9)
    const [mode = '', , object = '', size = ''] = line
      .subarray(0, tab)
      .toString('latin1')
      .split(/ +/)
    return { name: line.subarray(tab + 1), mode, object, size: Number(size) || 0 }
  })
}

/** The tree of a commit: two commits with the same one hold the same files, byte for byte. */
export async function treeOf(
  host: Host,
  place: GitPlace,
  commit: CommitId | null,
): Promise<TreeId | null> {
  if (commit === null) return null
  const ran = await git(host, place, ['rev-parse', '--verify', `${commit}^{tree}`])
  return treeId(ran.stdout.toString('utf8'))
}

/**
 * The full id of the commit that `revision` (a branch, tag, commit id or its beginning) names in a
 * repository, or null when it names none.
 */
export async function resolveCommit(
  host: Host,
  place: GitPlace,
  revision: string,
): Promise<CommitId | null> {
  const wanted = `${revision}^{commit}`
  const args = ['rev-parse', '-q', '--verify', '--end-of-options', wanted]
  const ran = await git(host, place, args, { answers: [1, 128] })
  return ran.exitCode === 0 ? commitId(ran.stdout.toString('utf8')) : null
}

/** The first parent of a commit; null for one that stands on nothing. */
export async function firstParent(
  host: Host,
  place: GitPlace,
  commit: CommitId,
): Promise<CommitId | null> {
  return resolveCommit(host, place, `${commit}^1`)
}

export function notUtf8(names: readonly Uint8Array[]): Fault {
  const shown = names.slice(0, 5).map((name) => `"${escapedName(name)}"`)
  return new Fault(
    'unsupported',
    `File names that are not UTF-8, which jj cannot read: ${shown.join(', ')}${names.length > 5 ? ', …' : ''}.`,
    'Rename them on trunk by git, and commit.',
    { detail: { reason: 'non_utf8_trunk', names: names.slice(0, 100).map(escapedName) } },
  )
}

function escapedName(name: Uint8Array): string {
  const text = Buffer.from(name).toString('latin1')
  return text.replace(
    /[^\x20-\x7e]|["\\]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

function fileMode(mode: string): FileMode {
  switch (mode) {
    case '100755':
    case '120000':
    case '160000':
      return mode
    default:
      // 100644, and 100664 of very old commits.
      return '100644'
  }
}
