import { join } from 'node:path'
import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import type { Clone } from '../workspace/clone.ts'
import { isGone } from '../workspace/mend.ts'
import { listWorkspaces, type Workspace } from '../workspace/registry.ts'
import { startWorkspace } from '../workspace/start.ts'
import { continueFrom } from '../workspace/takeover.ts'
import { workspaceOf } from './code-at-hand.ts'
import type { Place } from './place.ts'
import type { Session } from './session.ts'
import { bringCommits } from './task-commits.ts'

/**
 * The folder of a task's present claim on this machine. One of an earlier claim is somebody's last state: it stays
 * where it is, and nothing is written from it any more.
 */
export function currentFolder(place: Place, task: TaskView): Workspace | null {
  return folderOfClaim(place, task.id, task.generation)
}

/** The folder that a claim worked in on this machine; null: it had none here, or it went on in a later claim's. */
export function folderOfClaim(place: Place, task: string, generation: number): Workspace | null {
  if (place.clone === null) return null
  const all = listWorkspaces(place.clone).filter((workspace) => workspace.task === task)
  return (
    all.find((workspace) => workspace.generation === generation) ??
    all.find((workspace) => workspace.generation === null && workspace.name === task) ??
    null
  )
}

/** What a folder begins with, when it is not the task's last checkpoint. */
export type Beginning = { readonly base: CommitId | null; readonly tip: CommitId | null }

/**
 * Makes a folder for the present claim, unless there is one: with the files of the task's last state, on its base.
 * Never an earlier claim's.
 */
export async function makeFolder(
  session: Session,
  place: Place,
  clone: Clone,
  task: TaskView,
  beginning: Beginning = { base: task.base as CommitId | null, tip: task.head as CommitId | null },
): Promise<Workspace> {
  const there = currentFolder(place, task)
  if (there !== null) return there
  const { host, workspaces } = session.tools
  const { base, tip } = beginning
  session.invocation.progress?.('making the workspace', 0, 1)
  await bringCommits(session, clone, task.id, [base, tip])
  const name = nameFor(clone, task)
  const request = {
    task: task.id as TaskId,
    name,
    folder: join(workspaces, await folderName(session, place), name),
    base,
    title: firstLine(task.goal),
    generation: task.generation,
  }
  const started =
    tip === null
      ? await startWorkspace(host, clone, request)
      : await continueFrom(host, clone, { ...request, tip, conflicted: task.conflicted })
  return started.workspace
}

/** Somebody's last state, which the task does not go on from: it may hold what no checkpoint has. */
export function warnOfEarlier(session: Session, place: Place, task: string): void {
  const left = workspaceOf({ ...place, workspace: null }, task)
  if (left === null || isGone(left)) return
  session.warnings.push(
    `${left.folder} is of an earlier claim: what was edited there after the last checkpoint is there still.`,
  )
}

/** The task's id, or with its generation behind it where an earlier claim has that name here. */
function nameFor(clone: Clone, task: TaskView): string {
  const isTaken = listWorkspaces(clone).some(({ name }) => name === task.id)
  return isTaken ? `${task.id}.g${task.generation}` : task.id
}

/** The repo's name, made fit for a folder. */
async function folderName(session: Session, place: Place): Promise<string> {
  const { items } = await session.call('repo.list', {})
  const name = items.find(({ id }) => id === place.repo)?.repo ?? place.repo
  return name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '') || place.repo
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, 200)
}

export function noFolder(task: string): Fault {
  return new Fault(
    'not_found',
    `The task ${task} has no workspace on this machine.`,
    'Go to its workspace, or make it with `av task path`.',
    { detail: { reason: 'no_workspace', task } },
  )
}
