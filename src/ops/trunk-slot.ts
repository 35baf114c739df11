import type { SlotView } from '../api/review-views.ts'
import type { Input } from '../api/routes.ts'
import type { Caller } from '../domain/actor.ts'
import { assertSameTree } from '../domain/approval.ts'
import { Fault } from '../domain/fault.ts'
import { SLOT_SECS } from '../domain/landing.ts'
import { assertLegal, isLegal } from '../domain/lifecycle.ts'
import { redact } from '../domain/redact.ts'
import type { CommitId, Position, Repo } from '../domain/repo.ts'
import type { Task } from '../domain/task.ts'
import type { Verdict } from '../domain/verdict.ts'
import type { Store } from '../store/store.ts'
import type { Slot } from '../store/trunk-slot.ts'
import { conflictSides } from './conflict-sides.ts'
import type { Handler } from './deps.ts'
import { landingText } from './landing-text.ts'
import { findRepo, findTask } from './lookup.ts'
import { viewLanding, viewVerdict } from './review-views.ts'
import { viewTask } from './views.ts'

/** Moves of trunk that were given up, looked at and told. */
const DISCARDED_LOOKED_AT = 200
const DISCARDED_MAX = 50

type Wanted = Input<'slot.take'>

/**
 * Takes the merge slot for one move of trunk. What speaks against it is told before the slot is taken, and judged again
 * once it is: in between, somebody else may have landed. The move itself is judged by `landing.open`, in its statement.
 */
export const takeSlot: Handler<'slot.take'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const task = await taskOf(store, repo, input)
  await assertAllowed(store, repo, task, input)
  if (input.remote === null && repo.trunkHome === null) {
    assertTrunkHere(await store.updateRepo(repo.id, { trunkHome: input.clone }), input)
  }
  const { left } = input
  const want = { task: task?.id ?? null, ttlSecs: SLOT_SECS, left }
  const slot = await store.takeSlot(repo.id, want, caller)
  try {
    return await viewSlot(store, repo, slot, input, caller)
  } catch (thrown) {
    await store.freeSlot(repo.id, slot.number)
    throw thrown
  }
}

async function taskOf(store: Store, repo: Repo, { kind, task }: Wanted): Promise<Task | null> {
  if (kind === 'sync') return null
  if (task !== null) return findTask(store, repo.id, task)
  throw new Fault('bad_input', `No task is named for the ${kind}.`, 'Name one.', {
    detail: { reason: 'no_task' },
  })
}

/** State first, then the rules, as everywhere. Gives back the approval that a merge rests on. */
async function assertAllowed(
  store: Store,
  repo: Repo,
  task: Task | null,
  input: Wanted,
): Promise<Verdict | null> {
  const { kind } = input
  const isSettled = task !== null && kind !== 'sync' && task.landing === null
  // One that is landing is settled by whoever comes next, before it is judged.
  if (isSettled) assertLegal(task, kind)
  assertTrunkHere(repo, input)
  if (!isSettled) return null
  if (kind !== 'merge') {
    if (task.flags.includes('reverted')) throw alreadyReverted(task)
    return null
  }
  const verdicts = await store.verdicts(repo.id, task.id)
  const approved = verdicts.find(({ position }) => position === task.approval)
  if (approved === undefined) throw notApproved(task)
  assertSameTree(task.id, input.tree, approved)
  return approved
}

/** Without a remote, trunk is the branch of one clone, and moves there only. */
function assertTrunkHere({ trunk, trunkHome }: Repo, { remote, clone }: Wanted): void {
  if (remote !== null || trunkHome === null || trunkHome === clone) return
  throw new Fault(
    'refused_rule',
    `Trunk is the branch ${trunk} of another clone: from here it cannot be moved.`,
    'Run the command in that clone; or name a `remote` in .av.toml, which makes its branch trunk for all clones.',
    { detail: { reason: 'trunk_elsewhere', trunkHome } },
  )
}

function notApproved({ id, approvalVoid }: Task): Fault {
  const lost = approvalVoid === null ? '' : ` An approval was lost: ${approvalVoid}`
  return new Fault(
    'refused_rule',
    `The task ${id} is not approved.${lost}`,
    `Ask somebody to look at it: \`av review show ${id}\`, then \`av approve ${id}\`.`,
    { detail: { reason: 'not_approved', approvalVoid } },
  )
}

function alreadyReverted({ id }: Task): Fault {
  return new Fault(
    'refused_rule',
    `The task ${id} was reverted already.`,
    `See \`av task show ${id}\`; to bring it back, start a task of its own.`,
    { detail: { reason: 'already_reverted' } },
  )
}

