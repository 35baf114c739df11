import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { canonicalJson } from '../../domain/canonical.ts'
import { Fault } from '../../domain/fault.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { TaskId } from '../../domain/task.ts'
import { type Queries, rowsOf } from '../database.ts'
import { lastReceipt, receipt } from '../schema.ts'
import type { NewReceipt, Page, Receipt, ReceiptFilter } from '../store.ts'
import { bounded, pageOf } from './bounds.ts'
import { NOW } from './fact.ts'
import { idTaken } from './free-id.ts'
import { packText, unpack } from './packed-json.ts'
import { assertTask } from './task-row.ts'

const receiptColumns = {
  repo: receipt.repo,
  id: receipt.id,
  task: receipt.task,
  actor: receipt.actor,
  session: receipt.session,
  manifest: receipt.manifest,
  at: receipt.at,
}

/**
 * Keeps a receipt; the same one again changes nothing, but is the newest of its session once more.
 * Every pack waits for this: a new receipt takes one statement and no transaction around it.
 * @throws Fault `conflict` when another manifest has the id; `not_found` for an unknown task.
 */
export async function putReceipt(queries: Queries, repo: RepoId, fresh: NewReceipt): Promise<void> {
  if (await insertNew(queries, repo, fresh)) return
  await assertTask(queries, repo, fresh.task)
  await assertSameManifest(queries, repo, fresh)
  if (fresh.session === null) return
  const { task, actor, session, id } = fresh
  await queries
    .insert(lastReceipt)
    .values({ repo, task, actor, session, receipt: id, at: NOW })
    .onConflictDoUpdate({
      target: [lastReceipt.repo, lastReceipt.task, lastReceipt.actor, lastReceipt.session],
      set: { receipt: id, at: NOW },
    })
}

/** False when the task is unknown or the id is in use: then nothing was written. */
async function insertNew(
  queries: Queries,
  repo: RepoId,
  { id, task, actor, session, manifest }: NewReceipt,
): Promise<boolean> {
  const rows = await rowsOf(
    queries,
    sql`
      with made as (
        insert into receipt (repo, id, task, actor, session, manifest, at)
        select repo, ${id}::text, id, ${actor}::text, ${session}::text, ${packText(manifest)}::bytea, ${NOW}
        from task where repo = ${repo} and id = ${task}
        on conflict do nothing
        returning repo, id, task, actor, session, at
      ), newest as (
        insert into last_receipt (repo, task, actor, session, receipt, at)
        select repo, task, actor, session, id, at from made where session is not null
        on conflict (repo, task, actor, session)
        do update set receipt = excluded.receipt, at = excluded.at
      )
      select id from made`,
  )
  return rows.length > 0
}

export async function receiptsByPrefix(
  queries: Queries,
  repo: RepoId,
  prefix: string,
  limit: number,
): Promise<readonly Receipt[]> {
  const rows = await queries
    .select(receiptColumns)
    .from(receipt)
    .where(and(eq(receipt.repo, repo), sql`${receipt.id} ^@ ${prefix}`))
    .orderBy(asc(receipt.id))
    .limit(bounded(limit))
  return rows.map(toReceipt)
}

export async function listReceipts(
  queries: Queries,
  repo: RepoId,
  filter: ReceiptFilter,
  limit: number,
): Promise<Page<Receipt>> {
  const rows = await queries
    .select(receiptColumns)
    .from(receipt)
    .where(
      and(
        eq(receipt.repo, repo),
        filter.task === undefined ? undefined : eq(receipt.task, filter.task),
        filter.session === undefined ? undefined : eq(receipt.session, filter.session),
      ),
    )
    .orderBy(desc(receipt.at), asc(receipt.id))
    .limit(bounded(limit) + 1)
  return pageOf(rows.map(toReceipt), limit)
}

/**
 * The id of the receipt that a record cites; a caller without a session has no last one.
 * @throws Fault `not_found` for one that is not there.
 */
export async function citedReceipt(
  queries: Queries,
  repo: RepoId,
  task: TaskId,
  cited: string | null,
  by: Caller,
): Promise<string | null> {
  if (cited === 'last')
    return by.session === null ? null : lastOf(queries, repo, task, by.actor, by.session)
  if (cited === null) return null
  const [known] = await queries
    .select({ id: receipt.id })
    .from(receipt)
    .where(and(eq(receipt.repo, repo), eq(receipt.id, cited)))
  if (known !== undefined) return known.id
  throw new Fault('not_found', `There is no receipt ${cited}.`, 'See `av receipt list`.', {
    detail: { reason: 'receipt', id: cited },
  })
}

async function lastOf(
  queries: Queries,
  repo: RepoId,
  task: TaskId,
  actor: string,
  session: string,
): Promise<string | null> {
  const [last] = await queries
    .select({ receipt: lastReceipt.receipt })
    .from(lastReceipt)
    .where(
      and(
        eq(lastReceipt.repo, repo),
        eq(lastReceipt.task, task),
        eq(lastReceipt.actor, actor),
        eq(lastReceipt.session, session),
      ),
    )
  return last?.receipt ?? null
}

async function assertSameManifest(
  queries: Queries,
  repo: RepoId,
  { id, manifest }: NewReceipt,
): Promise<void> {
  const [kept] = await queries
    .select({ manifest: receipt.manifest })
    .from(receipt)
    .where(and(eq(receipt.repo, repo), eq(receipt.id, id)))
  // Those of before 0006 have their keys in another order.
  if (kept === undefined || canonicalJson(unpack(kept.manifest)) !== manifest) throw idTaken(id)
}

function toReceipt(row: Omit<Receipt, 'manifest'> & { readonly manifest: Uint8Array }): Receipt {
  return { ...row, manifest: unpack(row.manifest) as Receipt['manifest'] }
}
