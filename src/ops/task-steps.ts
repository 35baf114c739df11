import type { Caller } from '../domain/actor.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import { claimFault, isHeldBy } from '../domain/claim.ts'
import { Fault } from '../domain/fault.ts'
import { assertLegal } from '../domain/lifecycle.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Task } from '../domain/task.ts'
import type { Store } from '../store/store.ts'
import type { OwnerStep } from '../store/task-life.ts'
import type { Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { type TaskWhy, whyOf } from './task-why.ts'
import { givenTask } from './tasks.ts'
import { viewTask } from './views.ts'

/**
 * Asks for a review. What is wanted of the task is judged here, of the checkpoint named; the step itself is fenced,
 * and refused when the task has another one by then.
 */
export const submit: Handler<'submit'> = async ({ store, leaseSecs }, input, caller) => {
  const task = await ownTask(store, input, caller, 'submit')
  const why = await whyOf(store, task)
  assertHead(task, input.commit, why.checkpoint)
  assertSubmittable(task, why)
  const { task: moved } = await store.moveTask(
    task.repo,
    { task: task.id, event: 'submit', head: input.commit as CommitId, record: null, leaseSecs },
    caller,
  )
  return { ...viewTask(moved), uncovered: why.uncovered }
}

function assertSubmittable(task: Task, why: TaskWhy): void {
  const { checkpoint } = why
  const { tooLarge, badNames, nested } = checkpoint?.incomplete ?? NOTHING_LEFT_OUT
  const leftOut = [...tooLarge, ...badNames, ...nested]
  if (leftOut.length > 0) {
    throw refused(
      'incomplete',
      `The last checkpoint of ${task.id} could not take in ${someOf(leftOut)}.`,
      'Make these files smaller, rename or ignore them, and submit again.',
      { tooLarge, badNames, nested, uncovered: why.uncovered },
    )
  }
  assertNoConflicts(checkpoint, why.uncovered)
  if (checkpoint === null || checkpoint.files.length === 0) {
    throw refused(
      'no_changes',
      `The task ${task.id} changed nothing.`,
      'Change something, hand it off (`av handoff`), or give it up (`av abandon`).',
      { uncovered: why.uncovered },
    )
  }
  assertTold(task, why)
}

const NOTHING_LEFT_OUT = { tooLarge: [], badNames: [], nested: [] } as const

/** @throws Fault `refused_rule` reason `no_why` */
export function assertTold(task: Task, why: TaskWhy): void {
  if (why.isTold) return
  const what = why.uncovered.length === 0 ? '' : ` Not covered: ${someOf(why.uncovered)}.`
  throw refused(
    'no_why',
    `No record tells why ${task.id} is as it is.${what}`,
    'Keep a decision, a dead end or a note first: `av record decision "…" --at PATH:SYMBOL`.',
    { uncovered: why.uncovered },
  )
}

/** Says that the conflicts of a task are resolved: none may be left in the checkpoint named. */
export const resolve: Handler<'resolve'> = async ({ store, leaseSecs }, input, caller) => {
  const task = await ownTask(store, input, caller, 'resolve')
  const checkpoint = await store.lastCheckpoint(task.repo, task.id)
  assertHead(task, input.commit, checkpoint)
  assertNoConflicts(checkpoint, null)
  const { task: moved } = await store.moveTask(
    task.repo,
    { task: task.id, event: 'resolve', head: input.commit as CommitId, record: null, leaseSecs },
    caller,
  )
  return viewTask(moved)
}

export const abandon: Handler<'abandon'> = async ({ store, leaseSecs }, input, caller) => {
  const named = { repo: input.repo, task: givenTask(input.task) }
  const task = await ownTask(store, named, caller, 'abandon')
  const head = (input.commit ?? task.head) as CommitId | null
  const { task: moved } = await store.moveTask(
    task.repo,
    { task: task.id, event: 'abandon', head, record: null, leaseSecs },
    caller,
  )
  return viewTask(moved)
}

/**
 * The task, when the caller holds its claim and it may take this step: judged before anything else, and once more in
 * the statement that writes.
 */
export async function ownTask(
  store: Store,
  input: { readonly repo: string; readonly task: string },
  caller: Caller,
  event: OwnerStep['event'],
): Promise<Task> {
  const repo = await findRepo(store, input.repo)
  const task = await findTask(store, repo.id, input.task)
  if (!isHeldBy(task, caller)) {
    throw claimFault(task, await store.claims(repo.id, task.id), caller)
  }
  assertLegal(task, event)
  return task
}

/** What follows judges the last checkpoint: it must be the one the caller speaks of. */
function assertHead(task: Task, commit: string, checkpoint: Checkpoint | null): void {
  if (checkpoint?.commit === commit && task.head === commit) return
  throw new Fault(
    'conflict',
    `The task ${task.id} has another checkpoint by now.`,
    'Run the command again.',
    { detail: { reason: 'head_moved', head: task.head, found: commit } },
  )
}

function assertNoConflicts(
  checkpoint: Checkpoint | null,
  uncovered: readonly string[] | null,
): void {
  const files = checkpoint?.conflicts ?? []
  if (files.length === 0) return
  throw refused(
    'conflicts_left',
    `Conflicts, or markers left from one, are in ${someOf(files)}.`,
    'Resolve them in the workspace, take the markers out, and run the command again.',
    { files, ...(uncovered !== null && { uncovered }) },
  )
}

/** Names of a list that may be long. */
function someOf(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_MAX).join(', ')
  return names.length > SHOWN_MAX ? `${shown} and ${names.length - SHOWN_MAX} more` : shown
}
const SHOWN_MAX = 5

function refused(
  reason: string,
  message: string,
  remediation: string,
  detail: Readonly<Record<string, unknown>>,
): Fault {
  return new Fault('refused_rule', message, remediation, { detail: { reason, ...detail } })
}
