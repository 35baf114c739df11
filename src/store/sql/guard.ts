import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { claimFault, isHeldBy } from '../../domain/claim.ts'
import { Fault } from '../../domain/fault.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId, TaskState } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import { NOW } from './fact.ts'
import { leaseEnd, listClaims, taskColumns, taskNotFound } from './tasks.ts'

export type Guard = {
  readonly task: TaskId
  /** In which the write is legal. */
  readonly states: readonly TaskState[]
  readonly leaseSecs: number
}

/**
 * Lets through who holds a task's current claim, and prolongs the lease: one statement judges owner, session,
 * generation and state, and keeps the task's row until the transaction ends. Must come first in it.
 *
 * @param change of the task, written by the same statement.
 * @throws Fault, judged in this order: `not_found`; `claim_lost` for who held the task once, `refused_rule` for who
 *   never did; `refused_transition` for another state; `conflict` when it all came right in the meantime.
 */
export async function passGuard(
  queries: Queries,
  repo: RepoId,
  guard: Guard,
  by: Caller,
  change: Partial<typeof task.$inferInsert>,
): Promise<Task> {
  const [held] =
    by.generation === null
      ? []
      : await queries
          .update(task)
          .set({ ...change, leaseExpiresAt: leaseEnd(guard.leaseSecs), updatedAt: NOW })
          .where(
            and(
              eq(task.repo, repo),
              eq(task.id, guard.task),
              eq(task.owner, by.actor),
              sql`${task.ownerSession} is not distinct from ${sql.param(by.session, task.ownerSession)}`,
              eq(task.generation, by.generation),
              inArray(task.state, [...guard.states]),
            ),
          )
          .returning(taskColumns)
  if (held !== undefined) return held
  throw await whyRefused(queries, repo, guard, by)
}

async function whyRefused(
  queries: Queries,
  repo: RepoId,
  guard: Guard,
  by: Caller,
): Promise<Fault> {
  const [found] = await queries
    .select(taskColumns)
    .from(task)
    .where(and(eq(task.repo, repo), eq(task.id, guard.task)))
  if (found === undefined) return taskNotFound(guard.task)
  if (!isHeldBy(found, by)) {
    return claimFault(found, await listClaims(queries, repo, guard.task), by)
  }
  if (!guard.states.includes(found.state)) return wrongState(found, guard.states)
  return new Fault(
    'conflict',
    `The task ${found.id} changed at this moment.`,
    'Run the command again.',
    {
      detail: { reason: 'contention' },
    },
  )
}

function wrongState(found: Task, legal: readonly TaskState[]): Fault {
  return new Fault(
    'refused_transition',
    `The task ${found.id} is ${found.state}; this can be done while it is ${legal.join(', ')}.`,
    `See \`av task show ${found.id}\`.`,
    { detail: { reason: 'state', state: found.state, legal: [...legal] } },
  )
}
