import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { Fault } from '../../domain/fault.ts'
import type { Landing } from '../../domain/landing.ts'
import type { Position, RepoId } from '../../domain/repo.ts'
import type { Task } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { task } from '../schema.ts'
import { landing, trunkMove } from '../schema-review.ts'
import type { TrunkSlot } from '../trunk-slot.ts'
import { type FactEvent, lockRepo, NOW, noteFact } from './fact.ts'
import type { TaskChange } from './guard.ts'
import { findLanding, isLanding, landingColumns } from './landing-row.ts'
import { passSlot } from './slot.ts'
import { isTask, leaseEnd, lockTask, taskColumns } from './task-row.ts'
import { findVerdict } from './verdicts.ts'

type Close = Parameters<TrunkSlot['closeLanding']>[1]
type Closed = { readonly landing: Landing; readonly task: Task }

const FACT_OF = {
  merge: 'task.merged',
  undo: 'task.undone',
  revert: 'task.reverted',
} as const satisfies Record<Landing['kind'], FactEvent>

/**
 * To close one again with the same outcome changes nothing, whatever became of the slot.
 * @throws Fault as `passSlot`; `not_found`; `conflict` reason `landing_closed` for the other outcome.
 */
export async function closeLanding(
  queries: Queries,
  repo: RepoId,
  close: Close,
  by: Caller,
): Promise<Closed> {
  const known = await findLanding(queries, repo, close.landing)
  if (known === null) throw landingNotFound(close.landing)
  const held = await lockTask(queries, repo, known.task)
  const open = (await findLanding(queries, repo, close.landing))!
  if (open.state !== 'open') return closedBefore(open, held, close)
  const position = close.landed
    ? await moveTrunk(queries, open, close, by)
    : await leaveTrunk(queries, open, close)
  const [closed] = await queries
    .update(landing)
    .set({ state: close.landed ? 'landed' : 'discarded', position })
    .where(and(isLanding(repo, open.slot), eq(landing.state, 'open')))
    .returning(landingColumns)
  const [moved] = await queries
    .update(task)
    .set({ ...(await changeOf(queries, held, open, close)), landing: null, updatedAt: NOW })
    .where(isTask(repo, held.id))
    .returning(taskColumns)
  return { landing: closed!, task: moved! }
}

function closedBefore(closed: Landing, held: Task, close: Close): Closed {
  if ((closed.state === 'landed') === close.landed) return { landing: closed, task: held }
  throw new Fault(
    'conflict',
    `The ${closed.kind} of ${closed.task} in slot ${closed.slot} was closed before: it is ${closed.state}.`,
    `See \`av task show ${closed.task}\`.`,
    { detail: { reason: 'landing_closed', slot: closed.slot, state: closed.state } },
  )
}

/** For the store trunk may have been followed to the new commit already: then there is no move to write down. */
async function moveTrunk(
  queries: Queries,
  open: Landing,
  close: Close,
  by: Caller,
): Promise<Position> {
  const { repo, kind, old, new: next } = open
  const { trunkCommit } = await lockRepo(queries, repo)
  const use = { takesPosition: true, frees: true, from: [old, next], to: next }
  const position = await passSlot(queries, repo, close.slot, use)
  if (trunkCommit !== next) {
    await queries.insert(trunkMove).values({
      ...{ repo, position, kind, old, new: next, task: open.task, actor: open.actor },
      forced: kind === 'undo',
      at: NOW,
    })
  }
  await noteFact(queries, { repo, position }, FACT_OF[kind], open.task, by)
  return position
}

async function leaveTrunk(queries: Queries, { repo }: Landing, { slot }: Close): Promise<null> {
  await passSlot(queries, repo, slot, { frees: true })
  return null
}

/**
 * An approval that was carried stands for what would be on trunk. Where it is not, or not any more, the task is what
 * it was when somebody looked at it, and so is its approval.
 */
async function changeOf(
  queries: Queries,
  held: Task,
  open: Landing,
  { landed, leaseSecs }: Close,
): Promise<TaskChange> {
  if (landed && open.kind === 'merge') {
    return { state: 'merged', landed: open.new, leaseExpiresAt: null }
  }
  if (landed && open.kind === 'revert')
    return { flags: sql`array_append(${task.flags}, 'reverted')` }
  const given = held.approval === null ? null : await findVerdict(queries, held.repo, held.approval)
  const approval = given?.carriedFrom ?? held.approval
  return landed
    ? { state: 'in_review', landed: null, leaseExpiresAt: leaseEnd(leaseSecs), approval }
    : open.kind === 'merge'
      ? { approval }
      : {}
}

function landingNotFound(slot: number): Fault {
  return new Fault('not_found', `No landing was begun in slot ${slot}.`, 'Run `av sync`.', {
    detail: { reason: 'landing', slot },
  })
}
