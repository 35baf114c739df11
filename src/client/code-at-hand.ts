import type { TaskView } from '../api/views.ts'
import type { CommitId } from '../domain/repo.ts'
import { pull, storedTrunk } from '../workspace/attach.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import type { Host } from '../workspace/host.ts'
import { listWorkspaces, type Workspace } from '../workspace/registry.ts'
import { resolveCommit } from '../workspace/tree.ts'
import { Code } from './code.ts'
import type { Place } from './place.ts'

/** The code of the folder one stands in: a workspace's, or the checkout's. Null without a clone. */
export async function codeHere(host: Host, place: Place): Promise<Code | null> {
  const { clone, workspace, root } = place
  if (workspace !== null) return Code.ofWorkspace(host, workspace)
  if (clone === null) return null
  return Code.ofCheckout(host, clone, root, await trunkHere(host, clone))
}

/**
 * The code of a task: its workspace's on this machine, else its last checkpoint's or its base's
 * where the store has the commit; null where nothing of it is at hand.
 */
export async function codeOfTask(host: Host, place: Place, task: TaskView): Promise<Code | null> {
  const { clone } = place
  if (clone === null) return null
  const workspace = workspaceOf(place, task.id)
  // The folder of an earlier claim may be far behind: the work goes on elsewhere.
  const isCurrent = workspace?.generation === null || workspace?.generation === task.generation
  if (workspace !== null && (isCurrent || workspace === place.workspace)) {
    return Code.ofWorkspace(host, workspace)
  }
  const commit = (task.head ?? task.base) as CommitId | null
  if (commit === null) return null
  const known = await resolveCommit(host, { gitDir: storeGit(clone) }, commit)
  return known === null ? null : Code.ofCommit(host, clone, known)
}

/** The task's workspace on this machine: the one stood in, else that of the newest claim. */
export function workspaceOf(place: Place, task: string): Workspace | null {
  if (place.workspace?.task === task) return place.workspace
  if (place.clone === null) return null
  const made = listWorkspaces(place.clone).filter((workspace) => workspace.task === task)
  const newestLast = made.toSorted((a, b) => (a.generation ?? 0) - (b.generation ?? 0))
  return newestLast.at(-1) ?? null
}

/** Trunk as it is now, brought into the store. */
export async function trunkHere(host: Host, clone: Clone): Promise<CommitId | null> {
  return (await pull(host, clone)).commit ?? (await storedTrunk(host, clone))
}
