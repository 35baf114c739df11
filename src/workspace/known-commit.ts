import type { CommitId } from '../domain/repo.ts'
import { adoptCommit, travelRef } from './attach.ts'
import type { Clone } from './clone.ts'
import { hasReason } from './diagnosis.ts'
import type { Host } from './host.ts'
import { readRevisions } from './revision.ts'

/**
 * A commit that jj made in an operation left uncommitted, or that came in a bundle, lies in the
 * store unknown to jj's index. A ref makes it known, and keeps it.
 */
export async function showToJj(host: Host, clone: Clone, commit: CommitId): Promise<void> {
  if (await isKnown(host, clone, commit)) return
  await adoptCommit(host, clone, commit, travelRef(commit))
}

async function isKnown(host: Host, clone: Clone, commit: CommitId): Promise<boolean> {
  try {
    const { revisions } = await readRevisions(host, clone, commit, { ignoreFiles: true })
    return revisions.length === 1
  } catch (thrown) {
    if (hasReason(thrown, 'bad_revision')) return false
    throw thrown
  }
}
