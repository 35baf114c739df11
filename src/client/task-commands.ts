import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { bringCommit } from '../workspace/attach.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import { mend } from '../workspace/mend.ts'
import { stackBase } from '../workspace/stack.ts'
import { resolveCommit } from '../workspace/tree.ts'
import { checkTools } from '../workspace/versions.ts'
import { trunkHere, workspaceOf } from './code-at-hand.ts'
import { type Command, taskGiven } from './command.ts'
import { findPlace, needClone, type Place } from './place.ts'
import type { Session } from './session.ts'
import { bringCommits, sendCommits } from './task-commits.ts'
import { currentFolder, makeFolder, warnOfEarlier } from './task-folder.ts'
import { trunkForWork } from './trunk-slot.ts'

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
  if (parent !== null) return onParent(session, clone, parent)
  if (typeof from !== 'string') return trunkForWork(session, clone)
  await trunkHere(host, clone)
  const theirs = await resolveCommit(host, { gitDir: clone.gitDir }, from)
  if (theirs !== null) {
    await bringCommit(host, clone, theirs)
    return theirs
  }
  const ours = await resolveCommit(host, { gitDir: storeGit(clone) }, from)
  if (ours !== null) return ours
  throw new Fault(
    'not_found',
    `There is no commit ${from} here.`,
    'Name a branch, a tag or a commit.',
    {
      detail: { reason: 'bad_revision', revision: from },
    },
  )
}

/** The parent's last checkpoint, as a commit that stays what it is while the parent goes on. */
async function onParent(
  session: Session,
  clone: Clone,
  parent: TaskView,
): Promise<CommitId | null> {
  const [base, head] = [parent.base as CommitId | null, parent.head as CommitId | null]
  await bringCommits(session, clone, parent.id, [base, head])
  if (head === null) return base
  if (parent.conflicted.length > 0) {
    throw new Fault(
      'refused_rule',
      `${parent.id} has conflicts to resolve: nothing can stand on it yet.`,
      'Start from trunk, or wait until they are resolved.',
      { detail: { reason: 'parent_conflicted', parent: parent.id } },
    )
  }
  const under = await stackBase(session.host, clone, { base, head })
  await sendCommits(session, clone, parent.id, { base, tip: under }, null)
  return under
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

export function showOne(session: Session, place: Place, task: string): Promise<TaskView> {
  return session.call('task.show', { task, repo: place.repo })
}

export function withFolder<T extends TaskView>(place: Place, task: T): T {
  const folder = currentFolder(place, task) ?? workspaceOf(place, task.id)
  return { ...task, workspace: folder?.folder ?? null }
}

/** Where the folder is; one that was deleted is made again at its last snapshot. */
export const taskPath: Command<'task.path'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const workspace = currentFolder(place, task)
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
      task.owner === null
        ? `Nobody owns it: \`av claim ${task.id}\` makes one.`
        : `It is ${task.owner}'s; see \`av task show ${task.id}\`.`,
      { detail: { reason: 'no_workspace', owner: task.owner } },
    )
  }
  warnOfEarlier(session, place, task.id)
  return { id: task.id, path: (await makeFolder(session, place, clone, task)).folder }
}
