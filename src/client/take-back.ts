import type { LandedView } from '../api/review-views.ts'
import type { TaskView } from '../api/views.ts'
import { FAULTS, Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { storeGit } from '../workspace/clone.ts'
import { patchIdentity, patchOf } from '../workspace/patch.ts'
import { pushedTo } from '../workspace/remote-trunk.ts'
import { revertTrial } from '../workspace/revert.ts'
import { restoreInto } from '../workspace/takeover.ts'
import { firstParent } from '../workspace/tree.ts'
import type { Trial } from '../workspace/trial.ts'
import { type Command, taskGiven } from './command.ts'
import { keepSnapshot } from './keep-snapshot.ts'
import { commitToLand, land } from './land.ts'
import { again, landed } from './merge.ts'
import { findPlace, needClone, type Place } from './place.ts'
import { showOne, withFolder } from './task-commands.ts'
import { bringCommits } from './task-commits.ts'
import { makeFolder } from './task-folder.ts'
import { type AtTrunk, onTrunk } from './trunk-slot.ts'

const MOVES_MAX = 5

/** Takes a merge off trunk, when it is trunk's tip and nobody else has it yet. The approval stays. */
export const undo: Command<'undo'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const want = { kind: 'undo', task: task.id, tree: null } as const
  const done = (view: TaskView) => landed(view, null, [])
  const view = await again(MOVES_MAX, () => onTrunk(session, clone, want, undoAt, done))
  const { actor } = await session.tools.caller()
  if (view.owner === actor) await makeFolder(session, place, clone, view)
  return withFolder(place, view)
}

async function undoAt(at: AtTrunk): Promise<LandedView> {
  const { host, clone, slot, trunk, team } = at
  const { id: task = '', landed: commit = null } = slot.task ?? {}
  const tip = commit as CommitId | null
  if (tip === null || tip !== trunk) throw notTheTip(task, tip)
  const remotes = team.remote === null ? await pushedTo(host, clone, tip) : [team.remote]
  if (remotes.length > 0) throw pushed(task, tip, remotes)
  const store = { gitDir: storeGit(clone) }
  const before = await firstParent(host, store, tip)
  const patch = patchIdentity(await patchOf(host, store, { base: before, tip }))
  const view = await land(at, { task, kind: 'undo', old: tip, new: before, patch, merge: null })
  return landed(view, null, [])
}

function notTheTip(task: string, tip: string | null): Fault {
  const at = tip === null ? '' : `, ${tip.slice(0, 12)}`
  return new Fault(
    'refused_rule',
    `The merge of ${task}${at} is not the tip of trunk any more.`,
    `\`av revert ${task}\` adds a commit that takes it back.`,
    { detail: { reason: 'not_trunk_tip' } },
  )
}

function pushed(task: string, tip: string, remotes: readonly string[]): Fault {
  return new Fault(
    'refused_rule',
    `The merge of ${task}, ${tip.slice(0, 12)}, was pushed to ${remotes.join(', ')}: others have it.`,
    `\`av revert ${task}\` adds a commit that takes it back.`,
    { detail: { reason: 'pushed', remotes } },
  )
}

/** Adds a commit to trunk that takes a merge back. One that conflicts becomes a task of its own. */
export const revert: Command<'revert'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const want = { kind: 'revert', task: task.id, tree: null } as const
  const done = (view: TaskView) => landed(view, null, [])
  const outcome = await again(MOVES_MAX, () =>
    onTrunk<LandedView | Conflicting>(session, clone, want, revertAt, done),
  )
  if ('trial' in outcome) {
    session.exit = FAULTS.refused_rule.exit
    return followUp(outcome, place, task)
  }
  return withFolder(place, outcome)
}

type Conflicting = { readonly at: AtTrunk; readonly trial: Trial; readonly trunk: CommitId }

async function revertAt(at: AtTrunk): Promise<LandedView | Conflicting> {
  const { session, host, clone, slot, trunk } = at
  const { id: task = '', landed: commit = null } = slot.task ?? {}
  if (trunk === null || commit === null) throw notTheTip(task, commit)
  const mine = commit as CommitId
  await bringCommits(session, clone, task, [mine])
  const nonce = session.tools.world.randomHex(8)
  const tried = await revertTrial(host, clone, { landed: mine, onto: trunk, nonce })
  if (tried.conflict) return { at, trial: tried, trunk }
  if (tried.empty || tried.tree === null) {
    throw new Fault(
      'refused_rule',
      `Nothing of ${task} is left on trunk to take back.`,
      `See \`av diff ${task}\`, and git's log of trunk.`,
      { detail: { reason: 'nothing_to_revert' } },
    )
  }
  const fresh = await commitToLand(at, tried.tree)
  const store = { gitDir: storeGit(clone) }
  const patch = patchIdentity(await patchOf(host, store, { base: trunk, tip: fresh }))
  const view = await land(at, { task, kind: 'revert', old: trunk, new: fresh, patch, merge: null })
  return landed(view, null, [])
}

/** The revert with its conflicts, as a task of the caller's to resolve and submit like any other. */
async function followUp(
  { at, trial, trunk }: Conflicting,
  place: Place,
  task: TaskView,
): Promise<LandedView> {
  const { session, clone } = at
  const fresh = await session.call('task.start', {
    goal: `Revert ${task.id}: ${task.goal}`.slice(0, 2_000),
    ...{ repo: place.repo, base: trunk },
  })
  await session.grant(place.repo, fresh.id, fresh.generation)
  const workspace = await makeFolder(session, place, clone, fresh)
  await restoreInto(session.host, workspace, trial.commit)
  const claim = { repo: place.repo, task: fresh.id, folder: workspace.generation }
  const held = { place, clone, workspace, claim, task: fresh }
  await keepSnapshot(session, held, 'the revert, with its conflicts')
  const conflicts = trial.conflictedFiles.map((path) => ({ path, tasks: [], records: [] }))
  return { ...withFolder(place, landed(task, null, [])), conflicts, followUp: fresh.id }
}
