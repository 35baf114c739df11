import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { ConventionId } from '../../domain/convention.ts'
import type { RecordId } from '../../domain/record.ts'
import type { Position, RepoId } from '../../domain/repo.ts'
import type { TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { checkpoint, convention, fact, task } from '../schema.ts'
import { vector } from '../schema-code.ts'
import { attestation } from '../schema-review.ts'
import { conventionNotFound } from './conventions.ts'
import { nextPosition, noteFact } from './fact.ts'
import { findRecord } from './record-query.ts'
import { recordNotFound } from './records.ts'
import { taskNotFound } from './task-row.ts'

/** What stands in place of a purged text. */
export const PURGED = '(purged)'

export type Purged = { readonly id: string; readonly position: Position }

/**
 * Replaces a text by a mark and audits who did it; ids, kinds, positions, times and links stay.
 *  - a record: summary, body, and those anchors that were never found in the code;
 *  - a task: its goal, the messages of its checkpoints, and what its attestations ran and printed;
 *  - a convention: its text.
 * Vectors tell something of what they were made from: all of the repo go, to be made anew.
 * Dead row versions keep the old text on the disk until they are vacuumed, the WAL until it is recycled.
 *
 * @throws Fault `not_found`.
 */
export async function purge(
  queries: Queries,
  repo: RepoId,
  id: string,
  by: Caller,
): Promise<Purged> {
  const position = id.startsWith('r:')
    ? await purgeRecord(queries, repo, id as RecordId, by)
    : id.startsWith('c:')
      ? await purgeConvention(queries, repo, id as ConventionId, by)
      : await purgeTask(queries, repo, id as TaskId, by)
  await queries.delete(vector).where(eq(vector.repo, repo))
  return { id, position }
}

/** By a function of the database: the triggers let nothing else change a record. */
async function purgeRecord(
  queries: Queries,
  repo: RepoId,
  id: RecordId,
  by: Caller,
): Promise<Position> {
  const position = await nextPosition(queries, repo)
  if ((await findRecord(queries, repo, id)) === null) throw recordNotFound(id)
  await queries.execute(
    sql`select av_purge_record(${repo}, ${id}, ${position},
      ${sql.param(by.actor, fact.actor)}, ${sql.param(by.session, fact.session)})`,
  )
  return position
}

async function purgeConvention(
  queries: Queries,
  repo: RepoId,
  id: ConventionId,
  by: Caller,
): Promise<Position> {
  const position = await nextPosition(queries, repo)
  const [row] = await queries
    .update(convention)
    .set({ text: PURGED, position })
    .where(and(eq(convention.repo, repo), eq(convention.id, id)))
    .returning({ id: convention.id })
  if (row === undefined) throw conventionNotFound(id)
  await noteFact(queries, { repo, position }, 'purged', id, by)
  return position
}

/** The task first, then the counter: the order in which guarded writes take them. */
async function purgeTask(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
  by: Caller,
): Promise<Position> {
  const [row] = await queries
    .update(task)
    .set({ goal: PURGED })
    .where(and(eq(task.repo, repo), eq(task.id, id)))
    .returning({ id: task.id })
  if (row === undefined) throw taskNotFound(id)
  const position = await nextPosition(queries, repo)
  await queries
    .update(checkpoint)
    .set({ message: PURGED })
    .where(and(eq(checkpoint.repo, repo), eq(checkpoint.task, id)))
  await queries
    .update(attestation)
    .set({ command: PURGED, log: '' })
    .where(and(eq(attestation.repo, repo), eq(attestation.task, id)))
  await noteFact(queries, { repo, position }, 'purged', id, by)
  return position
}
