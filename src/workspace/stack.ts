import type { CommitId } from '../domain/repo.ts'
import { type Clone, storeGit } from './clone.ts'
import { commitId } from './commit.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { showToJj } from './known-commit.ts'
import { treeOf } from './tree.ts'

/**
 * The commit that a task stacked on another begins on: the parent's head, with the same files, as a
 * commit that nobody's jj rewrites. On the head itself the child would be moved, and its workspace
 * go stale, with each further snapshot of the parent. The same head gives the same commit, on every
 * machine; a parent that changed nothing yet gives its own base. Not for a head with conflicts.
 */
export async function stackBase(
  host: Host,
  clone: Clone,
  parent: { readonly base: CommitId | null; readonly head: CommitId },
): Promise<CommitId> {
  const store = { gitDir: storeGit(clone) }
  const [tree, before] = await Promise.all([
    treeOf(host, store, parent.head),
    treeOf(host, store, parent.base),
  ])
  if (parent.base !== null && tree === before) return parent.base
  const under = parent.base === null ? [] : ['-p', parent.base]
  const ran = await git(host, store, ['commit-tree', tree ?? '', ...under, '-F', '-'], {
    stdin: Buffer.from(`The state of ${parent.head} that another task stands on\n`),
    env: WHO,
  })
  const base = commitId(ran.stdout.toString('utf8'))
  await showToJj(host, clone, base)
  return base
}

const EPOCH = '@0 +0000'
const WHO = {
  GIT_AUTHOR_NAME: 'av',
  GIT_AUTHOR_EMAIL: 'av@localhost',
  GIT_AUTHOR_DATE: EPOCH,
  GIT_COMMITTER_NAME: 'av',
  GIT_COMMITTER_EMAIL: 'av@localhost',
  GIT_COMMITTER_DATE: EPOCH,
}
