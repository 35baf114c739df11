import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { resolve as resolvePath } from 'node:path'
import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { checkpoint } from '../workspace/checkpoint.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import { isGone } from '../workspace/mend.ts'
import { patchIdentity, patchOf } from '../workspace/patch.ts'
import { treeOf } from '../workspace/tree.ts'
import { anchorsFor } from './anchors-of-task.ts'
import { type Command, type Given, taskGiven } from './command.ts'
import { findPlace, needClone, type Place, taskIdAt } from './place.ts'
import { noteSeen, seenHead } from './seen.ts'
import type { Session } from './session.ts'
import { showOne, withFolder } from './task-commands.ts'
import { bringCommits } from './task-commits.ts'
import { currentFolder } from './task-folder.ts'
import { remoteOf, trunkNow } from './trunk-slot.ts'
import { codeOfTaskView } from './why-commands.ts'

export const listReviews: Command<'review.list'> = async (session, given) => {
  const place = await findPlace(session)
  const list = await session.call('review.list', { ...given, repo: place.repo })
  return { ...list, items: list.items.map((item) => withFolder(place, item)) }
}

/** Shows what there is to review, and remembers which checkpoint that was. */
export const showReview: Command<'review.show'> = async (session, given) => {
  const place = await findPlace(session)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  await bringHead(session, place, task)
  const view = await codeOfTaskView(session, place, task)
  const review = await session.call('review.show', { task: task.id, repo: place.repo, view })
  if (review.head !== null) {
    await noteSeen(session, { repo: place.repo, task: task.id }, review.head)
  }
  return withFolder(place, review)
}

/** Where its commits cannot be had, what was recorded is shown without what became of its code. */
async function bringHead(session: Session, { clone }: Place, task: TaskView): Promise<void> {
  if (clone === null) return
  try {
    await bringCommits(session, clone, task.id, [task.head as CommitId | null])
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    session.warnings.push(thrown.message)
  }
}

export const approve: Command<'approve'> = async (session, given) => {
  const { place, task, reviewed } = await reviewedTask(session, given)
  const view = await session.call('approve', {
    ...(typeof given.message === 'string' && { message: given.message }),
    ...{ task: task.id, repo: place.repo },
    ...reviewed,
  })
  return withFolder(place, view)
}

export const requestChanges: Command<'request-changes'> = async (session, given) => {
  const { place, task, reviewed } = await reviewedTask(session, given)
  const anchors = await anchorsFor(session, place, task.id, given)
  const view = await session.call('request-changes', {
    ...given,
    ...{ task: task.id, message: String(given.message), repo: place.repo, anchors },
    ...reviewed,
  })
  return withFolder(place, view)
}

/** The task and exactly what of it was looked at. */
async function reviewedTask(session: Session, given: Given) {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const seen = await seenHead(session, { repo: place.repo, task: task.id })
  if (seen !== null && task.head !== null && seen !== task.head) throw changedSince(task, seen)
  const reviewed = await reviewedAt(session, clone, task)
  await warnOfNewer(session, place, task, reviewed.tree)
  return { place, task, reviewed }
}

function changedSince(task: TaskView, seen: string): Fault {
  return new Fault(
    'refused_rule',
    `${task.id} changed since you looked at it: you saw ${seen.slice(0, 12)}, it is at ${String(task.head).slice(0, 12)}.`,
    `Look again: \`av review show ${task.id}\`, \`av diff ${task.id}\`.`,
    { detail: { reason: 'changed', seen, head: task.head } },
  )
}

async function reviewedAt(session: Session, clone: Clone, task: TaskView) {
  const { host } = session
  const base = task.base as CommitId | null
  const tip = task.head as CommitId | null
  if (tip === null || task.conflicted.length > 0) {
    // The daemon says what is wrong with its state; nothing was made that could be judged.
    return { base, tip: NOTHING, tree: NOTHING, patch: 'none', trunk: null }
  }
  await bringCommits(session, clone, task.id, [base, tip])
  const store = { gitDir: storeGit(clone) }
  const [tree, patch, trunk] = await Promise.all([
    treeOf(host, store, tip),
    patchOf(host, store, { base, tip }),
    trunkNow(host, clone, await remoteOf(host, clone)),
  ])
  return { base, tip, tree: tree ?? NOTHING, patch: patchIdentity(patch), trunk }
}

const NOTHING = '0'.repeat(40)

/** What its owner did after the last checkpoint is no part of a verdict. */
async function warnOfNewer(
  session: Session,
  place: Place,
  task: TaskView,
  tree: string,
): Promise<void> {
  const folder = currentFolder(place, task)
  if (folder === null || isGone(folder) || task.state !== 'in_review') return
  const now = await checkpoint(session.host, folder)
  if (now.tree === tree) return
  session.warnings.push(
    `The folder of ${task.id} holds newer changes, which are no part of this; merge will refuse them.`,
  )
}

/** Reports a check. What it ran on is the last checkpoint; a folder that holds more makes it a dirty one. */
export const attest: Command<'attest'> = async (session, given) => {
  const place = await findPlace(session)
  const task = await showOne(session, place, await taskIdAt(session, place, given.task))
  if (task.head === null) {
    throw new Fault(
      'refused_rule',
      `${task.id} has no checkpoint to report on.`,
      'Run `av checkpoint` in its workspace first.',
      { detail: { reason: 'no_checkpoint' } },
    )
  }
  const folder = currentFolder(place, task)
  const log = typeof given.log === 'string' ? given.log : null
  return session.call('attest', {
    ...given,
    ...{ name: String(given.name), exit: Number(given.exit), task: task.id, repo: place.repo },
    commit: task.head,
    dirty: folder === null || isGone(folder) ? false : await isDirty(session, folder, task.head),
    excerpt: log === null ? '' : endOf(resolvePath(session.invocation.cwd, log)),
  })
}

async function isDirty(
  session: Session,
  folder: Parameters<typeof checkpoint>[1],
  head: string,
): Promise<boolean> {
  const { tree } = await checkpoint(session.host, folder)
  const store = { gitDir: storeGit(folder.clone) }
  return tree !== (await treeOf(session.host, store, head as CommitId))
}

/** Bytes read of a log's end; the daemon keeps less, after secrets were taken out. */
const LOG_BYTES = 16 * 1024

function endOf(path: string): string {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (cause) {
    throw new Fault('not_found', `The log ${path} cannot be read.`, 'Name a file that is there.', {
      cause,
      detail: { reason: 'no_log', path },
    })
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) {
      throw new Fault('bad_input', `${path} is no file.`, 'Write the log to a file.', {
        detail: { reason: 'no_log', path },
      })
    }
    const bytes = Buffer.alloc(Math.min(stat.size, LOG_BYTES))
    const read = readSync(file, bytes, 0, bytes.length, stat.size - bytes.length)
    return bytes.subarray(0, read).toString('utf8')
  } finally {
    closeSync(file)
  }
}
