import { z } from 'zod'
import type { ChangedFile, FileStatus } from '../domain/checkpoint.ts'
import type { BlobId } from '../domain/code.ts'
import { Fault } from '../domain/fault.ts'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Clone } from './clone.ts'
import { baseTree } from './commit.ts'
import { type GitPlace, git, nameText, splitNul } from './git.ts'
import type { Host } from './host.ts'
import { jj } from './jj.ts'

/** A file that differs between two commits, with what stands on either side (null: nothing). */
export type FileChange = ChangedFile & {
  readonly oldBlob: BlobId | null
  readonly newBlob: BlobId | null
  /** Git's mode, or null where nothing stands. */
  readonly oldMode: string | null
  readonly newMode: string | null
}

/** What a diff is taken between; a base of null is the empty tree. */
export type Span = { readonly base: CommitId | null; readonly tip: CommitId }

/** The files that differ, renames told, ordered by the bytes of the path. */
export async function changedFiles(
  host: Host,
  place: GitPlace,
  { base, tip }: Span,
): Promise<FileChange[]> {
  const args = ['diff-tree', '-r', '-M', '--raw', '-z', '--no-abbrev', '--no-ext-diff']
  const ran = await git(host, place, [...args, baseTree(base, tip), tip])
  const parts = splitNul(ran.stdout)
  const changes: FileChange[] = []
  for (let i = 0; i + 1 < parts.length; ) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = '', status = ''] = (
      parts[i++]?.subarray(1).toString('latin1') ?? ''
    ).split(' ')
    const renamed = status.startsWith('R') || status.startsWith('C')
    const from = renamed ? pathText(parts[i++]) : null
    changes.push({
      path: pathText(parts[i++]),
      from,
      status: statusOf(status),
      ...sides(oldMode, newMode, oldBlob, newBlob),
    })
  }
  return changes.sort((a, b) => compareBytes(a.path, b.path))
}

/**
 * The same for a commit that holds conflicts: git sees jj's own folders in it, so jj is asked,
 * and no side of a conflicted file has a content to name.
 */
export async function changedFilesOfConflict(
  host: Host,
  clone: Clone,
  { base, tip }: Span,
): Promise<ChangedFile[]> {
  const from = base ?? 'root()'
  const args = ['diff', '--from', from, '--to', tip, '-T', TEMPLATE]
  const ran = await jj(host, clone, args, { ignoreFiles: true })
  return ran.stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => {
      const { status, path, source } = line.parse(JSON.parse(text))
      return { status, path, from: source === path ? null : source }
    })
    .sort((a, b) => compareBytes(a.path, b.path))
}

const TEMPLATE = 'json({"status"=>status,"path"=>path,"source"=>source.path()})++"\\n"'
const line = z.strictObject({
  status: z.enum(['added', 'modified', 'removed', 'renamed', 'copied']),
  path: z.string(),
  source: z.string(),
})

const DIFF_BYTES_MAX = 16 * 1024 * 1024

/**
 * The change as a git diff for people, renames told, binary files named only. Bytes that are not
 * UTF-8 are replaced. Control characters stay in: whoever prints it takes care of them. Faults
 * with `too_large` over 16 MiB.
 */
export async function diffText(host: Host, place: GitPlace, { base, tip }: Span): Promise<string> {
  const args = ['diff-tree', '-r', '-p', '-M', '--full-index', '--no-ext-diff', '--no-textconv']
  const ran = await git(host, place, [...args, '--no-color', baseTree(base, tip), tip], {
    stdoutMax: DIFF_BYTES_MAX,
  })
  return ran.stdout.toString('utf8')
}

/** The same for a commit with conflicts, which are shown by their markers. */
export async function diffTextOfConflict(host: Host, clone: Clone, span: Span): Promise<string> {
  const args = ['diff', '--git', '--from', span.base ?? 'root()', '--to', span.tip]
  const ran = await jj(host, clone, args, { ignoreFiles: true })
  if (ran.stdout.length <= DIFF_BYTES_MAX) return ran.stdout.toString('utf8')
  throw new Fault('too_large', 'The diff is over 16 MiB.', 'Look at single files.', {
    detail: { reason: 'output_too_large' },
  })
}

function sides(oldMode: string, newMode: string, oldBlob: string, newBlob: string) {
  const absent = '000000'
  return {
    oldMode: oldMode === absent ? null : oldMode,
    newMode: newMode === absent ? null : newMode,
    oldBlob: oldMode === absent ? null : (oldBlob as BlobId),
    newBlob: newMode === absent ? null : (newBlob as BlobId),
  }
}

function statusOf(letter: string): FileStatus {
  switch (letter[0]) {
    case 'A':
      return 'added'
    case 'D':
      return 'removed'
    case 'R':
      return 'renamed'
    case 'C':
      return 'copied'
    default:
      // M, and T: a file that became a link, or the like.
      return 'modified'
  }
}

function pathText(bytes: Buffer | undefined): string {
  const path = bytes === undefined ? null : nameText(bytes)
  if (path !== null) return path
  throw new Fault('unsupported', 'A changed file has a name that is not UTF-8.', 'Rename it.', {
    detail: { reason: 'non_utf8_name' },
  })
}
