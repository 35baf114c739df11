import type { LandedView, VerdictView } from '../api/review-views.ts'
import type { TaskView } from '../api/views.ts'
import { assertSameTree } from '../domain/approval.ts'
import { CARRY_REASONS, type CarryVerdict } from '../domain/carry.ts'
import { compileCarryGlobs } from '../domain/carry-glob.ts'
import { FAULTS, Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import { carryVerdict } from '../workspace/carry.ts'
import { changedFiles } from '../workspace/changes.ts'
import { checkpoint } from '../workspace/checkpoint.ts'
import { storeGit } from '../workspace/clone.ts'
import { isGone } from '../workspace/mend.ts'
import { patchIdentity, patchOf } from '../workspace/patch.ts'
import { refresh } from '../workspace/refresh.ts'
import type { Workspace } from '../workspace/registry.ts'
import { type Trial, trial } from '../workspace/trial.ts'
import { type Command, taskGiven } from './command.ts'
import { snapshotFields } from './keep-snapshot.ts'
import { commitToLand, land } from './land.ts'
import { findPlace, needClone, type Place } from './place.ts'
import { showOne, withFolder } from './task-commands.ts'
import { bringCommits, sendCommits } from './task-commits.ts'
import { currentFolder } from './task-folder.ts'
import { type AtTrunk, onTrunk } from './trunk-slot.ts'

/** How often trunk may be moved by others while a merge is under way before it is given up. */
const MOVES_MAX = 5

/**
 * Lands an approved task: what was reviewed, put onto trunk as it is now, as one commit. Stops at the first that fails:
 * the workspace holds something else, nobody approved, it conflicts, the approval does not carry.
 */
export const merge: Command<'merge'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await showOne(session, place, id)
  const workspace = folderAtHand(place, task)
  const now =
    workspace === null || task.state !== 'in_review'
      ? null
      : await checkpoint(session.host, workspace)
  // Conflicts in the files are those of a merge that died before it told of them: it is made again.
  const cutOff = now?.conflict === true ? now.tree : null
  const tree = cutOff === null ? (now?.tree ?? null) : null
  const want = { kind: 'merge', task: task.id, tree } as const
  const done = (view: TaskView) => landed(view, 'same_base', [])
  return again(MOVES_MAX, async () => {
    const view = await onTrunk(
      session,
      clone,
      want,
      (at) => mergeAt(at, place, workspace, cutOff),
      done,
    )
    return withFolder(place, view)
  })
}

function folderAtHand(place: Place, task: TaskView): Workspace | null {
  const workspace = currentFolder(place, task)
  return workspace === null || isGone(workspace) ? null : workspace
}

/**
 * Runs it again, a stated number of times, when trunk was moved in between, or when the slot lapsed over a move that
 * took long: the next try finds out what became of that.
 */
export async function again<T>(times: number, attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (thrown) {
      const mayRepeat = thrown instanceof Fault && REPEATED.has(thrown.detail.reason ?? '')
      if (!mayRepeat || tried >= times) throw thrown
    }
  }
}

const REPEATED: ReadonlySet<string> = new Set(['trunk_moved', 'slot_lost', 'ref_locked'])

async function mergeAt(
  at: AtTrunk,
  place: Place,
  workspace: Workspace | null,
  cutOff: string | null,
): Promise<LandedView> {
  const { session, host, clone, slot, trunk } = at
  const { task, verdict } = slot
  if (task === null || verdict === null) throw new TypeError('a merge slot without an approval')
  const base = verdict.base as CommitId | null
  const tip = verdict.tip as CommitId
  await bringCommits(session, clone, task.id, [base, tip, verdict.trunk as CommitId | null])
  const tried = await trial(host, clone, { base, tip, onto: trunk })
  if (tried.conflict && trunk !== null) return conflictAt(at, place, workspace, tried, trunk)
  assertSameTree(task.id as TaskId, cutOff, verdict)
  const carried = await carry(at, verdict, tried)
  if (carried.result === 'void') throw await stale(at, verdict, carried)
  if (tried.tree === null) throw new TypeError('a trial without conflict has a tree')
  const commit = await commitToLand(at, tried.tree)
  const isSame = carried.patch === verdict.patch && carried.paths.length === 0
  const view = await land(at, {
    ...{ task: task.id, kind: 'merge', old: trunk, new: commit, patch: carried.patch },
    merge: {
      verdict: verdict.position,
      tree: verdict.tree,
      carried: isSame
        ? null
        : {
            ...{ base, tip, tree: verdict.tree, patch: carried.patch },
            over: [...carried.paths],
          },
    },
  })
  return landed(view, carried.how, carried.paths)
}

