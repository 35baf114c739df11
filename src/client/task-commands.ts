import { join } from 'node:path'
import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import { bringCommit } from '../workspace/attach.ts'
import { diffText, diffTextOfConflict } from '../workspace/changes.ts'
import { checkpoint as snapshotWorkspace } from '../workspace/checkpoint.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import { mend } from '../workspace/mend.ts'
import { patchIdentity } from '../workspace/patch.ts'
import type { Workspace } from '../workspace/registry.ts'
import { startWorkspace } from '../workspace/start.ts'
import { resolveCommit } from '../workspace/tree.ts'
import { checkTools } from '../workspace/versions.ts'
import { changedSymbols } from './changed-symbols.ts'
import { trunkHere, workspaceOf } from './code-at-hand.ts'
import { type Command, taskGiven } from './command.ts'
import { findPlace, needClone, type Place, taskIdAt } from './place.ts'
import type { Session } from './session.ts'

/**
 * Starts a task: the daemon keeps it, then its folder is made. Where that fails the task stays,
 * without a folder, and `av task path` makes it; so what can be known before is asked before.
 */
export const startTask: Command<'task.start'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  await checkTools(session.host)
  const parent =
    typeof given.parent === 'string' ? await showOne(session, place, given.parent) : null
  const base = await startingPoint(session, clone, given.from, parent)
  const task = await session.call('task.start', {
    ...given,
    goal: String(given.goal),
    repo: place.repo,
    base,
  })
  await session.grant(place.repo, task.id, task.generation)
  const workspace = await makeFolder(session, place, clone, task)
  return { ...task, workspace: workspace.folder }
}

async function startingPoint(
  session: Session,
  clone: Clone,
  from: unknown,
  parent: TaskView | null,
): Promise<CommitId | null> {
  const { host } = session
  if (parent !== null) return (parent.head ?? parent.base) as CommitId | null
  const trunk = await trunkHere(host, clone)
  if (typeof from !== 'string') return trunk
  const commit =
    (await resolveCommit(host, { gitDir: clone.gitDir }, from)) ??
    (await resolveCommit(host, { gitDir: storeGit(clone) }, from))
  if (commit === null) {
    throw new Fault(
      'not_found',
      `There is no commit ${from} here.`,
      'Name a branch, a tag or a commit.',
      {
        detail: { reason: 'bad_revision', revision: from },
      },
    )
  }
  await bringCommit(host, clone, commit)
  return commit
}

async function makeFolder(
  session: Session,
  place: Place,
  clone: Clone,
  task: TaskView,
): Promise<Workspace> {
  const { host, workspaces } = session.tools
  session.invocation.progress?.('making the workspace', 0, 1)
  const { workspace } = await startWorkspace(host, clone, {
    task: task.id as TaskId,
    name: task.id,
    folder: join(workspaces, await folderName(session, place), task.id),
    base: task.base as CommitId | null,
    title: firstLine(task.goal),
  })
  return workspace
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

export const listTasks: Command<'task.list'> = async (session, given) => {
  const place = await findPlace(session)
  const list = await session.call('task.list', { ...given, repo: place.repo })
  return { ...list, items: list.items.map((task) => withFolder(place, task)) }
}

export const showTask: Command<'task.show'> = async (session, given) => {
  const place = await findPlace(session)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  return withFolder(place, await showOne(session, place, id))
}

function showOne(session: Session, place: Place, task: string): Promise<TaskView> {
  return session.call('task.show', { task, repo: place.repo })
}

function withFolder(place: Place, task: TaskView): TaskView {
  return { ...task, workspace: workspaceOf(place, task.id)?.folder ?? null }
}

/** Where the folder is; one that was deleted is made again at its last snapshot. */
export const taskPath: Command<'task.path'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const workspace = workspaceOf(place, task.id)
  if (workspace !== null) {
    const mended = await mend(session.host, workspace)
    if (mended.includes('recreated')) {
      session.warnings.push(`The folder was gone; it was made again at the task's last snapshot.`)
    }
    return { id: task.id, path: workspace.folder }
  }
  const { actor } = await session.tools.caller()
  if (task.owner !== actor) {
    throw new Fault(
      'not_found',
      `The task ${task.id} has no workspace on this machine.`,
      `It is ${task.owner ?? 'nobody'}'s; see \`av task show ${task.id}\`.`,
      { detail: { reason: 'no_workspace', owner: task.owner } },
    )
  }
  return { id: task.id, path: (await makeFolder(session, place, clone, task)).folder }
}

/**
 * Snapshots the workspace. The claim is judged before anything runs in the folder, and again in
 * the statement that keeps the checkpoint.
 */
export const checkpoint: Command<'checkpoint'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = await taskIdAt(session, place, undefined)
  const workspace = workspaceOf(place, id)
  if (workspace === null) throw noFolder(id)
  const claim = { repo: place.repo, task: id }
  await session.callFor(claim, 'task.check', claim)
  const snapshot = await snapshotWorkspace(session.host, workspace)
  if (snapshot.attention !== null) {
    session.warnings.push(
      `The workspace was not as it was left (${snapshot.attention.reason}); all of it is kept: ${snapshot.attention.commits.join(', ')}.`,
    )
  }
  const { commit, change, base, files, patch, incomplete } = snapshot
  const symbols = snapshot.conflict
    ? []
    : await changedSymbols(session.host, clone, { base, tip: commit })
  return session.callFor(claim, 'checkpoint', {
    ...(typeof given.message === 'string' && { message: given.message }),
    ...claim,
    ...{ commit, change, base, files, symbols, incomplete },
    patch: patch === null ? 'none' : patchIdentity(patch),
  })
}

export const diff: Command<'diff'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const workspace = workspaceOf(place, task.id)
  if (workspace === null) {
    const { base, head } = task as { base: CommitId | null; head: CommitId | null }
    const text =
      head === null
        ? ''
        : await diffText(session.host, { gitDir: storeGit(clone) }, { base, tip: head })
    return { task: task.id, base, diff: text }
  }
  const { base, commit: tip, conflict } = await snapshotWorkspace(session.host, workspace)
  const text = conflict
    ? await diffTextOfConflict(session.host, clone, { base, tip })
    : await diffText(session.host, { gitDir: storeGit(clone) }, { base, tip })
  return { task: task.id, base, diff: text }
}

function noFolder(task: string): Fault {
  return new Fault(
    'not_found',
    `The task ${task} has no workspace on this machine.`,
    'Go to its workspace, or make it with `av task path`.',
    { detail: { reason: 'no_workspace', task } },
  )
}
