import type { CommitId } from '../domain/repo.ts'
import { adoptCommit, fetchObjects, travelRef } from './attach.ts'
import { hasCommit } from './bundle.ts'
import { type Clone, storeGit } from './clone.ts'
import { inspectCommits } from './commit-inspection.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { askRef, CHECKED, download, findRemote, pushRefused, saidBy, upload } from './remote.ts'

/**
 * The other way for a task's commits, where a bundle is too small: a ref of their own on the team's
 * remote, named by the commit, which no `git fetch` of anybody brings along.
 * Faults: `refused_rule`, reason `push_refused`; `conflict`, reason `remote_unreachable`;
 * `not_found`, reason `remote_unknown`.
 */
export async function sendCommit(
  host: Host,
  clone: Clone,
  remote: string,
  commit: CommitId,
): Promise<void> {
  const found = await findRemote(host, clone, remote)
  const ref = sentRef(commit)
  const pushed = await upload(found, clone, [], `${commit}:${ref}`)
  if (pushed.exitCode === 0 || (await askRef(found, ref)) === commit) return
  const next = 'Take large files out of the task, or ask who runs the server to allow refs/av/.'
  throw pushRefused(found, ref, saidBy(pushed), next)
}

/**
 * Takes in a commit that `sendCommit` left on the remote; false when it is not there. What it
 * brings is looked at as a bundle is: faults with `internal`, reason `bundle_corrupt`, too.
 */
export async function receiveCommit(
  host: Host,
  clone: Clone,
  remote: string,
  commit: CommitId,
): Promise<boolean> {
  if (await hasCommit(host, clone, commit)) return true
  const found = await findRemote(host, clone, remote)
  if ((await askRef(found, sentRef(commit))) !== commit) return false
  await download(found, sentRef(commit), CHECKED)
  await fetchObjects(host, clone, commit)
  const store = { gitDir: storeGit(clone) }
  const run = (args: readonly string[], stdin?: Uint8Array) =>
    git(host, store, args, stdin === undefined ? {} : { stdin })
  await inspectCommits(run, commit, ['--not', '--branches', '--remotes'])
  await adoptCommit(host, clone, commit, travelRef(commit))
  return true
}

const sentRef = (commit: CommitId) => `refs/av/${commit}`
