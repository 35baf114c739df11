import type { SyncView } from '../api/review-views.ts'
import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { isAncestor } from '../workspace/ancestry.ts'
import { hasCommit } from '../workspace/bundle.ts'
import { changedFiles } from '../workspace/changes.ts'
import { checkpoint } from '../workspace/checkpoint.ts'
import { storeGit } from '../workspace/clone.ts'
import { isLandedAs, type TrunkCommit, trunkCommits } from '../workspace/landed.ts'
import { isGone } from '../workspace/mend.ts'
import { patchIdentity, patchOf } from '../workspace/patch.ts'
import { listWorkspaces, type Workspace } from '../workspace/registry.ts'
import { removeWorkspace, settleRemovals } from '../workspace/remove.ts'
import { treeOf } from '../workspace/tree.ts'
import type { Command } from './command.ts'
import { findPlace, needClone, type Place } from './place.ts'
import type { Session } from './session.ts'
import { showOne } from './task-commands.ts'
import { type AtTrunk, onTrunk } from './trunk-slot.ts'

/** Steps of trunk looked at in one go. */
const COMMITS_MAX = 1_000
const TASKS_MAX = 1_000
/** Hours that the folder of a merged task stays, where the team's file does not say. */
const KEEP_HOURS = 24

/** Follows trunk, recognises tasks that landed by somebody else's hand, and clears away folders of long merged ones. */
export const sync: Command<'sync'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const before = await session.call('status', { repo: place.repo, task: null })
  const want = { kind: 'sync', task: null, tree: null } as const
  const { at, settled, landed } = await onTrunk(session, clone, want, async (at, settled) => ({
    ...{ at, settled },
    landed: await recognise(at, before.trunkCommit as CommitId | null),
  }))
  const keep = { hours: at.team.keepHours ?? KEEP_HOURS, now: before.now }
  const cleared = await clear(session, place, keep, given.yes === true)
  if (at.forced) await warnOfLost(at)
  const { id, repo, trunk, trunkCommit: from } = before
  return {
    ...{ id, repo, trunk, trunkCommit: at.trunk, from, landed },
    moved: from !== at.trunk,
    forced: at.forced,
    settled: settled.map(({ task, landed: done }) => ({ task: task.id, landed: done })),
    ...cleared,
  }
}

/** Tasks that count as merged, and that trunk has lost. Whose they are decides what is to be done. */
async function warnOfLost({ session, clone, trunk }: AtTrunk): Promise<void> {
  // The slot is given back by now, and with it the lock that `AtTrunk.host` is for.
  const { host } = session
  const list = { state: 'merged', mine: false, all: false, limit: TASKS_MAX } as const
  const { items } = await session.call('task.list', { ...list, repo: clone.repo })
  for (const { id, landed } of items) {
    const commit = landed as CommitId | null
    if (commit === null || !(await hasCommit(host, clone, commit))) continue
    if (trunk !== null && (await isAncestor(host, clone, commit, trunk))) continue
    session.warnings.push(`${id} was merged as ${commit.slice(0, 12)}, which trunk has no more.`)
  }
}

type OwnTask = {
  readonly task: TaskView
  readonly base: CommitId | null
  readonly tip: CommitId
  readonly patch: string
  readonly paths: ReadonlySet<string>
}

/** Tasks whose patch is one of the steps that trunk made since. */
async function recognise(at: AtTrunk, since: CommitId | null): Promise<SyncView['landed']> {
  const { session, host, clone, slot, trunk } = at
  if (trunk === null || trunk === since) return []
  const known = since !== null && (await hasCommit(host, clone, since)) ? since : null
  const range = { since: known, to: trunk, limit: COMMITS_MAX }
  const commits = await trunkCommits(host, clone, range)
  const found: { task: string; commit: string; by: string }[] = []
  const left = new Map((await ownTasks(at)).map((own) => [own.task.id, own]))
  for (const commit of commits) {
    if (left.size === 0) break
    for (const own of await matching(at, commit, [...left.values()])) {
      const args = { repo: clone.repo, slot: slot.slot, task: own.task.id, commit: commit.commit }
      await session.call('trunk.landed', args)
      found.push({ task: own.task.id, commit: commit.commit, by: commit.author })
      left.delete(own.task.id)
    }
  }
  return found
}

async function ownTasks({ session, host, clone }: AtTrunk): Promise<readonly OwnTask[]> {
  const list = { mine: false, all: false, limit: TASKS_MAX, repo: clone.repo }
  const { items } = await session.call('task.list', list)
  const own: OwnTask[] = []
  for (const task of items) {
    const [base, tip] = [task.base as CommitId | null, task.head as CommitId | null]
    if (tip === null || task.state === 'conflicted') continue
    const here = [tip, ...(base === null ? [] : [base])].map((one) => hasCommit(host, clone, one))
    if (!(await Promise.all(here)).every(Boolean)) continue
    const store = { gitDir: storeGit(clone) }
    const patch = await patchOf(host, store, { base, tip })
    if (patch.files.length === 0) continue
    const paths = new Set(patch.files.map(({ path }) => path))
    own.push({ task, base, tip, patch: patchIdentity(patch), paths })
  }
  return own
}

/** Those whose patch the commit is; what touches other files is not looked at further. */
async function matching(
  { host, clone }: AtTrunk,
  commit: TrunkCommit,
  tasks: readonly OwnTask[],
): Promise<readonly OwnTask[]> {
  const store = { gitDir: storeGit(clone) }
  const changes = await changedFiles(host, store, { base: commit.parent, tip: commit.commit })
  const paths = changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from]))
  const found: OwnTask[] = []
  for (const own of tasks) {
    if (!paths.every((path) => own.paths.has(path))) continue
    if (await isLandedAs(host, clone, own, commit)) found.push(own)
  }
  return found
}

/** Removes folders of tasks that were merged long enough ago, unless something in them would be lost. */
async function clear(
  session: Session,
  place: Place,
  keep: { readonly hours: number; readonly now: string },
  dropIgnored: boolean,
): Promise<Pick<SyncView, 'removed' | 'kept'>> {
  const removed: string[] = []
  const kept: { folder: string; why: string }[] = []
  if (place.clone !== null) await settleRemovals(session.host, place.clone)
  for (const workspace of place.clone === null ? [] : listWorkspaces(place.clone)) {
    const task = await showOne(session, place, workspace.task)
    // By the database's clock, both: this machine's may be off.
    const idleMs = Date.parse(keep.now) - Date.parse(task.updatedAt)
    if (task.state !== 'merged' || idleMs < keep.hours * 3_600_000) continue
    const why = await whyKept(session, workspace, task, dropIgnored)
    if (why === null) removed.push(workspace.folder)
    else kept.push({ folder: workspace.folder, why })
  }
  return { removed, kept }
}

/** Removes it; or says why not. */
async function whyKept(
  session: Session,
  workspace: Workspace,
  task: TaskView,
  dropIgnored: boolean,
): Promise<string | null> {
  const { host } = session
  try {
    if (!isGone(workspace) && workspace.generation === task.generation) {
      const { tree } = await checkpoint(host, workspace)
      const store = { gitDir: storeGit(workspace.clone) }
      if (tree !== (await treeOf(host, store, task.head as CommitId | null))) {
        return 'It was changed after the merge.'
      }
    }
    const { tip } = await removeWorkspace(host, workspace, { dropIgnored })
    if (workspace.generation !== task.generation && tip !== null) {
      session.warnings.push(
        `${workspace.folder}, of an earlier claim, is removed; what it held last is commit ${tip}.`,
      )
    }
    return null
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message
    throw thrown
  }
}
