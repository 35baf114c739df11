import { and, eq, inArray } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Anchor } from '../../domain/anchor.ts'
import { Fault } from '../../domain/fault.ts'
import { refusedTransition } from '../../domain/lifecycle.ts'
import type { RecordId, TaskRecord } from '../../domain/record.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import type { NewRecord } from '../new-fact.ts'
import { record, recordAnchor, supersession, task } from '../schema.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { insertUnderFreeId } from './free-id.ts'
import { passGuard } from './guard.ts'
import { citedReceipt } from './receipts.ts'
import { type RecordLinks, rowColumns } from './record-query.ts'
import { isTask, taskColumns, taskNotFound } from './task-row.ts'

export const ID_DIGITS_LEAST = 8

/**
 * @throws Fault as `passGuard` for an owner; `not_found` for a task, a record replied to or superseded, or a receipt
 *   that is not there; `refused_transition` for a comment on a task in none of its states; `refused_rule` for a
 *   superseded record of another repo.
 */
export async function addRecord(
  queries: Queries,
  repo: RepoId,
  fresh: NewRecord,
  by: Caller,
  as: 'owner' | 'comment',
): Promise<TaskRecord> {
  if (as === 'owner') await passGuard(queries, repo, { ...fresh, event: 'record' }, by, {})
  else await assertCommentable(queries, repo, fresh)
  return insertRecord(queries, repo, fresh, by)
}

/**
 * For who may write it: the transaction has judged that before.
 * @throws Fault as `addRecord`, for what it refers to.
 */
export async function insertRecord(
  queries: Queries,
  repo: RepoId,
  fresh: Omit<NewRecord, 'states' | 'leaseSecs'>,
  by: Caller,
): Promise<TaskRecord> {
  const position = await nextPosition(queries, repo)
  const supersedes = [...new Set(fresh.supersedes)]
  await assertSupersedable(queries, repo, supersedes)
  if (fresh.replyTo !== null) await assertRecord(queries, repo, fresh.replyTo)
  const receipt = await citedReceipt(queries, repo, fresh.task, fresh.receipt, by)
  const row = await insertUnderFreeId<RecordId, Omit<TaskRecord, keyof RecordLinks>>(
    { prefix: 'r:', digits: fresh.digits, least: ID_DIGITS_LEAST },
    (id) =>
      queries
        .insert(record)
        .values({
          repo,
          id,
          position,
          task: fresh.task,
          kind: fresh.kind,
          summary: fresh.summary,
          body: fresh.body,
          replyTo: fresh.replyTo,
          receipt,
          author: by.actor,
          session: by.session,
          redacted: fresh.redacted,
          purged: false,
          at: NOW,
        })
        .onConflictDoNothing({ target: [record.repo, record.id] })
        .returning(rowColumns),
  )
  await addLinks(queries, row, fresh.anchors, supersedes)
  await noteFact(queries, { repo, position }, 'record.added', row.id, by)
  return { ...row, anchors: fresh.anchors, supersedes, supersededBy: [] }
}

/** Keeps the task from being moved on until the comment is in: it is judged in the state it is stored in. */
async function assertCommentable(
  queries: Queries,
  repo: RepoId,
  { task: id, states }: NewRecord,
): Promise<void> {
  const [found] = await queries.select(taskColumns).from(task).where(isTask(repo, id)).for('share')
  if (found === undefined) throw taskNotFound(id)
  if (!states.includes(found.state)) throw refusedTransition(found, 'record')
}

async function addLinks(
  queries: Queries,
  { repo, id }: Pick<TaskRecord, 'repo' | 'id'>,
  anchors: readonly Anchor[],
  supersedes: readonly RecordId[],
): Promise<void> {
  const of = { repo, record: id }
  const anchorRows = anchors.map(({ path, symbol, hash }, ordinal) => ({
    ...of,
    ordinal,
    path,
    symbol,
    hash,
  }))
  if (anchorRows.length > 0) await queries.insert(recordAnchor).values(anchorRows)
  const supersededRows = supersedes.map((superseded, ordinal) => ({ ...of, ordinal, superseded }))
  if (supersededRows.length > 0) await queries.insert(supersession).values(supersededRows)
}

async function assertSupersedable(
  queries: Queries,
  repo: RepoId,
  ids: readonly RecordId[],
): Promise<void> {
  if (ids.length === 0) return
  const known = await queries
    .select({ id: record.id })
    .from(record)
    .where(and(eq(record.repo, repo), inArray(record.id, [...ids])))
  const missing = ids.find((id) => !known.some((row) => row.id === id))
  if (missing === undefined) return
  const [elsewhere] = await queries
    .select({ id: record.id })
    .from(record)
    .where(eq(record.id, missing))
    .limit(1)
  if (elsewhere === undefined) throw recordNotFound(missing)
  throw new Fault(
    'refused_rule',
    `The record ${missing} belongs to another repo.`,
    'Supersede records of this repo only; see `av log`.',
    { detail: { reason: 'other_repo', id: missing } },
  )
}

async function assertRecord(queries: Queries, repo: RepoId, id: RecordId): Promise<void> {
  const [known] = await queries
    .select({ id: record.id })
    .from(record)
    .where(and(eq(record.repo, repo), eq(record.id, id)))
  if (known === undefined) throw recordNotFound(id)
}

export function recordNotFound(id: string): Fault {
  return new Fault('not_found', `There is no record ${id}.`, 'See `av log`.', {
    detail: { reason: 'record', id },
  })
}
