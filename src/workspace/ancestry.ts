import type { CommitId } from '../domain/repo.ts'
import { type Clone, storeGit } from './clone.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'

/** Whether the history of `of` holds `ancestor`; a commit is an ancestor of itself. */
export async function isAncestor(
  host: Host,
  clone: Clone,
  ancestor: CommitId,
  of: CommitId,
): Promise<boolean> {
  if (ancestor === of) return true
  const args = ['merge-base', '--is-ancestor', ancestor, of]
  const ran = await git(host, { gitDir: storeGit(clone) }, args, { answers: [1] })
  return ran.exitCode === 0
}
