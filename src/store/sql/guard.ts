import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { claimFault, isHeldBy } from '../../domain/claim.ts'
import { Fault } from '../../domain/fault.ts'
import { LIFECYCLE, type LifecycleEvent, refusedTransition } from '../../domain/lifecycle.ts'
import type { CommitId, RepoId } from '../../domain/repo.ts'
import {
  TASK_KINDS,
  type Task,
  type TaskId,
  type TaskKind,
  type TaskState,
} from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import { listClaims } from './claims.ts'
import { NOW } from './fact.ts'
import { landingFault } from './landing-row.ts'
import { findTask, isTask, leaseEnd, taskColumns, taskNotFound } from './task-row.ts'

export type Guard = {
  readonly task: TaskId
  readonly event: LifecycleEvent | 'checkpoint' | 'record'
  /** In which the write is legal. */
  readonly states: readonly TaskState[]
  /** Of which it is legal; of all where it is left out. */
  readonly kinds?: readonly TaskKind[]
  /** The checkpoint the task must be at; whichever where it is left out. */
  readonly head?: CommitId | null
  readonly leaseSecs: number
}

/** What a statement gives to the task it writes to; every column may also be told by SQL. */
export type TaskChange = Parameters<ReturnType<typeof updateOf>['set']>[0]

/**
 * Lets through who holds a task's current claim, and prolongs the lease: one statement judges owner, session,
 * generation and state, and keeps the task's row until the transaction ends. Must come first in it. A task that is
 * landing just now takes records and nothing else.
 *
 * @param change of the task, written by the same statement.
 * @throws Fault, judged in this order: `not_found`; `claim_lost` for who held the task once, `refused_rule` for who
 *   never did; `refused_transition` for another state or kind; `conflict` reasons `landing`, `head_moved`, and
 *   `contention` when it all came right in the meantime.
 */
export async function passGuard(
  queries: Queries,
  repo: RepoId,
  guard: Guard,
  by: Caller,
  change: TaskChange,
): Promise<Task> {
  const [held] =
    by.generation === null
      ? []
      : await updateOf(queries)
          .set({ leaseExpiresAt: leaseEnd(guard.leaseSecs), updatedAt: NOW, ...change })
          .where(
            and(
              isTask(repo, guard.task),
              isHeldInSql(by),
              inArray(task.state, [...guard.states]),
              inArray(task.kind, [...(guard.kinds ?? TASK_KINDS)]),
              guard.event === 'record' ? undefined : isNull(task.landing),
              guard.head === undefined ? undefined : isAtHead(guard.head),
            ),
          )
          .returning(taskColumns)
  if (held !== undefined) return held
  throw await whyRefused(queries, repo, guard, by)
}

/** `isHeldBy`, for the statement that writes. */
export function isHeldInSql(by: Caller) {
  return and(
    eq(task.owner, by.actor),
    sql`${task.ownerSession} is not distinct from ${sql.param(by.session, task.ownerSession)}`,
    sql`${task.generation} = ${by.generation}`,
  )
}

/** `isLegal`, for the statement that writes. */
export function isLegalInSql(wanted: LifecycleEvent) {
  const rows = LIFECYCLE.filter(({ event }) => event === wanted)
  return or(
    ...rows.map(({ from, kinds }) =>
      and(inArray(task.state, [...from]), inArray(task.kind, [...kinds])),
    ),
  )
}

export function contention(id: TaskId): Fault {
  return new Fault('conflict', `The task ${id} changed at this moment.`, 'Run the command again.', {
    detail: { reason: 'contention' },
  })
}

function updateOf(queries: Queries) {
  return queries.update(task)
}

function isAtHead(head: CommitId | null) {
  return sql`${task.head} is not distinct from ${head}`
}

async function whyRefused(
  queries: Queries,
  repo: RepoId,
  guard: Guard,
  by: Caller,
): Promise<Fault> {
  const found = await findTask(queries, repo, guard.task)
  if (found === null) return taskNotFound(guard.task)
  if (!isHeldBy(found, by)) {
    return claimFault(found, await listClaims(queries, repo, guard.task), by)
  }
  const { states, kinds = TASK_KINDS } = guard
  if (!states.includes(found.state) || !kinds.includes(found.kind)) {
    return refusedTransition(found, guard.event)
  }
  if (found.landing !== null && guard.event !== 'record') return landingFault(queries, found)
  if (guard.head !== undefined && guard.head !== found.head) return headMoved(found, guard.head)
  return contention(found.id)
}

function headMoved(found: Task, expected: CommitId | null): Fault {
  return new Fault(
    'conflict',
    `The task ${found.id} is at ${found.head ?? 'no checkpoint'} by now, not at ${expected ?? 'none'}.`,
    'Run the command again.',
    { detail: { reason: 'head_moved', expected, found: found.head } },
  )
}
