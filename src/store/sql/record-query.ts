import { and, asc, desc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Anchor } from '../../domain/anchor.ts'
import type { RecordId, TaskRecord } from '../../domain/record.ts'
import type { Position, RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import { fact, record } from '../schema.ts'
import type { Page, RecordFilter, RecordWords } from '../store.ts'
import { bounded, pageOf } from './bounds.ts'

/** What stands in the record's own row. */
export const rowColumns = {
  repo: record.repo,
  id: record.id,
  position: record.position,
  task: record.task,
  kind: record.kind,
  summary: record.summary,
  body: record.body,
  replyTo: record.replyTo,
  receipt: record.receipt,
  author: record.author,
  session: record.session,
  redacted: record.redacted,
  purged: record.purged,
  at: record.at,
}

/**
 * A record with its links, in one statement: a snapshot, even while others write. Names of the outer table are spelled
 * out, because drizzle leaves a column's table away where there is only one.
 */
const recordColumns = {
  ...rowColumns,
  anchors: sql<readonly Anchor[]>`(
    select coalesce(json_agg(json_build_object('path', a.path, 'symbol', a.symbol, 'hash', a.hash) order by a.ordinal), '[]')
    from record_anchor a where a.repo = "record"."repo" and a.record = "record"."id")`,
  supersedes: sql<readonly RecordId[]>`(
    select coalesce(json_agg(s.superseded order by s.ordinal), '[]')
    from supersession s where s.repo = "record"."repo" and s.record = "record"."id")`,
  supersededBy: sql<readonly RecordId[]>`(
    select coalesce(json_agg(s.record order by n.position), '[]')
    from supersession s join record n on n.repo = s.repo and n.id = s.record
    where s.repo = "record"."repo" and s.superseded = "record"."id")`,
}

export type RecordLinks = Pick<TaskRecord, 'anchors' | 'supersedes' | 'supersededBy'>

const RECORDS_AT_ONCE = 1_000

export async function findRecord(
  queries: Queries,
  repo: RepoId,
  id: RecordId,
): Promise<TaskRecord | null> {
  const [found] = await queries
    .select(recordColumns)
    .from(record)
    .where(and(eq(record.repo, repo), eq(record.id, id)))
  return found ?? null
}

export async function recordsById(
  queries: Queries,
  repo: RepoId,
  ids: readonly RecordId[],
): Promise<readonly TaskRecord[]> {
  const found = new Map<RecordId, TaskRecord>()
  for (let from = 0; from < ids.length; from += RECORDS_AT_ONCE) {
    const rows = await queries
      .select(recordColumns)
      .from(record)
      .where(
        and(eq(record.repo, repo), inArray(record.id, ids.slice(from, from + RECORDS_AT_ONCE))),
      )
    for (const row of rows) found.set(row.id, row)
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

export async function recordTexts(
  queries: Queries,
  repo: RepoId,
  ids: readonly RecordId[],
): Promise<readonly RecordWords[]> {
  const found: RecordWords[] = []
  for (let from = 0; from < ids.length; from += RECORDS_AT_ONCE) {
    const some = ids.slice(from, from + RECORDS_AT_ONCE)
    const rows = await queries
      .select({ id: record.id, summary: record.summary, body: record.body })
      .from(record)
      .where(and(eq(record.repo, repo), inArray(record.id, some), eq(record.purged, false)))
    for (const row of rows) found.push(row)
  }
  return found
}

export async function recordsByPrefix(
  queries: Queries,
  repo: RepoId,
  prefix: string,
  limit: number,
): Promise<readonly TaskRecord[]> {
  return queries
    .select(recordColumns)
    .from(record)
    .where(and(eq(record.repo, repo), sql`${record.id} ^@ ${prefix}`))
    .orderBy(asc(record.id))
    .limit(bounded(limit))
}

export async function listRecords(
  queries: Queries,
  repo: RepoId,
  filter: RecordFilter,
  limit: number,
): Promise<Page<TaskRecord>> {
  const rows = await queries
    .select(recordColumns)
    .from(record)
    .where(
      and(
        eq(record.repo, repo),
        filter.task === undefined ? undefined : eq(record.task, filter.task),
        filter.kind === undefined ? undefined : eq(record.kind, filter.kind),
        filter.path === undefined ? undefined : isAnchoredAt(filter.path, filter.symbol),
        filter.all ? undefined : IS_CURRENT,
      ),
    )
    .orderBy(desc(record.position))
    .limit(bounded(limit) + 1)
  return pageOf(rows, limit)
}

export async function recordsAfter(
  queries: Queries,
  repo: RepoId,
  after: Position,
  limit: number,
): Promise<readonly TaskRecord[]> {
  return queries
    .select(recordColumns)
    .from(record)
    .where(and(eq(record.repo, repo), gt(record.position, after)))
    .orderBy(asc(record.position))
    .limit(bounded(limit))
}

export async function lastPurge(queries: Queries, repo: RepoId): Promise<Position | null> {
  const [row] = await queries
    .select({ position: fact.position })
    .from(fact)
    .where(and(eq(fact.repo, repo), sql`event = 'purged'`))
    .orderBy(desc(fact.position))
    .limit(1)
  return row?.position ?? null
}

const IS_CURRENT = sql`not exists (
  select from supersession s where s.repo = "record"."repo" and s.superseded = "record"."id")`

/** `left(…, 400)` is what the index holds; a longer path is compared whole after that. */
function isAnchoredAt(path: string, symbol: string | undefined): SQL {
  const place = path.endsWith('/')
    ? sql`left(a.path, 400) ^@ left(${path}, 400) and a.path ^@ ${path}`
    : sql`left(a.path, 400) = left(${path}, 400) and a.path = ${path}`
  const related =
    symbol === undefined
      ? sql``
      : sql`and (a.symbol is null or a.symbol = ${symbol}
          or a.symbol ^@ (${symbol} || '.') or ${symbol} ^@ (a.symbol || '.'))`
  return sql`exists (
    select from record_anchor a
    where a.repo = "record"."repo" and a.record = "record"."id" and ${place} ${related})`
}
