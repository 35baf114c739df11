import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Snapshot, snapshot } from './checkpoint.ts'
import { lockFile } from './clone.ts'
import type { Host } from './host.ts'
import { jj } from './jj.ts'
import { withLock } from './lock.ts'
import { folderMissing, isGone, mendInPlace, readyEntry } from './mend.ts'
import type { Workspace } from './registry.ts'
import { moveShim } from './shim.ts'

const REBASE_MS = 600_000

/**
 * Rebases the task's own commits (`base..@`, nobody else's) in its own workspace onto `onto`, a
 * commit of the store: for a conflict that is to be resolved, and for a stacked task whose parent
 * landed. Conflicts stay in the files as git-style markers, and in the snapshot returned. The state
 * before is a snapshot of its own, readable by its id.
 *
 * jj takes a further snapshot itself before it writes files, under its own lock: an edit made until
 * then is in the rebased commit, and one in a file that trunk did not change is on disk afterwards
 * in any case. Only a write into a file that trunk changed too, in the milliseconds in which jj
 * replaces that file, can be lost; no lock keeps an agent's editor out.
 *
 * Faults: as `checkpoint`; `conflict`, reason `base_lost` or `several_bases`, when the task's own
 * commits cannot be told.
 */
export async function refresh(host: Host, workspace: Workspace, onto: CommitId): Promise<Snapshot> {
  const { clone, name, folder } = workspace
  return withLock(host, lockFile(clone, name), async (held) => {
    if (isGone(workspace)) throw folderMissing(workspace)
    await mendInPlace(held, workspace, readyEntry(workspace))
    const before = await snapshot(held, workspace, readyEntry(workspace))
    const lost = before.attention?.reason
    if (lost === 'base_lost' || lost === 'several_bases') throw unclear(workspace, lost)
    if (before.base === onto) return before
    // `-s` with the roots and never `-b`: that would take commits along that trunk has left behind.
    const own = `roots(${before.base ?? 'root()'}..@)`
    const args = ['rebase', '-s', own, '-o', onto]
    await jj(held, clone, args, { workspace: folder, timeoutMs: REBASE_MS })
    const after = await snapshot(held, workspace, { ...readyEntry(workspace), base: onto })
    await moveShim(held, workspace, onto)
    return after
  })
}

function unclear(workspace: Workspace, reason: 'base_lost' | 'several_bases'): Fault {
  return new Fault(
    'conflict',
    `Which commits are the own ones of ${workspace.task} cannot be told: its workspace was moved off its base by hand.`,
    'See `jj log` in the workspace, and put the task back on trunk there; every recorded state is kept.',
    { detail: { reason, task: workspace.task, folder: workspace.folder } },
  )
}
