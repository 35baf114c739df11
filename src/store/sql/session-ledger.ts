import { and, asc, count, desc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { sentAfter } from '../../domain/ledger.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Tier } from '../../domain/section-fill.ts'
import type { Queries } from '../database.ts'
import { readingSession, sentItem } from '../schema-session.ts'
import {
  ENTRIES_MAX,
  type Reader,
  type ReadingSession,
  type SentItem,
  type SentTo,
  type SessionLedger,
} from '../session-ledger.ts'
import type { Page } from '../store.ts'
import { bounded, pageOf } from './bounds.ts'
import { NOW } from './fact.ts'

type Delivery = Parameters<SessionLedger['noteSent']>[2]

export async function sentTo(
  queries: Queries,
  repo: RepoId,
  reader: Reader,
): Promise<{ readonly resets: number; readonly items: readonly SentItem[] }> {
  // Asked first: when the session is reset in between, what is noted by it does not count.
  const resets = await resetsOf(queries, repo, reader.session)
  return { resets, items: await itemsOf(queries, isOf(repo, reader)) }
}

/**
 * In one row, and unsorted: two thousand rows, or a sort of them, would cost a pack more than all else.
 * Ids hold whatever a path may; the others are words without a comma. Arrays would be read letter by letter.
 */
async function itemsOf(queries: Queries, isWanted: SQL | undefined): Promise<readonly SentItem[]> {
  const words = (column: AnyPgColumn) => sql<string | null>`string_agg(${column}, ',')`
  const [row] = await queries
    .select({
      ids: sql<readonly string[] | null>`json_agg(${sentItem.item})`,
      tiers: words(sentItem.tier),
      hashes: words(sentItem.hash),
    })
    .from(sentItem)
    .where(isWanted)
  const [tiers, hashes] = [row?.tiers?.split(','), row?.hashes?.split(',')]
  return (row?.ids ?? []).map((id, at) => ({
    ...{ id, tier: tiers?.[at] as Tier, hash: hashes?.[at] ?? '' },
  }))
}

/** The session's row is taken first, here and by a reset: one of the two comes before the other. */
export async function noteSent(
  queries: Queries,
  repo: RepoId,
  reader: Reader,
  delivery: Delivery,
): Promise<boolean> {
  const { session } = reader
  await queries
    .insert(readingSession)
    .values({ repo, session, resets: 0, deliveries: 0, seenAt: NOW })
    .onConflictDoNothing()
  const [row] = await queries
    .update(readingSession)
    .set({ deliveries: sql`${readingSession.deliveries} + 1`, seenAt: NOW })
    .where(and(isSession(repo, session), eq(readingSession.resets, delivery.resets)))
    .returning({ deliveries: readingSession.deliveries })
  if (row === undefined) return false
  await putSent(queries, repo, reader, delivery, row.deliveries)
  await forgetOldest(queries, repo, reader)
  return true
}

async function putSent(
  queries: Queries,
  repo: RepoId,
  reader: Reader,
  { receipt, items }: Delivery,
  delivery: number,
): Promise<void> {
  if (items.length === 0) return
  const ids = sql.param(items.map(({ id }) => id))
  const isThese = sql`${sentItem.item} = any(${ids}::text[])`
  const known = await itemsOf(queries, and(isOf(repo, reader), isThese))
  const before = new Map(known.map((item) => [item.id, item]))
  const after = items.map((item) => sentAfter(before.get(item.id) ?? null, item))
  const tiers = sql.param(after.map(({ tier }) => tier))
  const hashes = sql.param(after.map(({ hash }) => hash))
  await queries.execute(sql`
    insert into sent_item (repo, session, actor, item, tier, hash, delivery, receipt, at)
    select ${repo}, ${reader.session}, ${reader.actor}, s.item, s.tier, s.hash, ${delivery}::integer, ${receipt}, ${NOW}
    from unnest(${ids}::text[], ${tiers}::text[], ${hashes}::text[]) as s (item, tier, hash)
    on conflict (repo, session, actor, item) do update
    set tier = excluded.tier, hash = excluded.hash, delivery = excluded.delivery,
      receipt = excluded.receipt, at = excluded.at`)
}

async function forgetOldest(queries: Queries, repo: RepoId, reader: Reader): Promise<void> {
  const [kept] = await queries.select({ items: count() }).from(sentItem).where(isOf(repo, reader))
  if ((kept?.items ?? 0) <= ENTRIES_MAX) return
  await queries.execute(sql`
    delete from sent_item where ${isOf(repo, reader)} and item in (
      select item from sent_item where ${isOf(repo, reader)}
      order by delivery desc, item offset ${ENTRIES_MAX})`)
}

/** A session of which nothing is known yet is noted too: what is under way to it does not count either. */
export async function resetSession(
  queries: Queries,
  repo: RepoId,
  session: string,
): Promise<number> {
  await queries
    .insert(readingSession)
    .values({ repo, session, resets: 0, deliveries: 0, seenAt: NOW })
    .onConflictDoNothing()
  await queries
    .update(readingSession)
    .set({ resets: sql`${readingSession.resets} + 1`, seenAt: NOW })
    .where(isSession(repo, session))
  const below = await queries
    .select({ session: readingSession.session })
    .from(readingSession)
    .where(isBelow(repo, session))
    .orderBy(asc(readingSession.session))
    .for('update')
  for (const each of below) {
    await queries
      .update(readingSession)
      .set({ resets: sql`${readingSession.resets} + 1` })
      .where(isSession(repo, each.session))
  }
  const forgotten = await queries
    .delete(sentItem)
    .where(
      and(
        eq(sentItem.repo, repo),
        or(eq(sentItem.session, session), sql`${sentItem.session} ^@ ${`${session}/`}`),
      ),
    )
    .returning({ item: sentItem.item })
  return forgotten.length
}

export async function listSessions(
  queries: Queries,
  repo: RepoId,
  { session }: { readonly session?: string },
  limit: number,
): Promise<Page<ReadingSession>> {
  const isWanted = session === undefined ? eq(readingSession.repo, repo) : isSession(repo, session)
  const rows = await queries
    .select({
      session: readingSession.session,
      actors: sql<string[]>`coalesce(array_agg(distinct ${sentItem.actor})
        filter (where ${sentItem.actor} is not null), '{}')`,
      items: count(sentItem.item),
      resets: readingSession.resets,
      seenAt: readingSession.seenAt,
    })
    .from(readingSession)
    .leftJoin(
      sentItem,
      and(eq(sentItem.repo, readingSession.repo), eq(sentItem.session, readingSession.session)),
    )
    .where(isWanted)
    .groupBy(readingSession.repo, readingSession.session)
    .orderBy(desc(readingSession.seenAt), asc(readingSession.session))
    .limit(bounded(limit) + 1)
  return pageOf(rows, limit)
}

export async function listSent(
  queries: Queries,
  repo: RepoId,
  session: string,
  limit: number,
): Promise<Page<SentTo>> {
  const rows = await queries
    .select({
      ...{ id: sentItem.item, tier: sentItem.tier, hash: sentItem.hash, actor: sentItem.actor },
      ...{ receipt: sentItem.receipt, at: sentItem.at },
    })
    .from(sentItem)
    .where(and(eq(sentItem.repo, repo), eq(sentItem.session, session)))
    .orderBy(desc(sentItem.delivery), asc(sentItem.actor), asc(sentItem.item))
    .limit(bounded(limit) + 1)
  return pageOf(rows, limit)
}

/** Of a session that was not heard of for so long, nobody remembers what it read. */
export async function forgetIdleSessions(queries: Queries): Promise<void> {
  await queries
    .delete(readingSession)
    .where(sql`${readingSession.seenAt} < av_now() - interval '30 days'`)
}

async function resetsOf(queries: Queries, repo: RepoId, session: string): Promise<number> {
  const [row] = await queries
    .select({ resets: readingSession.resets })
    .from(readingSession)
    .where(isSession(repo, session))
  return row?.resets ?? 0
}

function isSession(repo: RepoId, session: string): SQL | undefined {
  return and(eq(readingSession.repo, repo), eq(readingSession.session, session))
}

function isBelow(repo: RepoId, session: string): SQL | undefined {
  return and(eq(readingSession.repo, repo), sql`${readingSession.session} ^@ ${`${session}/`}`)
}

function isOf(repo: RepoId, { session, actor }: Reader): SQL | undefined {
  return and(eq(sentItem.repo, repo), eq(sentItem.session, session), eq(sentItem.actor, actor))
}
