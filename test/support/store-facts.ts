import type { Caller } from '../../src/domain/actor.ts'
import type { CommitId, RepoId } from '../../src/domain/repo.ts'
import { LIVE_STATES, type Task, type TaskId } from '../../src/domain/task.ts'
import type {
  NewCheckpoint,
  NewConvention,
  NewRecord,
  NewRepo,
  NewTask,
  Store,
} from '../../src/store/store.ts'
import { seededWorld } from '../../src/world.ts'

/** What a test puts into a store, valid as it stands; a test states what it is about. */

const world = seededWorld(1)

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

function base32(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  const bytes = Buffer.from(world.randomHex(length), 'hex')
  return Array.from(bytes, (byte) => alphabet[byte % 32]).join('')
}
