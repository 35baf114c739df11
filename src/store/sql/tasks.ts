import { and, asc, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import type { NewTask, Page, TaskFilter } from '../store.ts'
import { bounded, pageOf } from './bounds.ts'
import { noteClaim } from './claims.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { idTaken, insertUnderFreeId } from './free-id.ts'
import { assertTask, leaseEnd, taskColumns } from './task-row.ts'

const ID_DIGITS_LEAST = 4

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
        offeredTo: fresh.offeredTo,
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
        filter.owner === undefined ? undefined : isFor(filter.owner),
      ),
    )
    .orderBy(desc(task.position))
    .limit(bounded(limit) + 1)
  return pageOf(rows, limit)
}

function isFor(name: string) {
  return or(eq(task.owner, name), and(isNull(task.owner), eq(task.offeredTo, name)))
}