/** What the holder of the slot goes by: read while it is held. */
async function viewSlot(
  store: Store,
  { id }: Repo,
  slot: Slot,
  input: Wanted,
  caller: Caller,
): Promise<SlotView> {
  const repo = await findRepo(store, id)
  const task = await taskOf(store, repo, input)
  const verdict = await assertAllowed(store, repo, task, input)
  const { kind } = input
  return {
    slot: slot.number,
    open: slot.open === null ? null : viewLanding(slot.open),
    discarded: await discardedOf(store, repo),
    trunk: repo.trunkCommit,
    task: task === null ? null : viewTask(task),
    verdict: verdict === null || task === null ? null : viewVerdict(verdict, task),
    message:
      task !== null && (kind === 'merge' || kind === 'revert')
        ? await landingText(store, task, kind)
        : '',
    // A revert is the work of whoever runs it.
    author: kind === 'merge' ? (task?.owner ?? caller.actor) : caller.actor,
  }
}

async function discardedOf(store: Store, { id }: Repo): Promise<SlotView['discarded']> {
  const found = await store.landings(id, { states: ['discarded'] }, DISCARDED_LOOKED_AT)
  const ids = [...new Set(found.map(({ task }) => task))]
  const tasks = await Promise.all(ids.map((task) => store.task(id, task)))
  const landable = new Set(tasks.filter(mayLand).map((task) => task.id))
  return found
    .filter(({ task }) => landable.has(task))
    .slice(0, DISCARDED_MAX)
    .map(viewLanding)
}

/** What may be said to have landed after all: of another one, a client's word would be refused, and the client stuck. */
function mayLand(task: Task | null): task is Task {
  return task !== null && task.landing === null && isLegal(task, 'sync')
}

export const freeSlot: Handler<'slot.free'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  await store.freeSlot(repo.id, input.slot)
  return { slot: input.slot }
}

export const openLanding: Handler<'landing.open'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const task = await findTask(store, repo.id, input.task)
  const { slot, kind, patch, files, merge } = input
  const landing = await store.openLanding(
    repo.id,
    {
      ...{ slot, task: task.id, kind, patch, files, ttlSecs: SLOT_SECS },
      old: input.old as CommitId | null,
      new: input.new as CommitId | null,
      merge: merge === null ? null : asMerge(merge),
    },
    caller,
  )
  return viewLanding(landing)
}

function asMerge({ verdict, tree, carried }: NonNullable<Input<'landing.open'>['merge']>) {
  return {
    verdict: verdict as Position,
    tree,
    carried:
      carried === null
        ? null
        : { ...carried, base: carried.base as CommitId | null, tip: carried.tip as CommitId },
  }
}

export const closeLanding: Handler<'landing.close'> = async (deps, input, caller) => {
  const { store, leaseSecs } = deps
  const repo = await findRepo(store, input.repo)
  const { slot, landing, landed } = input
  const { task } = await store.closeLanding(repo.id, { slot, landing, landed, leaseSecs }, caller)
  return viewTask(task)
}

/** The task's own side is told as it was before: what trunk brought is what came after its base of then. */
export const conflictTask: Handler<'landing.conflict'> = async (deps, input, caller) => {
  const { store, leaseSecs } = deps
  const repo = await findRepo(store, input.repo)
  const before = await findTask(store, repo.id, input.task)
  const { slot, conflicted, checkpoint } = input
  const task = await store.conflictTask(
    repo.id,
    {
      ...{ slot, task: before.id, conflicted, leaseSecs },
      checkpoint: checkpoint === null ? null : asCheckpoint(checkpoint),
    },
    caller,
  )
  return { task: viewTask(task), conflicts: await conflictSides(store, before, conflicted) }
}

function asCheckpoint(sent: NonNullable<Input<'landing.conflict'>['checkpoint']>) {
  return {
    ...sent,
    commit: sent.commit as CommitId,
    base: sent.base as CommitId | null,
    message: redact(sent.message).text,
  }
}

export const voidApproval: Handler<'landing.stale'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { id } = await findTask(store, repo.id, input.task)
  const verdict = input.verdict as Position
  const stale = { slot: input.slot, task: id, verdict, why: redact(input.why).text }
  return viewTask(await store.voidApproval(repo.id, stale, caller))
}

export const noteTrunk: Handler<'trunk.note'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { slot, forced } = input
  const old = input.old as CommitId | null
  const moved = input.new as CommitId | null
  return { position: await store.noteTrunk(repo.id, { slot, old, new: moved, forced }, caller) }
}

export const landElsewhere: Handler<'trunk.landed'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { id } = await findTask(store, repo.id, input.task)
  const landed = { slot: input.slot, task: id, commit: input.commit as CommitId }
  return viewTask(await store.landElsewhere(repo.id, landed, caller))
}
