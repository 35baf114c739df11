import { and, asc, eq, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { everHeld } from '../../domain/claim.ts'
import { Fault } from '../../domain/fault.ts'
import { assertLegal } from '../../domain/lifecycle.ts'
import type { TaskRecord } from '../../domain/record.ts'
import type { Position, RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Queries } from '../database.ts'
import { repoActor, task } from '../schema.ts'
import { verdict } from '../schema-review.ts'
import type { NewVerdict } from '../task-life.ts'
import { bounded } from './bounds.ts'
import { lastCheckpoint } from './checkpoints.ts'
import { listClaims } from './claims.ts'
import { lockRepo, NOW, nextPosition, noteFact } from './fact.ts'
import { landingFault } from './landing-row.ts'
import { insertRecord } from './records.ts'
import { isTask, leaseEnd, lockTask, taskColumns } from './task-row.ts'

const verdictColumns = {
  repo: verdict.repo,
  position: verdict.position,
  task: verdict.task,
  result: verdict.result,
  base: verdict.base,
  tip: verdict.tip,
  tree: verdict.tree,
  patch: verdict.patch,
  trunk: verdict.trunk,
  isSelf: verdict.isSelf,
  carriedFrom: verdict.carriedFrom,
  carriedOver: verdict.carriedOver,
  record: verdict.record,
  actor: verdict.actor,
  session: verdict.session,
  at: verdict.at,
}

/**
 * The task's row is kept from before it is judged until the verdict is in, and so is the repo's: who else ever wrote
 * to it is judged in the order of the log.
 * @throws Fault as `TaskLife.addVerdict` says.
 */
export async function addVerdict(
  queries: Queries,
  repo: RepoId,
  fresh: NewVerdict,
  by: Caller,
): Promise<{
  readonly task: Task
  readonly verdict: Verdict
  readonly record: TaskRecord | null
}> {
  const found = await lockTask(queries, repo, fresh.task)
  assertLegal(found, fresh.result === 'approve' ? 'approve' : 'request-changes')
  await lockRepo(queries, repo)
  const isSelf = await judgeReviewer(queries, found, fresh, by)
  await assertUnchanged(queries, found, fresh)
  if (found.landing !== null) throw await landingFault(queries, found)
  const record =
    fresh.record === null
      ? null
      : await insertRecord(queries, repo, { ...fresh.record, task: found.id }, by)
  const position = await nextPosition(queries, repo)
  const { result, base, tip, tree, patch, trunk } = fresh
  const [row] = await queries
    .insert(verdict)
    .values({
      ...{ repo, position, task: found.id, result, base, tip, tree, patch, trunk, isSelf },
      carriedFrom: null,
      carriedOver: [],
      record: record?.id ?? null,
      actor: by.actor,
      session: by.session,
      at: NOW,
    })
    .returning(verdictColumns)
  const judged = await follow(queries, found, fresh, position, by)
  await noteFact(queries, { repo, position }, 'verdict.added', found.id, by)
  return { task: judged, verdict: row!, record }
}

export async function listVerdicts(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
): Promise<readonly Verdict[]> {
  return queries
    .select(verdictColumns)
    .from(verdict)
    .where(and(eq(verdict.repo, repo), eq(verdict.task, id)))
    .orderBy(asc(verdict.position))
    .limit(bounded(Number.POSITIVE_INFINITY))
}

export async function findVerdict(
  queries: Queries,
  repo: RepoId,
  position: Position,
): Promise<Verdict | null> {
  const [row] = await queries
    .select(verdictColumns)
    .from(verdict)
    .where(and(eq(verdict.repo, repo), eq(verdict.position, position)))
  return row ?? null
}

/** What becomes of the task by the verdict. */
async function follow(
  queries: Queries,
  { repo, id }: Task,
  { result, leaseSecs }: NewVerdict,
  position: Position,
  by: Caller,
): Promise<Task> {
  const change =
    result === 'approve'
      ? { approval: position, approvedBy: by.actor }
      : {
          state: 'open' as const,
          approval: null,
          approvedBy: null,
          leaseExpiresAt: leaseEnd(leaseSecs),
        }
  const [row] = await queries
    .update(task)
    .set({ ...change, approvalVoid: null, updatedAt: NOW })
    .where(isTask(repo, id))
    .returning(taskColumns)
  return row!
}

/**
 * Whether it is an approval of one's own task that nobody else could give.
 * @throws Fault `refused_rule` reason `own_task`.
 */
async function judgeReviewer(
  queries: Queries,
  found: Task,
  { result }: NewVerdict,
  by: Caller,
): Promise<boolean> {
  const isOwn =
    found.owner === by.actor || everHeld(await listClaims(queries, found.repo, found.id), by)
  if (!isOwn) return false
  if (result === 'approve' && (await isOnlyActor(queries, found.repo, by))) return true
  throw new Fault(
    'refused_rule',
    `${found.id} is or was ${by.actor}'s own task: somebody else is to review it.`,
    result === 'approve'
      ? `Ask somebody who never held it to run \`av approve ${found.id}\`.`
      : `Go on working on it as its owner; see \`av task show ${found.id}\`.`,
    { detail: { reason: 'own_task', owner: found.owner } },
  )
}

async function isOnlyActor(queries: Queries, repo: RepoId, by: Caller): Promise<boolean> {
  const known = await queries
    .select({ actor: repoActor.actor })
    .from(repoActor)
    .where(eq(repoActor.repo, repo))
    .limit(2)
  return known.length === 1 && known[0]?.actor === by.actor
}

/** @throws Fault `refused_rule` reason `changed`: what was looked at is not what the task is now. */
async function assertUnchanged(queries: Queries, found: Task, seen: NewVerdict): Promise<void> {
  const last = await lastCheckpoint(queries, found.repo, found.id)
  const isAt = found.head === seen.tip && found.base === seen.base && last?.commit === seen.tip
  if (isAt && !canBeApproved(last)) {
    // What nobody could approve can be sent back all the same.
    if (seen.result === 'request_changes') return
    throw last.conflicts.length > 0 ? hasConflicts(found, last.conflicts) : notComparable(found)
  }
  if (isAt && last.tree === seen.tree && last.patch === seen.patch) return
  throw new Fault(
    'refused_rule',
    `${found.id} changed since it was looked at: it is at ${found.head ?? 'no checkpoint'}, the verdict is of ${seen.tip}.`,
    `Look at it again with \`av review show ${found.id}\`.`,
    { detail: { reason: 'changed', head: found.head, base: found.base, tip: seen.tip } },
  )
}

function canBeApproved({ tree, patch, conflicts }: Checkpoint): boolean {
  return tree !== null && patch !== NO_PATCH && conflicts.length === 0
}

/** What a client sends for a change that it could not tell apart from others. */
const NO_PATCH = 'none'

function notComparable({ id }: Task): Fault {
  return new Fault(
    'refused_rule',
    `The change of ${id} is too large to be told apart from others: an approval could not be bound to it.`,
    `Send it back with \`av request-changes ${id}\`, to be split.`,
    { detail: { reason: 'not_comparable' } },
  )
}

function hasConflicts({ id }: Task, paths: readonly string[]): Fault {
  return new Fault(
    'refused_rule',
    `${id} holds conflicts: ${paths.slice(0, 5).join(', ')}. Nothing with conflicts is approved.`,
    `Send it back with \`av request-changes ${id}\`.`,
    { detail: { reason: 'conflicts_left', paths: paths.slice(0, 100) } },
  )
}

/**
 * The verdict of somebody who looked, written down again for what the patch became on a trunk that moved.
 * @throws Fault as `nextPosition`.
 */
export async function carryVerdict(
  queries: Queries,
  from: Verdict,
  carried: Pick<Verdict, 'base' | 'tip' | 'tree' | 'patch' | 'trunk'> & {
    readonly over: readonly string[]
  },
  by: Caller,
): Promise<Position> {
  const position = await nextPosition(queries, from.repo)
  const { base, tip, tree, patch, trunk, over } = carried
  await queries.insert(verdict).values({
    ...{ repo: from.repo, position, task: from.task, result: from.result },
    ...{ base, tip, tree, patch, trunk },
    isSelf: from.isSelf,
    carriedFrom: from.position,
    carriedOver: [...over],
    record: from.record,
    actor: from.actor,
    session: from.session,
    at: NOW,
  })
  await queries
    .update(task)
    .set({ approval: sql`${position}` })
    .where(isTask(from.repo, from.task))
  await noteFact(queries, { repo: from.repo, position }, 'verdict.carried', from.task, by)
  return position
}
