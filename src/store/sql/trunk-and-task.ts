import { and, eq, isNull, type SQL } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { Fault } from '../../domain/fault.ts'
import { isLegal, type LifecycleEvent, refusedTransition } from '../../domain/lifecycle.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import type { NewConflict, TrunkSlot } from '../trunk-slot.ts'
import { headAt, insertCheckpoint } from './checkpoints.ts'
import { NOW, noteFact } from './fact.ts'
import { contention, isLegalInSql, type TaskChange } from './guard.ts'
import { landingFault } from './landing-row.ts'
import { passSlot } from './slot.ts'
import { findTask, isTask, leaseEnd, taskColumns, taskNotFound } from './task-row.ts'

/** What whoever holds the merge slot finds out about a task, without moving trunk. */

/** @throws Fault as `moveUnderSlot`. */
export async function conflictTask(
  queries: Queries,
  repo: RepoId,
  found: NewConflict,
  by: Caller,
): Promise<Task> {
  const moved = await moveUnderSlot(queries, repo, found, {
    event: 'merge',
    fact: 'task.conflicted',
    by,
    change: {
      state: 'conflicted',
      conflicted: [...found.conflicted],
      approval: null,
      approvedBy: null,
      approvalVoid: 'it conflicts with trunk',
      leaseExpiresAt: leaseEnd(found.leaseSecs),
      ...(found.checkpoint === null ? {} : headAt(found.checkpoint)),
    },
  })
  if (found.checkpoint !== null) await insertCheckpoint(queries, moved, found.checkpoint, by)
  return moved
}

/** @throws Fault as `moveUnderSlot`; `conflict` reason `approval_changed` when that approval is not the one that counts. */
export async function voidApproval(
  queries: Queries,
  repo: RepoId,
  stale: Parameters<TrunkSlot['voidApproval']>[1],
  by: Caller,
): Promise<Task> {
  return moveUnderSlot(queries, repo, stale, {
    event: 'merge',
    fact: 'approval.void',
    by,
    when: eq(task.approval, stale.verdict),
    change: { approval: null, approvedBy: null, approvalVoid: stale.why },
  })
}

/** @throws Fault as `moveUnderSlot`. */
export async function landElsewhere(
  queries: Queries,
  repo: RepoId,
  landed: Parameters<TrunkSlot['landElsewhere']>[1],
  by: Caller,
): Promise<Task> {
  return moveUnderSlot(queries, repo, landed, {
    event: 'sync',
    fact: 'task.landed_elsewhere',
    by,
    change: { state: 'merged', landed: landed.commit, leaseExpiresAt: null },
  })
}

type Move = {
  readonly event: LifecycleEvent
  readonly fact: Parameters<typeof noteFact>[2]
  readonly by: Caller
  readonly change: TaskChange
  readonly when?: SQL
}

/**
 * State and approval are judged in the statement that writes to the task, the slot in the one that takes the position.
 * @throws Fault `not_found`; `refused_transition`; `conflict` reason `landing`; then as `passSlot`.
 */
async function moveUnderSlot(
  queries: Queries,
  repo: RepoId,
  { slot, task: id }: { readonly slot: number; readonly task: TaskId },
  { event, fact, by, change, when }: Move,
): Promise<Task> {
  const [moved] = await queries
    .update(task)
    .set({ ...change, updatedAt: NOW })
    .where(and(isTask(repo, id), isLegalInSql(event), isNull(task.landing), when))
    .returning(taskColumns)
  if (moved === undefined) throw await whyNotMoved(queries, repo, id, event, when !== undefined)
  const position = await passSlot(queries, repo, slot, { takesPosition: true })
  await noteFact(queries, { repo, position }, fact, id, by)
  return moved
}

async function whyNotMoved(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
  event: LifecycleEvent,
  isConditional: boolean,
): Promise<Fault> {
  const found = await findTask(queries, repo, id)
  if (found === null) return taskNotFound(id)
  if (!isLegal(found, event)) return refusedTransition(found, event)
  if (found.landing !== null) return landingFault(queries, found)
  if (!isConditional) return contention(id)
  return new Fault(
    'conflict',
    `${id} has another approval by now, or none.`,
    'Run the command again.',
    { detail: { reason: 'approval_changed', approval: found.approval } },
  )
}
