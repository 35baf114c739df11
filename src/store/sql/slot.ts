import { and, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { Fault } from '../../domain/fault.ts'
import type { CommitId, Position, RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import { repo as repoTable } from '../schema.ts'
import { trunkMove } from '../schema-review.ts'
import type { Slot, TrunkSlot, WantedSlot } from '../trunk-slot.ts'
import { IS_KNOWN_SCHEMA, NOW, newerSchema, noteFact, repoNotFound } from './fact.ts'
import { findOpenLanding } from './landing-row.ts'
import { leaseEnd } from './task-row.ts'

const slotColumns = {
  slot: repoTable.slot,
  actor: repoTable.slotActor,
  task: repoTable.slotTask,
  since: repoTable.slotSince,
  expiresAt: repoTable.slotExpiresAt,
  isHeld: sql<boolean>`coalesce(${repoTable.slotExpiresAt} > av_now(), false)`,
  trunkCommit: repoTable.trunkCommit,
}

/** @throws Fault `conflict` reason `slot_taken`; `not_found`; `store_unavailable` as `nextPosition`. */
export async function takeSlot(
  queries: Queries,
  repo: RepoId,
  want: WantedSlot,
  by: Caller,
): Promise<Slot> {
  const isFree = or(
    isNull(repoTable.slotExpiresAt),
    lte(repoTable.slotExpiresAt, NOW),
    want.left == null ? undefined : eq(repoTable.slot, want.left),
  )
  const [row] = await queries
    .update(repoTable)
    .set({
      slot: sql`${repoTable.slot} + 1`,
      slotActor: by.actor,
      slotSession: by.session,
      slotTask: want.task,
      slotSince: NOW,
      slotExpiresAt: leaseEnd(want.ttlSecs),
    })
    .where(and(eq(repoTable.id, repo), isFree, IS_KNOWN_SCHEMA))
    .returning(slotColumns)
  if (row === undefined) throw await whyNotTaken(queries, repo)
  const open = await findOpenLanding(queries, repo)
  return { number: row.slot, expiresAt: row.expiresAt!, open }
}

/** The number stays, so that it is never given out again. */
const FREED = {
  slotActor: null,
  slotSession: null,
  slotTask: null,
  slotSince: null,
  slotExpiresAt: null,
}

export async function freeSlot(queries: Queries, repo: RepoId, slot: number): Promise<void> {
  await queries
    .update(repoTable)
    .set(FREED)
    .where(and(eq(repoTable.id, repo), eq(repoTable.slot, slot)))
}

/** What passing the slot does to the repo in the same statement. */
export type SlotUse = {
  /** Takes the next position, which is to be noted. */
  readonly takesPosition?: boolean
  readonly frees?: boolean
  /** Holds it for as many seconds from now. */
  readonly ttlSecs?: number
  /** Where trunk must be: at one of these. */
  readonly from?: readonly (CommitId | null)[]
  /** Where trunk goes. */
  readonly to?: CommitId | null
}

/**
 * Lets through who holds the merge slot: one statement judges its number, that it has not lapsed and, where it is
 * told, trunk, and keeps the repo's row until the transaction ends, so that nobody takes the slot meanwhile. Comes
 * after the task's row is locked (see `nextPosition`).
 *
 * @returns the repo's newest position
 * @throws Fault `conflict` reasons `slot_lost`, `trunk_moved`; `not_found`; `store_unavailable` as `nextPosition`.
 */
export async function passSlot(
  queries: Queries,
  repo: RepoId,
  slot: number,
  use: SlotUse,
): Promise<Position> {
  const [row] = await queries
    .update(repoTable)
    .set({
      position: sql`${repoTable.position} + ${use.takesPosition === true ? 1 : 0}`,
      ...(use.frees === true ? FREED : {}),
      ...(use.ttlSecs === undefined ? {} : { slotExpiresAt: leaseEnd(use.ttlSecs) }),
      ...(use.to === undefined ? {} : { trunkCommit: use.to }),
    })
    .where(
      and(
        eq(repoTable.id, repo),
        eq(repoTable.slot, slot),
        gt(repoTable.slotExpiresAt, NOW),
        use.from === undefined ? undefined : isTrunkAt(use.from),
        IS_KNOWN_SCHEMA,
      ),
    )
    .returning({ position: repoTable.position })
  if (row === undefined) throw await whySlotRefused(queries, repo, slot, use)
  return row.position
}

/** @throws Fault as `passSlot`. */
export async function noteTrunk(
  queries: Queries,
  repo: RepoId,
  move: Parameters<TrunkSlot['noteTrunk']>[1],
  by: Caller,
): Promise<Position> {
  const use = { takesPosition: true, from: [move.old], to: move.new }
  const position = await passSlot(queries, repo, move.slot, use)
  await queries.insert(trunkMove).values({
    ...{ repo, position, old: move.old, new: move.new, forced: move.forced },
    kind: 'outside',
    task: null,
    actor: by.actor,
    at: NOW,
  })
  await noteFact(queries, { repo, position }, 'trunk.moved', repo, by)
  return position
}

function isTrunkAt(commits: readonly (CommitId | null)[]) {
  const known = commits.flatMap((commit) => commit ?? [])
  return or(
    known.length === 0 ? undefined : inArray(repoTable.trunkCommit, known),
    commits.includes(null) ? isNull(repoTable.trunkCommit) : undefined,
  )
}

async function whySlotRefused(
  queries: Queries,
  repo: RepoId,
  slot: number,
  { from }: SlotUse,
): Promise<Fault> {
  const [row] = await queries.select(slotColumns).from(repoTable).where(eq(repoTable.id, repo))
  if (row === undefined) return repoNotFound(repo)
  if (row.slot !== slot || !row.isHeld) return slotLost(slot, row)
  if (from === undefined || from.includes(row.trunkCommit)) return newerSchema()
  return new Fault(
    'conflict',
    `Trunk is at ${row.trunkCommit ?? 'no commit'}, not at ${from[0] ?? 'none'}.`,
    'Run the command again: it starts from where trunk is now.',
    { detail: { reason: 'trunk_moved', expected: from[0] ?? null, found: row.trunkCommit } },
  )
}

async function whyNotTaken(queries: Queries, repo: RepoId): Promise<Fault> {
  const [row] = await queries
    .select({ ...slotColumns, isKnown: sql<boolean>`${IS_KNOWN_SCHEMA}` })
    .from(repoTable)
    .where(eq(repoTable.id, repo))
  if (row === undefined) return repoNotFound(repo)
  if (!row.isKnown) return newerSchema()
  const { actor, task, since, expiresAt: until } = row
  const what = task === null ? '' : ` for ${task}`
  return new Fault(
    'conflict',
    `${actor ?? 'Somebody'} moves trunk${what} since ${since ?? 'just now'}; one at a time may.`,
    `Run the command again in a moment; the slot lapses at ${until ?? 'once'} without a word.`,
    { detail: { reason: 'slot_taken', slot: row.slot, actor, task, since, until } },
  )
}

function slotLost(
  slot: number,
  now: { readonly slot: number; readonly actor: string | null; readonly since: string | null },
): Fault {
  const who =
    now.slot === slot
      ? 'it was given back, or lapsed'
      : `slot ${now.slot} was given to ${now.actor ?? 'somebody'}${now.since === null ? '' : ` at ${now.since}`}`
  return new Fault(
    'conflict',
    `The merge slot ${slot} does not hold any more: ${who}.`,
    'Run the command again: it takes a slot of its own, and finishes or discards what was begun.',
    { detail: { reason: 'slot_lost', slot, current: now.slot, actor: now.actor } },
  )
}
