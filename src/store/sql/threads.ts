import { and, eq } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { Fault } from '../../domain/fault.ts'
import type { RecordId, TaskRecord } from '../../domain/record.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { TaskId } from '../../domain/task.ts'
import { opensThread } from '../../domain/thread.ts'
import type { Queries } from '../database.ts'
import { record } from '../schema.ts'
import { threadResolution } from '../schema-review.ts'
import { bounded } from './bounds.ts'
import { lockRepo, NOW, nextPosition, noteFact } from './fact.ts'
import { findRecord } from './record-query.ts'
import { recordNotFound } from './records.ts'
import { assertTask } from './task-row.ts'

/** @throws Fault as `TaskLife.resolveThread` says. */
export async function resolveThread(
  queries: Queries,
  repo: RepoId,
  root: RecordId,
  by: Caller,
): Promise<TaskRecord> {
  const found = await findRecord(queries, repo, root)
  if (found === null) throw recordNotFound(root)
  if (!opensThread(found)) throw notAThread(found)
  const { owner } = await assertTask(queries, repo, found.task)
  if (found.author !== by.actor && owner !== by.actor) throw notYours(found, owner)
  await lockRepo(queries, repo)
  if (await isResolved(queries, repo, root)) return found
  const position = await nextPosition(queries, repo)
  await queries
    .insert(threadResolution)
    .values({ repo, record: root, position, actor: by.actor, at: NOW })
  await noteFact(queries, { repo, position }, 'thread.resolved', root, by)
  return found
}

export async function resolvedThreads(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
): Promise<ReadonlySet<RecordId>> {
  const rows = await queries
    .select({ root: threadResolution.record })
    .from(threadResolution)
    .innerJoin(
      record,
      and(eq(record.repo, threadResolution.repo), eq(record.id, threadResolution.record)),
    )
    .where(and(eq(record.repo, repo), eq(record.task, id)))
    .limit(bounded(Number.POSITIVE_INFINITY))
  return new Set(rows.map(({ root }) => root))
}

async function isResolved(queries: Queries, repo: RepoId, root: RecordId): Promise<boolean> {
  const rows = await queries
    .select({ root: threadResolution.record })
    .from(threadResolution)
    .where(and(eq(threadResolution.repo, repo), eq(threadResolution.record, root)))
  return rows.length > 0
}

function notAThread({ id, kind }: TaskRecord): Fault {
  return new Fault(
    'refused_rule',
    `The ${kind} ${id} opens no thread: only a note or a review that points at code does.`,
    'See `av review show` for the threads there are.',
    { detail: { reason: 'not_a_thread', id } },
  )
}

function notYours({ id, author }: TaskRecord, owner: string | null): Fault {
  const who = owner === null || owner === author ? author : `${author}, or ${owner} as the owner`
  return new Fault(
    'refused_rule',
    `The thread ${id} is closed by ${who}.`,
    'Answer it with a record that has --reply-to.',
    { detail: { reason: 'not_yours', author, owner } },
  )
}
