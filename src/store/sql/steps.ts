import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { LIFECYCLE, type Transition } from '../../domain/lifecycle.ts'
import type { TaskRecord } from '../../domain/record.ts'
import type { RepoId } from '../../domain/repo.ts'
import { LIVE_STATES, type Task } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import type { OwnerStep } from '../task-life.ts'
import { type FactEvent, NOW, nextPosition, noteFact } from './fact.ts'
import { passGuard, type TaskChange } from './guard.ts'
import { insertRecord } from './records.ts'

const FACT_OF = {
  submit: 'task.submitted',
  handoff: 'task.handed_off',
  resolve: 'task.resolved',
  abandon: 'task.abandoned',
} as const satisfies Record<OwnerStep['event'], FactEvent>

/** What a step changes beside the state; an owner's lease is prolonged by each. */
const CHANGE_OF: Readonly<Record<OwnerStep['event'], TaskChange>> = {
  submit: { approval: null, approvedBy: null, approvalVoid: null },
  handoff: {},
  resolve: { conflicted: [] },
  abandon: {
    leaseExpiresAt: null,
    conflicted: [],
    approval: null,
    approvedBy: null,
    approvalVoid: null,
  },
}

/** The record comes before the step in the log. @throws Fault as `passGuard` and `insertRecord`. */
export async function moveTask(
  queries: Queries,
  repo: RepoId,
  step: OwnerStep,
  by: Caller,
): Promise<{ readonly task: Task; readonly record: TaskRecord | null }> {
  const { task: id, event, head, leaseSecs } = step
  const { from: states, kinds, to } = transitionOf(event)
  const guard = { task: id, event, states, kinds, head, leaseSecs }
  const moved = await passGuard(queries, repo, guard, by, { state: to, ...CHANGE_OF[event] })
  if (event === 'abandon') await flagChildren(queries, moved)
  const record =
    step.record === null
      ? null
      : await insertRecord(queries, repo, { ...step.record, task: id }, by)
  const position = await nextPosition(queries, repo)
  await noteFact(queries, { repo, position }, FACT_OF[event], id, by)
  return { task: moved, record }
}

/** The only row an owner's step has in the table. */
function transitionOf(event: OwnerStep['event']): Transition {
  return LIFECYCLE.find((row) => row.event === event)!
}

/** Part of the same fact. Parents come before children in the order of locks, and nobody has two parents. */
async function flagChildren(queries: Queries, { repo, id }: Task): Promise<void> {
  await queries
    .update(task)
    .set({ flags: sql`array_append(${task.flags}, 'parent_abandoned')`, updatedAt: NOW })
    .where(
      and(
        eq(task.repo, repo),
        eq(task.parent, id),
        inArray(task.state, [...LIVE_STATES]),
        sql`not 'parent_abandoned' = any(${task.flags})`,
      ),
    )
}
