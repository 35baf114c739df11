import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { type Claim, judgeClaim, RENEWAL_STATES } from '../../domain/claim.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import type { Claimed, NewClaim } from '../task-life.ts'
import { listClaims, noteClaim } from './claims.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { contention, isHeldInSql, isLegalInSql } from './guard.ts'
import { landingFault } from './landing-row.ts'
import { isTask, leaseEnd, taskColumns, taskNotFound } from './task-row.ts'

/** @throws Fault as `TaskLife.claimTask` says. */
export async function claimTask(
  queries: Queries,
  repo: RepoId,
  want: NewClaim,
  by: Caller,
): Promise<Claimed> {
  const renewed = await renew(queries, repo, want, by)
  if (renewed !== null) {
    return { task: renewed, isRenewal: true, previous: await previousOf(queries, renewed) }
  }
  const seen = await judged(queries, repo, want.task, by)
  const granted = await grant(queries, seen, want, by)
  if (granted === null) {
    await judged(queries, repo, want.task, by)
    throw contention(want.task)
  }
  const position = await nextPosition(queries, repo)
  await noteClaim(queries, granted, by)
  await noteFact(queries, { repo, position }, 'task.claimed', granted.id, by)
  return { task: granted, isRenewal: false, previous: await previousOf(queries, granted) }
}

const IS_LAPSED = sql<boolean>`(${task.leaseExpiresAt} is null or ${task.leaseExpiresAt} <= av_now())`

/** Nothing but the lease: no generation and no position, and `updatedAt` stays. */
async function renew(
  queries: Queries,
  repo: RepoId,
  { task: id, leaseSecs }: NewClaim,
  by: Caller,
): Promise<Task | null> {
  if (by.generation === null) return null
  const [row] = await queries
    .update(task)
    .set({ leaseExpiresAt: leaseEnd(leaseSecs) })
    .where(
      and(
        isTask(repo, id),
        isHeldInSql(by),
        inArray(task.state, [...RENEWAL_STATES]),
        isNull(task.landing),
      ),
    )
    .returning(taskColumns)
  return row ?? null
}

/** Repeats `judgeClaim`, on the task as it is when it is written to and in the generation that was judged. */
async function grant(
  queries: Queries,
  seen: Task,
  want: NewClaim,
  by: Caller,
): Promise<Task | null> {
  const isOwnName = and(eq(task.state, 'open'), eq(task.owner, by.actor))
  const isFree = or(eq(task.state, 'handed_off'), isNull(task.owner), IS_LAPSED)
  const isBare = sql`${task.base} is null and ${task.head} is null`
  const [row] = await queries
    .update(task)
    .set({
      owner: by.actor,
      ownerSession: by.session,
      generation: sql`${task.generation} + 1`,
      leaseExpiresAt: leaseEnd(want.leaseSecs),
      state: sql`case ${task.state} when 'handed_off' then 'open' else ${task.state} end`,
      base: sql`case when ${isBare} then ${want.base} else ${task.base} end`,
      updatedAt: NOW,
    })
    .where(
      and(
        isTask(seen.repo, seen.id),
        eq(task.generation, seen.generation),
        isNull(task.landing),
        isLegalInSql('claim'),
        or(isFree, isOwnName),
      ),
    )
    .returning(taskColumns)
  return row ?? null
}

/** The task as it is; @throws Fault what speaks against the claim. */
async function judged(queries: Queries, repo: RepoId, id: TaskId, by: Caller): Promise<Task> {
  const [row] = await queries
    .select({ ...taskColumns, isLapsed: IS_LAPSED })
    .from(task)
    .where(isTask(repo, id))
  if (row === undefined) throw taskNotFound(id)
  const { isLapsed, ...found } = row
  judgeClaim(found, by, isLapsed)
  if (found.landing !== null) throw await landingFault(queries, found)
  return found
}

/** Who held it in the generation before this one. */
async function previousOf(queries: Queries, { repo, id, generation }: Task): Promise<Claim | null> {
  const claims = await listClaims(queries, repo, id)
  return claims.findLast((claim) => claim.generation < generation) ?? null
}
