import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { Fault } from '../../domain/fault.ts'
import type { Landing } from '../../domain/landing.ts'
import { isLegal, refusedTransition } from '../../domain/lifecycle.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import { landing } from '../schema-review.ts'
import type { LandingFilter, NewLanding } from '../trunk-slot.ts'
import { bounded } from './bounds.ts'
import { NOW } from './fact.ts'
import { contention, isLegalInSql } from './guard.ts'
import { findOpenLanding, landingColumns, landingFault, underWay } from './landing-row.ts'
import { passSlot } from './slot.ts'
import { findTask, isTask, taskNotFound } from './task-row.ts'
import { carryVerdict, findVerdict } from './verdicts.ts'

/**
 * The task first, judged in the statement that binds it; then the slot and trunk, in the one that holds the slot on.
 * @throws Fault as `TrunkSlot.openLanding` says, in that order.
 */
export async function openLanding(
  queries: Queries,
  repo: RepoId,
  fresh: NewLanding,
  by: Caller,
): Promise<Landing> {
  await bindTask(queries, repo, fresh)
  const { slot, kind, old, patch, files, ttlSecs } = fresh
  await passSlot(queries, repo, slot, { ttlSecs, from: [old] })
  const verdict = await verdictOf(queries, repo, fresh, by)
  const [row] = await queries
    .insert(landing)
    .values({
      ...{ repo, slot, task: fresh.task, kind, old, new: fresh.new, patch, verdict },
      files: [...files],
      state: 'open',
      position: null,
      actor: by.actor,
      session: by.session,
      at: NOW,
    })
    .onConflictDoNothing()
    .returning(landingColumns)
  if (row === undefined) throw underWay('Something else', await findOpenLanding(queries, repo))
  return row
}

export async function listLandings(
  queries: Queries,
  repo: RepoId,
  filter: LandingFilter,
  limit: number,
): Promise<readonly Landing[]> {
  return queries
    .select(landingColumns)
    .from(landing)
    .where(
      and(
        eq(landing.repo, repo),
        filter.task === undefined ? undefined : eq(landing.task, filter.task),
        filter.states === undefined ? undefined : inArray(landing.state, [...filter.states]),
      ),
    )
    .orderBy(desc(landing.slot))
    .limit(bounded(limit))
}

async function bindTask(queries: Queries, repo: RepoId, fresh: NewLanding): Promise<void> {
  const [bound] = await queries
    .update(task)
    .set({ landing: fresh.slot, updatedAt: NOW })
    .where(
      and(
        isTask(repo, fresh.task),
        isLegalInSql(fresh.kind),
        isNull(task.landing),
        MAY_LAND[fresh.kind](fresh),
      ),
    )
    .returning({ id: task.id })
  if (bound === undefined) throw await whyNotBound(queries, repo, fresh)
}

/** What must hold of the task beside its state, so that trunk may be moved for it. */
const MAY_LAND: Readonly<Record<NewLanding['kind'], (fresh: NewLanding) => SQL>> = {
  merge: ({
    merge,
    patch,
  }) => sql`"task"."approval" = ${merge?.verdict ?? null}::bigint and exists (
    select from verdict v
    where v.repo = "task"."repo" and v.position = "task"."approval"
      and v.tree = ${merge?.tree ?? null} and v.patch = ${reviewedPatch({ merge, patch })})`,
  undo: (fresh) => isTip(fresh),
  revert: () => sql`"task"."landed" is not null and not 'reverted' = any("task"."flags")`,
}

/** A patch that was not carried lands as it was approved; one that was is another by what it was carried over. */
function reviewedPatch({ merge, patch }: Pick<NewLanding, 'merge' | 'patch'>) {
  return merge === null || merge.carried === null ? sql`${patch}` : sql`v.patch`
}

/** By av's own hand, the newest there was for this task, and back to where trunk came from. */
function isTip({ old, new: back }: NewLanding): SQL {
  return sql`"task"."landed" = ${old} and exists (
    select from landing l
    where l.repo = "task"."repo" and l.task = "task"."id" and l.kind = 'merge' and l.state = 'landed'
      and l.new = ${old} and l.old is not distinct from ${back}
      and l.position = (
        select max(n.position) from landing n
        where n.repo = l.repo and n.task = l.task and n.state = 'landed'))`
}

/** The verdict a merge lands by: the one that was given, or its carried copy. */
async function verdictOf(
  queries: Queries,
  repo: RepoId,
  { merge, old }: NewLanding,
  by: Caller,
): Promise<Landing['verdict']> {
  if (merge === null) return null
  if (merge.carried === null) return merge.verdict
  const given = await findVerdict(queries, repo, merge.verdict)
  return carryVerdict(queries, given!, { ...merge.carried, trunk: old }, by)
}

async function whyNotBound(queries: Queries, repo: RepoId, fresh: NewLanding): Promise<Fault> {
  const found = await findTask(queries, repo, fresh.task)
  if (found === null) return taskNotFound(fresh.task)
  if (!isLegal(found, fresh.kind)) return refusedTransition(found, fresh.kind)
  const broken = await brokenRule(queries, found, fresh)
  if (broken !== null) return broken
  return found.landing === null ? contention(found.id) : landingFault(queries, found)
}

async function brokenRule(queries: Queries, found: Task, fresh: NewLanding): Promise<Fault | null> {
  if (fresh.kind === 'merge' && found.approval !== (fresh.merge?.verdict ?? null)) {
    return notApproved(found)
  }
  if (fresh.kind === 'merge' && found.approval === null) return notApproved(found)
  const [holds] = await queries
    .select({ id: task.id })
    .from(task)
    .where(and(isTask(found.repo, found.id), MAY_LAND[fresh.kind](fresh)))
  if (holds !== undefined) return null
  if (fresh.kind === 'merge') return treeChanged(found)
  return fresh.kind === 'undo' ? notTrunkTip(found) : alreadyReverted(found)
}

function notApproved({ id, approvalVoid }: Task): Fault {
  const why = approvalVoid === null ? '' : `: the last approval does not count, ${approvalVoid}`
  return new Fault(
    'refused_rule',
    `${id} is not approved as it is${why}.`,
    `Have it looked at: \`av review show ${id}\`, then \`av approve ${id}\`.`,
    { detail: { reason: 'not_approved', void: approvalVoid } },
  )
}

function treeChanged({ id, approvedBy }: Task): Fault {
  return new Fault(
    'refused_rule',
    `The files of ${id} are not those that ${approvedBy ?? 'somebody'} approved.`,
    `Have it looked at again: \`av review show ${id}\`, then \`av approve ${id}\`.`,
    { detail: { reason: 'tree_changed' } },
  )
}

function notTrunkTip({ id, landed }: Task): Fault {
  return new Fault(
    'refused_rule',
    `${id} is not the tip of trunk: it cannot be undone without taking others' work with it.`,
    `Take its changes back with \`av revert ${id}\`.`,
    { detail: { reason: 'not_trunk_tip', landed } },
  )
}

function alreadyReverted({ id, landed }: Task): Fault {
  return new Fault('refused_rule', `${id} was reverted already.`, `See \`av task show ${id}\`.`, {
    detail: { reason: 'already_reverted', landed },
  })
}
