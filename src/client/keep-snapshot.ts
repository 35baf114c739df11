import type { CheckpointView, TaskView } from '../api/views.ts'
import { CHECKPOINT_STATES, refusedTransition } from '../domain/lifecycle.ts'
import type { CommitId } from '../domain/repo.ts'
import { isAncestor } from '../workspace/ancestry.ts'
import { checkpoint, type Snapshot } from '../workspace/checkpoint.ts'
import type { Clone } from '../workspace/clone.ts'
import { patchIdentity } from '../workspace/patch.ts'
import { refresh } from '../workspace/refresh.ts'
import type { Workspace } from '../workspace/registry.ts'
import { trial } from '../workspace/trial.ts'
import { changedSymbols } from './changed-symbols.ts'
import { workspaceOf } from './code-at-hand.ts'
import { findPlace, needClone, type Place, taskIdAt } from './place.ts'
import type { HeldTask, Session } from './session.ts'
import { sendCommits } from './task-commits.ts'
import { noFolder } from './task-folder.ts'
import { trunkForWork } from './trunk-slot.ts'

/** A workspace that the caller may write from, its claim judged. */
export type Held = {
  readonly place: Place
  readonly clone: Clone
  readonly workspace: Workspace
  readonly claim: HeldTask
  readonly task: TaskView
}

/**
 * The workspace one stands in (or the one of `AV_TASK`), after the daemon judged the claim: before anything runs in
 * the folder.
 * @throws Fault `not_found`, `claim_lost`, `refused_rule`
 */
export async function heldWorkspace(session: Session): Promise<Held> {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = await taskIdAt(session, place, undefined)
  const workspace = workspaceOf(place, id)
  if (workspace === null) throw noFolder(id)
  const claim = { repo: place.repo, task: id, folder: workspace.generation }
  const task = await session.callFor(claim, 'task.check', { repo: place.repo, task: id })
  return { place, clone, workspace, claim, task }
}

/**
 * Snapshots a workspace and keeps it as the task's newest checkpoint, whose commits others can fetch where the store is
 * shared. The claim is judged once more, in the statement that keeps it.
 */
export async function keepSnapshot(
  session: Session,
  held: Held,
  message: string | null,
): Promise<{ readonly snapshot: Snapshot; readonly checkpoint: CheckpointView }> {
  const { clone, workspace, claim, task } = held
  if (!(CHECKPOINT_STATES as readonly string[]).includes(task.state)) {
    throw refusedTransition({ ...task, id: workspace.task }, 'checkpoint')
  }
  const snapshot = await upToDate(session, held, await checkpoint(session.host, workspace))
  if (snapshot.attention !== null) {
    session.warnings.push(
      `The workspace was not as it was left (${snapshot.attention.reason}); all of it is kept: ${snapshot.attention.commits.join(', ')}.`,
    )
  }
  const fields = await snapshotFields(session, clone, snapshot)
  const span = { base: snapshot.base, tip: snapshot.commit }
  await sendCommits(session, clone, task.id, span, claim)
  const kept = await session.callFor(claim, 'checkpoint', {
    ...(message !== null && { message }),
    ...{ repo: claim.repo, task: claim.task },
    ...fields,
  })
  return { snapshot, checkpoint: kept }
}

/** A snapshot in the words of the contract. */
export async function snapshotFields(session: Session, clone: Clone, snapshot: Snapshot) {
  const { commit, change, base, files, patch, incomplete, tree, conflict, conflicts } = snapshot
  const symbols = conflict ? [] : await changedSymbols(session.host, clone, { base, tip: commit })
  return {
    ...{ commit, change, base, files, symbols, incomplete, conflicts },
    patch: patch === null ? 'none' : patchIdentity(patch),
    tree: conflict ? null : tree,
  }
}

/**
 * What the owner's machine has still to do before the snapshot tells the truth: a task on top of one that was merged
 * moves to trunk; a conflict that somebody met elsewhere comes into the files.
 */
async function upToDate(session: Session, held: Held, snapshot: Snapshot): Promise<Snapshot> {
  const { clone, workspace, task } = held
  if (snapshot.conflicts.length > 0 || snapshot.conflict) return snapshot
  const { base, commit: tip } = snapshot
  if (base === null || (task.parent === null && task.state !== 'conflicted')) return snapshot
  const trunk = await trunkForWork(session, clone)
  if (trunk === null || base === trunk) return snapshot
  if (task.state === 'conflicted') {
    const tried = await trial(session.host, clone, { base, tip, onto: trunk })
    if (!tried.conflict) return snapshot
    session.warnings.push('It conflicts with trunk; the conflicts are in the files now.')
    return refresh(session.host, workspace, trunk)
  }
  if (!(await parentLanded(session, held, trunk, base))) return snapshot
  const moved = await refresh(session.host, workspace, trunk)
  const conflicts = moved.conflicts.length > 0 ? ', with conflicts to resolve' : ''
  session.warnings.push(`${task.parent} was merged: the task stands on trunk now${conflicts}.`)
  return moved
}

/** Whether the parent is part of trunk, and the task stands still on what the parent was before. */
async function parentLanded(
  session: Session,
  { clone, claim, task }: Held,
  trunk: CommitId,
  base: CommitId,
): Promise<boolean> {
  if (await isAncestor(session.host, clone, base, trunk)) return false
  const parent = await session.call('task.show', { task: task.parent ?? '', repo: claim.repo })
  if (parent.state !== 'merged' || parent.landed === null) return false
  return isAncestor(session.host, clone, parent.landed as CommitId, trunk)
}
