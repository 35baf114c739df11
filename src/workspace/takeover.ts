import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Snapshot, snapshot } from './checkpoint.ts'
import { type Clone, lockFile, storeGit } from './clone.ts'
import type { Host } from './host.ts'
import { jj } from './jj.ts'
import { showToJj } from './known-commit.ts'
import { withLock } from './lock.ts'
import { folderMissing, isGone, mendInPlace, readyEntry } from './mend.ts'
import { listEntries, type Workspace } from './registry.ts'
import { readRevision } from './revision.ts'
import { type Started, type StartRequest, startFilled } from './start.ts'
import { treeOf } from './tree.ts'

export type Continuation = StartRequest & {
  /** The last recorded state of the workspace before, a commit in the store; null when there is none. */
  readonly tip: CommitId | null
  /** Files of an unsettled conflict, where the old workspace's entry is not on this machine. */
  readonly conflicted?: readonly string[]
}

/**
 * A fresh folder that continues from another's tip: the base is kept, the tree equals the tip's
 * (verified), conflicts included, in one change of its own. Being no descendant of the old
 * workspace's commits, it stays as it is whatever happens in the old folder, which is not touched.
 * Repeating it returns the folder as it is now. Faults: as `startWorkspace`, and `internal`, reason
 * `tree_differs`, when this disk cannot hold the tip's files as they are.
 */
export async function continueFrom(
  host: Host,
  clone: Clone,
  request: Continuation,
): Promise<Started> {
  const { tip, conflicted = [], ...start } = request
  if (request.base !== null) await showToJj(host, clone, request.base)
  if (tip === null) return startFilled(host, clone, start, async () => conflicted)
  await showToJj(host, clone, tip)
  const inherited = listEntries(clone)
    .filter((entry) => entry.task === request.task && entry.name !== request.name)
    .flatMap((entry) => entry.conflicted)
  return startFilled(host, clone, start, async (held, workspace) => {
    await fillFrom(held, workspace, tip)
    return [...conflicted, ...inherited]
  })
}

/**
 * Puts the content of `from` (a commit in the store, with conflicts or without) into the files of
 * the workspace, in place of what is there, and takes a snapshot: for a revert that conflicts. What
 * was there before is a snapshot too. Faults as `checkpoint`.
 */
export async function restoreInto(
  host: Host,
  workspace: Workspace,
  from: CommitId,
): Promise<Snapshot> {
  const { clone, name } = workspace
  await showToJj(host, clone, from)
  return withLock(host, lockFile(clone, name), async (held) => {
    if (isGone(workspace)) throw folderMissing(workspace)
    await mendInPlace(held, workspace, readyEntry(workspace))
    await snapshot(held, workspace, readyEntry(workspace))
    await restore(held, workspace, from)
    return snapshot(held, workspace, readyEntry(workspace))
  })
}

async function fillFrom(host: Host, workspace: Workspace, tip: CommitId): Promise<void> {
  const { clone, folder } = workspace
  await restore(host, workspace, tip)
  // By a snapshot: what reached the disk counts, not what was meant to.
  const { revision } = await readRevision(host, clone, '@', { workspace: folder })
  const store = { gitDir: storeGit(clone) }
  const [wanted, found] = await Promise.all([
    treeOf(host, store, tip),
    treeOf(host, store, revision.commit),
  ])
  if (wanted === found) return
  throw new Fault(
    'internal',
    `The new folder does not hold what ${tip} does.`,
    'Set AV_WORKSPACES to a folder on a file system that tells upper from lower case, and repeat the command.',
    { detail: { reason: 'tree_differs', tip, wanted, found } },
  )
}

const RESTORE_MS = 600_000

async function restore(host: Host, workspace: Workspace, from: CommitId): Promise<void> {
  const { clone, folder } = workspace
  const args = ['restore', '--from', from]
  await jj(host, clone, args, { workspace: folder, timeoutMs: RESTORE_MS })
}
