import { and, desc, eq, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { claimFault, isHeldBy } from '../../domain/claim.ts'
import { Fault } from '../../domain/fault.ts'
import type { CommitId, RepoId } from '../../domain/repo.ts'
import { LIVE_STATES } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { bundle, bundlePart } from '../schema-review.ts'
import type { BundleHead } from '../task-life.ts'
import { listClaims } from './claims.ts'
import { NOW } from './fact.ts'
import { idTaken } from './free-id.ts'
import { lockTask } from './task-row.ts'

/** Bytes; what is larger travels by a git remote. */
const BUNDLE_MAX = 64 * 1024 * 1024
const PART_MAX = 4 * 1024 * 1024

type Part = { readonly ordinal: number; readonly data: Uint8Array }

const headColumns = {
  id: bundle.id,
  task: bundle.task,
  base: bundle.base,
  tip: bundle.tip,
  size: bundle.size,
  parts: bundle.parts,
}

/**
 * The task's row is kept meanwhile: of two clients that put the last parts of one bundle, one sees them all. Who sends
 * under a claim is judged by it; only such a one has what the task needs no more thrown away.
 * @throws Fault `claim_lost`, `refused_rule` as `passGuard`; `too_large` reasons `bundle_too_large`, `part_too_large`; `bad_input` reasons `bundle_part` and
 *   `bundle_broken` (the parts are not what the id promises); `conflict` for an id that is another bundle's; `not_found`.
 */
export async function putBundlePart(
  queries: Queries,
  repo: RepoId,
  head: BundleHead,
  part: Part,
  by: Caller,
): Promise<{ readonly isComplete: boolean }> {
  assertWithin(head, part)
  const held = await lockTask(queries, repo, head.task)
  if (by.generation !== null && !isHeldBy(held, by)) {
    throw claimFault(held, await listClaims(queries, repo, head.task), by)
  }
  if (await isKept(queries, repo, head)) return { isComplete: true }
  const { ordinal, data } = part
  await queries
    .insert(bundlePart)
    .values({ repo, bundle: head.id, ordinal, data })
    .onConflictDoUpdate({
      target: [bundlePart.repo, bundlePart.bundle, bundlePart.ordinal],
      set: { data },
    })
  if (!(await isWhole(queries, repo, head))) return { isComplete: false }
  await queries.update(bundle).set({ isComplete: true }).where(isBundle(repo, head.id))
  if (by.generation !== null) await prune(queries, repo, head, held.head)
  return { isComplete: true }
}

/** Of several that bring it, the newest. */
export async function bundleOf(
  queries: Queries,
  repo: RepoId,
  tip: CommitId,
): Promise<BundleHead | null> {
  const [row] = await queries
    .select(headColumns)
    .from(bundle)
    .where(and(eq(bundle.repo, repo), eq(bundle.tip, tip), eq(bundle.isComplete, true)))
    .orderBy(desc(bundle.at), bundle.id)
    .limit(1)
  return row ?? null
}

export async function findBundlePart(
  queries: Queries,
  repo: RepoId,
  id: string,
  ordinal: number,
): Promise<Uint8Array | null> {
  const [row] = await queries
    .select({ data: bundlePart.data })
    .from(bundlePart)
    .where(
      and(eq(bundlePart.repo, repo), eq(bundlePart.bundle, id), eq(bundlePart.ordinal, ordinal)),
    )
  return row === undefined ? null : new Uint8Array(row.data)
}

function isBundle(repo: RepoId, id: string) {
  return and(eq(bundle.repo, repo), eq(bundle.id, id))
}

/** Whether it is whole already; begins it where it is not there. @throws Fault `conflict`. */
async function isKept(queries: Queries, repo: RepoId, head: BundleHead): Promise<boolean> {
  await queries
    .insert(bundle)
    .values({ ...head, repo, isComplete: false, at: NOW })
    .onConflictDoNothing()
  const [known] = await queries
    .select({ ...headColumns, isComplete: bundle.isComplete })
    .from(bundle)
    .where(isBundle(repo, head.id))
  const { isComplete = false, ...kept } = known ?? {}
  if (!Bun.deepEquals(kept, { ...head })) throw idTaken(head.id)
  return isComplete
}

/** All parts are there, and they are the bytes that the id is the hash of. */
async function isWhole(queries: Queries, repo: RepoId, head: BundleHead): Promise<boolean> {
  const [row] = await queries
    .select({
      parts: sql<number>`count(*)`.mapWith(Number),
      size: sql<number>`coalesce(sum(length(${bundlePart.data})), 0)`.mapWith(Number),
    })
    .from(bundlePart)
    .where(and(eq(bundlePart.repo, repo), eq(bundlePart.bundle, head.id)))
  if (row?.parts !== head.parts) return false
  if (row.size === head.size && (await hashOf(queries, repo, head.id)) === head.id) return true
  throw new Fault(
    'bad_input',
    `The parts of the bundle ${head.id} are not the bytes of that hash.`,
    'Run the command again: it sends all of them.',
    { detail: { reason: 'bundle_broken', size: row.size } },
  )
}

async function hashOf(queries: Queries, repo: RepoId, id: string): Promise<string | undefined> {
  const [row] = await queries
    .select({
      hash: sql<string>`encode(sha256(string_agg(${bundlePart.data}, ''::bytea order by ${bundlePart.ordinal})), 'hex')`,
    })
    .from(bundlePart)
    .where(and(eq(bundlePart.repo, repo), eq(bundlePart.bundle, id)))
  return row?.hash
}

/** What is kept: the new one, the head, what was reviewed, and what another live task stands on. */
async function prune(
  queries: Queries,
  repo: RepoId,
  { id, task }: BundleHead,
  head: CommitId | null,
): Promise<void> {
  const live = sql.join(
    LIVE_STATES.map((state) => sql`${state}`),
    sql`, `,
  )
  await queries.execute(sql`
    delete from bundle b
    where b.repo = ${repo} and b.task = ${task} and b.id <> ${id} and b.tip is distinct from ${head}
      and not exists (select from verdict v where v.repo = b.repo and v.task = b.task and v.tip = b.tip)
      and not exists (select from task t where t.repo = b.repo and t.base = b.tip and t.state in (${live}))`)
}

function assertWithin({ id, size, parts }: BundleHead, { ordinal, data }: Part): void {
  if (size > BUNDLE_MAX) {
    throw new Fault(
      'too_large',
      `The task's commits make ${size} bytes; ${BUNDLE_MAX} go through the store.`,
      'Name a git remote in .av.toml: larger work travels by it.',
      { detail: { reason: 'bundle_too_large', size, limit: BUNDLE_MAX } },
    )
  }
  if (data.length > PART_MAX) {
    throw new Fault(
      'too_large',
      `A part of ${data.length} bytes; the limit is ${PART_MAX}.`,
      'Send it in smaller parts.',
      { detail: { reason: 'part_too_large', size: data.length, limit: PART_MAX } },
    )
  }
  if (Number.isInteger(ordinal) && ordinal >= 0 && ordinal < parts && data.length > 0) return
  throw new Fault(
    'bad_input',
    `The bundle ${id} has ${parts} parts; there is no part ${ordinal} of ${data.length} bytes.`,
    'Number them from 0, and leave none empty.',
    { detail: { reason: 'bundle_part', ordinal, parts } },
  )
}