export function landed(
  task: TaskView,
  carried: LandedView['carried'],
  carriedOver: readonly string[],
): LandedView {
  return { ...task, carried, carriedOver, conflicts: [], followUp: null }
}

/**
 * Whether the approval holds on this trunk. It was given in sight of the trunk of its time: what counts is what changed
 * about the patch since then.
 */
async function carry(
  { session, host, clone, trunk, team }: AtTrunk,
  verdict: VerdictView,
  tried: Trial,
): Promise<CarryVerdict & { readonly patch: string }> {
  const seen = await asSeen({ host, clone }, verdict)
  if (seen === null) {
    return { result: 'void', reason: 'not_recomputed', path: null, patch: '' }
  }
  const { carryGlobs } = session.tools
  const globs = compileCarryGlobs(team.carryGlobs ?? carryGlobs, carryGlobs)
  const { tip } = seen
  const decided = await carryVerdict(host, clone, {
    ...{ verdict: seen, tip, onto: trunk, trial: tried, globs },
  })
  if (!team.strictOverlap || decided.result === 'void' || trunk === seen.base) return decided
  const common = await overlap({ host, clone }, seen, trunk)
  const path = common.find((each) => !globs(each))
  if (path === undefined) return decided
  return { result: 'void', reason: 'not_in_globs', path, patch: '' }
}

type Here = Pick<AtTrunk, 'host' | 'clone'>

/** What was reviewed, as it stood on the trunk of that time; null when that cannot be made again. */
async function asSeen({ host, clone }: Here, verdict: VerdictView) {
  const { tree, patch } = verdict
  const base = verdict.base as CommitId | null
  const tip = verdict.tip as CommitId
  const onto = verdict.trunk as CommitId | null
  if (onto === base) return { base, tip, tree, patch }
  const then = await trial(host, clone, { base, tip, onto })
  if (then.tree === null) return null
  const span = { base: onto, tip: then.commit }
  const seen = patchIdentity(await patchOf(host, { gitDir: storeGit(clone) }, span))
  return { base: onto, tip: then.commit, tree: then.tree, patch: seen }
}

/** Files that both the task and trunk changed. */
async function overlap(
  { host, clone }: Here,
  seen: { readonly base: CommitId | null; readonly tip: CommitId },
  trunk: CommitId | null,
): Promise<readonly string[]> {
  if (trunk === null) return []
  const store = { gitDir: storeGit(clone) }
  const [own, theirs] = await Promise.all([
    changedFiles(host, store, seen),
    changedFiles(host, store, { base: seen.base, tip: trunk }),
  ])
  const paths = new Set(own.flatMap(({ path, from }) => (from === null ? [path] : [path, from])))
  return theirs
    .flatMap(({ path, from }) => (from === null ? [path] : [path, from]))
    .filter((path) => paths.has(path))
}

async function stale(
  { session, clone, slot }: AtTrunk,
  verdict: VerdictView,
  carried: CarryVerdict & { readonly result: 'void' },
): Promise<Fault> {
  const task = slot.task?.id ?? ''
  const where = carried.path === null ? '' : ` (${carried.path})`
  const why = `${CARRY_REASONS[carried.reason].replace(/\.$/, '')}${where}`
  await session.call('landing.stale', {
    ...{ repo: clone.repo, slot: slot.slot, task, verdict: verdict.position, why },
  })
  return new Fault(
    'refused_rule',
    `The approval of ${task} does not hold on trunk as it is now. ${why}.`,
    `Somebody is to look again: \`av review show ${task}\`, then \`av approve ${task}\`.`,
    { detail: { reason: 'stale', carry: carried.reason, path: carried.path } },
  )
}

/** Trunk stays as it is; the conflict goes to the task's owner, into the files where the folder is here. */
async function conflictAt(
  { session, host, clone, slot }: AtTrunk,
  place: Place,
  workspace: Workspace | null,
  tried: Trial,
  trunk: CommitId,
): Promise<LandedView> {
  const task = slot.task?.id ?? ''
  const kept = workspace === null ? null : await refresh(host, workspace, trunk)
  const fields = kept === null ? null : await snapshotFields(session, clone, kept)
  if (kept !== null) {
    await sendCommits(session, clone, task, { base: kept.base, tip: kept.commit }, null)
  }
  const { task: view, conflicts } = await session.call('landing.conflict', {
    ...{ repo: clone.repo, slot: slot.slot, task, conflicted: [...tried.conflictedFiles] },
    checkpoint: fields === null ? null : { message: 'brought onto trunk', ...fields },
  })
  session.exit = FAULTS.refused_rule.exit
  return { ...withFolder(place, landed(view, null, [])), conflicts }
}
