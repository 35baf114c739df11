import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Claim } from '../../domain/claim.ts'
import { Fault } from '../../domain/fault.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { claim, task } from '../schema.ts'
import type { NewTask, Page, TaskFilter } from '../store.ts'
import { bounded, pageOf } from './bounds.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { idTaken, insertUnderFreeId } from './free-id.ts'

const ID_DIGITS_LEAST = 4

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
  position: task.position,
  createdAt: task.createdAt,
  updatedAt: task.updatedAt,
}

/** `leaseSecs` from now by the database's clock. */
export const leaseEnd = (leaseSecs: number) => sql`av_now() + make_interval(secs => ${leaseSecs})`

/** @throws Fault `conflict` when the id asked for is taken; `not_found` for an unknown parent. */
export async function createTask(
  queries: Queries,
  repo: RepoId,
  fresh: NewTask,
  by: Caller,
): Promise<Task> {
  const position = await nextPosition(queries, repo)
  if (fresh.parent !== null) await assertTask(queries, repo, fresh.parent)
  const insert = (id: TaskId) =>
    queries
      .insert(task)
      .values({
        repo,
        id,
        goal: fresh.goal,
        kind: fresh.kind,
        state: 'open',
        owner: fresh.owned ? by.actor : null,
        ownerSession: fresh.owned ? by.session : null,
        generation: fresh.owned ? 1 : 0,
        leaseExpiresAt: fresh.owned ? leaseEnd(fresh.leaseSecs) : null,
        base: fresh.base,
        parent: fresh.parent,
        flags: [],
        position,
        createdAt: NOW,
        updatedAt: NOW,
      })
      .onConflictDoNothing({ target: [task.repo, task.id] })
      .returning(taskColumns)
  const created =
    fresh.id === null
      ? await insertUnderFreeId(
          { prefix: `${fresh.slug}-`, digits: fresh.digits, least: ID_DIGITS_LEAST },
          insert,
        )
      : (await insert(fresh.id))[0]
  if (created === undefined) throw idTaken(fresh.id ?? fresh.slug)
  if (fresh.owned) await noteClaim(queries, created, by)
  await noteFact(queries, { repo, position }, 'task.created', created.id, by)
  return created
}

export async function findTask(queries: Queries, repo: RepoId, id: TaskId): Promise<Task | null> {
  const [row] = await queries
    .select(taskColumns)
    .from(task)
    .where(and(eq(task.repo, repo), eq(task.id, id)))
  return row ?? null
}

/** @throws Fault `not_found`. */
export async function assertTask(queries: Queries, repo: RepoId, id: TaskId): Promise<Task> {
  const found = await findTask(queries, repo, id)
  if (found === null) throw taskNotFound(id)
  return found
}

export async function tasksByPrefix(
  queries: Queries,
  repo: RepoId,
  prefix: string,
  limit: number,
): Promise<readonly Task[]> {
  return queries
    .select(taskColumns)
    .from(task)
    .where(and(eq(task.repo, repo), sql`${task.id} ^@ ${prefix}`))
    .orderBy(asc(task.id))
    .limit(bounded(limit))
}

export async function listTasks(
  queries: Queries,
  repo: RepoId,
  filter: TaskFilter,
  limit: number,
): Promise<Page<Task>> {
  const rows = await queries
    .select(taskColumns)
    .from(task)
    .where(
      and(
        eq(task.repo, repo),
        filter.states === undefined ? undefined : inArray(task.state, [...filter.states]),
        filter.owner === undefined ? undefined : eq(task.owner, filter.owner),
      ),
    )
    .orderBy(desc(task.position))
    .limit(bounded(limit) + 1)
  return pageOf(rows, limit)
}

export async function listClaims(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
): Promise<readonly Claim[]> {
  return queries
    .select({
      task: claim.task,
      generation: claim.generation,
      actor: claim.actor,
      session: claim.session,
      at: claim.at,
    })
    .from(claim)
    .where(and(eq(claim.repo, repo), eq(claim.task, id)))
    .orderBy(asc(claim.generation))
    .limit(bounded(Number.POSITIVE_INFINITY))
}

async function noteClaim(queries: Queries, owned: Task, by: Caller): Promise<void> {
  await queries.insert(claim).values({
    repo: owned.repo,
    task: owned.id,
    generation: owned.generation,
    actor: by.actor,
    session: by.session,
    at: NOW,
  })
}

export function taskNotFound(id: TaskId): Fault {
  return new Fault('not_found', `There is no task ${id}.`, 'See `av task list`.', {
    detail: { reason: 'task', id },
  })
}
