import { and, eq, sql } from 'drizzle-orm'
import { Fault } from '../../domain/fault.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'

export async function findTask(queries: Queries, repo: RepoId, id: TaskId): Promise<Task | null> {
  const [row] = await queries.select(taskColumns).from(task).where(isTask(repo, id))
  return row ?? null
}

/** @throws Fault `not_found`. */
export async function assertTask(queries: Queries, repo: RepoId, id: TaskId): Promise<Task> {
  const found = await findTask(queries, repo, id)
  if (found === null) throw taskNotFound(id)
  return found
}

/**
 * The task, kept until the transaction ends: nobody else writes to it, anybody may read it and refer to it.
 * @throws Fault `not_found`.
 */
export async function lockTask(queries: Queries, repo: RepoId, id: TaskId): Promise<Task> {
  const [row] = await queries
    .select(taskColumns)
    .from(task)
    .where(isTask(repo, id))
    .for('no key update')
  if (row === undefined) throw taskNotFound(id)
  return row
}

export function isTask(repo: RepoId, id: TaskId) {
  return and(eq(task.repo, repo), eq(task.id, id))
}

export function taskNotFound(id: TaskId): Fault {
  return new Fault('not_found', `There is no task ${id}.`, 'See `av task list`.', {
    detail: { reason: 'task', id },
  })
}

export const taskColumns = {
  repo: task.repo,
  id: task.id,
  goal: task.goal,
  kind: task.kind,
  state: task.state,
  owner: task.owner,
  ownerSession: task.ownerSession,
  generation: task.generation,
  leaseExpiresAt: task.leaseExpiresAt,
  base: task.base,
  head: task.head,
  change: task.change,
  parent: task.parent,
  flags: task.flags,
  conflicted: task.conflicted,
  approval: task.approval,
  approvedBy: task.approvedBy,
  approvalVoid: task.approvalVoid,
  offeredTo: task.offeredTo,
  landing: task.landing,
  landed: task.landed,
  position: task.position,
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
}

/** `leaseSecs` from now by the database's clock. */
export const leaseEnd = (leaseSecs: number) => sql`av_now() + make_interval(secs => ${leaseSecs})`
