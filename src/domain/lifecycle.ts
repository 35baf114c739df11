import { Fault } from './fault.ts'
import type { Task, TaskKind, TaskState } from './task.ts'

/** What can happen to a task, in the words of the command that makes it happen. */
export const EVENTS = [
  'submit',
  'handoff',
  'claim',
  'request-changes',
  'approve',
  'merge',
  'resolve',
  'undo',
  'revert',
  'abandon',
  'sync',
  'answer',
  'close',
] as const
export type LifecycleEvent = (typeof EVENTS)[number]

/** One row: in one of these states, the event leads to that one. */
export type Transition = {
  readonly event: LifecycleEvent
  readonly from: readonly TaskState[]
  readonly to: TaskState
  readonly kinds: readonly TaskKind[]
  /** What must hold beside the state; null: nothing. */
  readonly when: string | null
}

const ALL_KINDS = ['work', 'question', 'chat'] as const

/**
 * The life of a task, whole: what is not a row here is refused with `refused_transition`. What commands check, what
 * their help says and the page of the docs follow from it.
 */
export const LIFECYCLE: readonly Transition[] = [
  row('submit', ['open'], 'in_review'),
  row('handoff', ['open'], 'handed_off'),
  row('claim', ['handed_off'], 'open', { kinds: ALL_KINDS }),
  row('claim', ['open'], 'open', {
    kinds: ALL_KINDS,
    when: 'nobody owns it, its lease has lapsed, or its owner comes from another session',
  }),
  row('claim', ['conflicted'], 'conflicted', { when: 'its lease has lapsed' }),
  row('request-changes', ['in_review'], 'open'),
  row('approve', ['in_review'], 'in_review'),
  row('merge', ['in_review'], 'merged', { when: 'it is approved' }),
  row('merge', ['in_review'], 'conflicted', { when: 'it conflicts with trunk' }),
  row('resolve', ['conflicted'], 'open', { when: 'no conflict is left' }),
  row('undo', ['merged'], 'in_review', { when: 'it is the tip of trunk, and was not pushed' }),
  row('revert', ['merged'], 'merged', { when: 'it was not reverted yet' }),
  row('abandon', ['open', 'handed_off', 'in_review', 'conflicted'], 'abandoned', {
    kinds: ALL_KINDS,
  }),
  row('sync', ['open', 'in_review', 'handed_off'], 'merged', { when: 'it landed elsewhere' }),
  row('answer', ['open'], 'answered', { kinds: ['question'] }),
  row('close', ['open'], 'closed', { kinds: ['chat'] }),
]

/** States in which a task's owner may snapshot its workspace. */
export const CHECKPOINT_STATES = [
  'open',
  'in_review',
  'conflicted',
] as const satisfies readonly TaskState[]

function row(
  event: LifecycleEvent,
  from: readonly TaskState[],
  to: TaskState,
  { kinds = ['work'], when = null }: Partial<Pick<Transition, 'kinds' | 'when'>> = {},
): Transition {
  return { event, from, to, kinds, when }
}

/** The states from which an event leads on, for tasks of any kind it is for. */
export function statesBefore(event: LifecycleEvent): readonly TaskState[] {
  return [...new Set(LIFECYCLE.filter((row) => row.event === event).flatMap(({ from }) => from))]
}

/** What can happen to a task as it is, in the table's order. */
export function legalEvents(task: Pick<Task, 'state' | 'kind'>): readonly LifecycleEvent[] {
  const rows = LIFECYCLE.filter(
    ({ from, kinds }) => from.includes(task.state) && kinds.includes(task.kind),
  )
  return [...new Set(rows.map(({ event }) => event))]
}

export function isLegal(task: Pick<Task, 'state' | 'kind'>, event: LifecycleEvent): boolean {
  return legalEvents(task).includes(event)
}

/** @throws Fault `refused_transition`, naming the state and what is legal in it */
export function assertLegal(
  task: Pick<Task, 'id' | 'state' | 'kind'>,
  event: LifecycleEvent,
): void {
  if (!isLegal(task, event)) throw refusedTransition(task, event)
}

export function refusedTransition(
  task: Pick<Task, 'id' | 'state' | 'kind'>,
  event: LifecycleEvent | 'checkpoint' | 'record',
): Fault {
  const legal = legalEvents(task)
  const kind = task.kind === 'work' ? 'task' : task.kind
  return new Fault(
    'refused_transition',
    `The ${kind} ${task.id} is ${task.state}: ${event} cannot happen to it now.`,
    legal.length === 0
      ? `It is final. See \`av task show ${task.id}\`.`
      : `What can: ${legal.join(', ')}. See \`av task show ${task.id}\`.`,
    { detail: { reason: 'state', state: task.state, event, legal } },
  )
}
