import type { CommitId } from '../domain/repo.ts'
import type { Clone } from './clone.ts'
import { baseTree } from './commit.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'

/** What one path is on one side of a change. */
export type TreeSide = { readonly mode: string; readonly object: string }

export type TreeChange = {
  /** The bytes of the path, one character each: the same for every name, UTF-8 or not. */
  readonly path: string
  /** Null: there is nothing at the path. */
  readonly from: TreeSide | null
  readonly to: TreeSide | null
}

/** Git's spelling of a commit's files, null being the empty tree; `like` is of the same hash. */
export function treeName(commit: CommitId | null, like: CommitId): string {
  return commit ?? baseTree(null, like)
}

/** The paths that differ between two commits of the person's repository, in git's order. */
export async function changesBetween(
  host: Host,
  clone: Clone,
  from: string,
  to: string,
): Promise<TreeChange[]> {
  const flags = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=none']
  const ran = await git(host, clone, ['diff-tree', ...flags, '-O/dev/null', from, to])
  const parts = splitNul(ran.stdout).map((part) => part.toString('latin1'))
  const changes: TreeChange[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [fromMode = '', toMode = '', fromObject = '', toObject = ''] =
      parts[i]?.slice(1).split(' ') ?? []
    changes.push({
      path: parts[i + 1] ?? '',
      from: side(fromMode, fromObject),
      to: side(toMode, toObject),
    })
  }
  return changes
}

/** The folders above a path, the nearest last: `a`, `a/b` of `a/b/c`. */
export function foldersAbove(path: string): string[] {
  const above: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    above.push(path.slice(0, at))
  }
  return above
}

/** The name as text: bytes that are not UTF-8 show as U+FFFD. */
export function shownPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

function side(mode: string, object: string): TreeSide | null {
  return /^0+$/.test(mode) ? null : { mode, object }
}
