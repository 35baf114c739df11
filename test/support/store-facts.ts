import type { Caller } from '../../src/domain/actor.ts'
import type { CommitId, Position, RepoId } from '../../src/domain/repo.ts'
import { LIVE_STATES, type Task, type TaskId } from '../../src/domain/task.ts'
import type { NewCheckpoint, NewRecord } from '../../src/store/new-fact.ts'
import type { NewConvention, NewRepo, NewTask, Store } from '../../src/store/store.ts'
import type { NewVerdict, OwnerStep } from '../../src/store/task-life.ts'
import type { NewLanding } from '../../src/store/trunk-slot.ts'
import { seededWorld } from '../../src/world.ts'

/** What a test puts into a store, valid as it stands; a test states what it is about. */

const world = seededWorld(1)

/** The files of `newCheckpoint`. */
export const TREE = '7'.repeat(40)

export const ada: Caller = { actor: 'ada', kind: 'agent', session: 's-ada', generation: 1 }
export const bob: Caller = { actor: 'bob', kind: 'human', session: null, generation: null }

export function commit(digit: string): CommitId {
  return digit.repeat(40) as CommitId
}

export function newRepo(given: Partial<NewRepo> = {}): NewRepo {
  return {
    id: `repo-${world.randomHex(8)}` as RepoId,
    name: 'shop',
    trunk: 'main',
    trunkCommit: commit('a'),
    identity: { rootCommits: [commit('a')], remotes: {} },
    ...given,
  }
}

export function newTask(given: Partial<NewTask> = {}): NewTask {
  return {
    id: null,
    slug: 'fix-login',
    digits: base32(26),
    goal: 'Fix the login',
    kind: 'work',
    owned: true,
    leaseSecs: 1800,
    base: commit('a'),
    parent: null,
    offeredTo: null,
    ...given,
  }
}

export function newRecord(task: TaskId, given: Partial<NewRecord> = {}): NewRecord {
  return {
    digits: world.randomHex(16),
    task,
    kind: 'decision',
    summary: 'Sessions live in Redis',
    body: '',
    anchors: [],
    supersedes: [],
    replyTo: null,
    receipt: null,
    redacted: 0,
    leaseSecs: 1800,
    states: LIVE_STATES,
    ...given,
  }
}

export function newCheckpoint(task: TaskId, given: Partial<NewCheckpoint> = {}): NewCheckpoint {
  return {
    task,
    commit: commit('b'),
    change: 'kkmpptxz',
    base: commit('a'),
    message: 'wip',
    files: [{ path: 'src/login.ts', status: 'modified', from: null }],
    symbols: ['src/login.ts:login'],
    patch: 'v1:0123',
    incomplete: { tooLarge: [], badNames: [], nested: [] },
    tree: TREE,
    conflicts: [],
    leaseSecs: 1800,
    states: ['open', 'in_review', 'conflicted'],
    ...given,
  }
}

export function newConvention(given: Partial<NewConvention> = {}): NewConvention {
  return {
    digits: world.randomHex(16),
    glob: 'src/**',
    text: 'No default exports.',
    required: false,
    state: 'active',
    ...given,
  }
}

/** A repo with one open task, held by ada in generation 1. */
export async function repoWithTask(
  store: Store,
): Promise<{ readonly repo: RepoId; readonly task: Task }> {
  const { id: repo } = await store.createRepo(newRepo(), ada)
  return { repo, task: await store.createTask(repo, newTask(), ada) }
}

/** The same, with a checkpoint, submitted. */
export async function repoInReview(
  store: Store,
): Promise<{ readonly repo: RepoId; readonly task: Task }> {
  const { repo, task } = await repoWithTask(store)
  await store.addCheckpoint(repo, newCheckpoint(task.id), ada)
  return { repo, task: (await store.moveTask(repo, newStep(task.id, 'submit'), ada)).task }
}

/** The same, approved by bob, with the merge slot held by bob. */
export async function repoApproved(store: Store): Promise<{
  readonly repo: RepoId
  readonly task: Task
  readonly slot: number
}> {
  const { repo, task } = await repoInReview(store)
  const approved = await store.addVerdict(repo, newVerdict(task.id), bob)
  return { repo, task: approved.task, slot: await slotOf(store, repo, bob) }
}

/** The same, merged as commit c; nobody has the slot. */
export async function repoMerged(
  store: Store,
): Promise<{ readonly repo: RepoId; readonly task: Task }> {
  const { repo, task, slot } = await repoApproved(store)
  await store.openLanding(repo, newMerge(task, slot), bob)
  const close = { slot, landing: slot, landed: true, leaseSecs: 1800 }
  return { repo, task: (await store.closeLanding(repo, close, bob)).task }
}

export async function slotOf(store: Store, repo: RepoId, by: Caller): Promise<number> {
  return (await store.takeSlot(repo, { task: null, ttlSecs: 60 }, by)).number
}

export function newStep(
  task: TaskId,
  event: OwnerStep['event'],
  given: Partial<OwnerStep> = {},
): OwnerStep {
  return { task, event, head: commit('b'), record: null, leaseSecs: 1800, ...given }
}

/** Of the task as `newCheckpoint` left it. */
export function newVerdict(task: TaskId, given: Partial<NewVerdict> = {}): NewVerdict {
  return {
    task,
    result: 'approve',
    base: commit('a'),
    tip: commit('b'),
    tree: TREE,
    patch: 'v1:0123',
    trunk: commit('a'),
    record: null,
    leaseSecs: 1800,
    ...given,
  }
}

/** What goes with a step or a verdict. */
export function withRecord(given: Partial<NewRecord> = {}): NonNullable<OwnerStep['record']> {
  const {
    task: _task,
    states: _states,
    leaseSecs: _lease,
    ...rest
  } = newRecord('' as TaskId, given)
  return rest
}

/** A merge of what is approved, from commit a to commit c. */
export function newMerge(
  { id, approval }: Task,
  slot: number,
  given: Partial<NewLanding> = {},
): NewLanding {
  return {
    ...{ slot, task: id, kind: 'merge', old: commit('a'), new: commit('c'), patch: 'v1:0123' },
    files: ['src/login.ts'],
    ttlSecs: 60,
    merge: { verdict: approval ?? (0 as Position), tree: TREE, carried: null },
    ...given,
  }
}

/** A move of trunk that takes a merge back: by undoing it, or by a commit of its own. */
export function newReturn(
  task: TaskId,
  slot: number,
  kind: 'undo' | 'revert',
  given: Partial<NewLanding> = {},
): NewLanding {
  return {
    ...{ slot, task, kind, old: commit('c'), new: kind === 'undo' ? commit('a') : commit('d') },
    ...{ patch: 'v1:0123', files: ['src/login.ts'], ttlSecs: 60, merge: null },
    ...given,
  }
}

function base32(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  const bytes = Buffer.from(world.randomHex(length), 'hex')
  return Array.from(bytes, (byte) => alphabet[byte % 32]).join('')
}
