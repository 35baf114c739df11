import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Caller } from '../../src/domain/actor.ts'
import type { LifecycleEvent } from '../../src/domain/lifecycle.ts'
import { TASK_STATES, type TaskState } from '../../src/domain/task.ts'
import { countRows, freshStore, type TestStore } from '../support/stores.ts'
import {
  agent,
  human,
  idOf,
  Office,
  refusalIn,
  type Snapshot,
  snapshotOf,
  TRUNK,
} from './office.ts'

setDefaultTimeout(120_000)
let opened: TestStore
let office: Office
beforeAll(async () => {
  opened = await freshStore()
  office = await Office.open(opened.store)
})

const REVIEWER = human('rae')

/** A task in some state, who owns it, and what was last snapshotted. */
type Made = { readonly task: string; readonly owner: Caller; readonly seen: Snapshot }

let made = 0
const submitted = () => office.submitted(`Goal ${made++}`, agent('ada'))
const approved = () => office.approved(`Goal ${made++}`, agent('ada'), REVIEWER)

const IN_STATE: Readonly<Record<TaskState, () => Promise<Made>>> = {
  open: async () => {
    const goal = `Goal ${made++}`
    const { task, owner } = await office.work(goal, agent('ada'))
    await office.record(task, owner, 'Why')
    return { task, owner, seen: await office.checkpoint(task, owner, goal) }
  },
  in_review: approved,
  handed_off: async () => {
    const open = await IN_STATE.open()
    await handOff(open)
    return open
  },
  conflicted: async () => {
    const { task, owner, seen } = await submitted()
    const { slot } = await office.takeSlot('sync', null)
    const conflicted = ['src/login.ts']
    await office.call('landing.conflict', {
      ...{ repo: office.repo, slot, task, conflicted, checkpoint: null },
    })
    await office.call('slot.free', { repo: office.repo, slot })
    return { task, owner, seen }
  },
  merged: async () => {
    const one = await approved()
    await office.merge(one.task, one.seen)
    return one
  },
  abandoned: async () => {
    const open = await IN_STATE.open()
    const commit = open.seen.commit
    await office.call('abandon', { repo: office.repo, task: open.task, commit }, open.owner)
    return open
  },
  answered: () => final('question', 'answered'),
  closed: () => final('chat', 'closed'),
}

/** Of kinds that no command makes yet. */
async function final(kind: string, state: string): Promise<Made> {
  const open = await IN_STATE.open()
  await opened.query('update task set kind = $1, state = $2 where id = $3', [
    kind,
    state,
    open.task,
  ])
  return open
}

const handOff = ({ task, owner, seen }: Made) =>
  office.call(
    'handoff',
    { repo: office.repo, task, commit: seen.commit, remaining: ['the rest'] },
    owner,
  )

const about = ({ task, seen }: Made) => ({ repo: office.repo, task, commit: seen.commit })

/** Every event that a command of today brings about, as its command does. */
const ATTEMPTS = {
  submit: (one: Made) => office.call('submit', about(one), one.owner),
  handoff: handOff,
  claim: ({ task }: Made) =>
    office.call('claim', { repo: office.repo, task, base: null }, agent('bo')),
  'request-changes': ({ task, seen }: Made) =>
    office.call(
      'request-changes',
      { ...office.reviewed(task, seen), message: 'No', anchors: [] },
      REVIEWER,
    ),
  approve: ({ task, seen }: Made) => office.call('approve', office.reviewed(task, seen), REVIEWER),
  merge: ({ task }: Made) => withSlot('merge', task),
  resolve: (one: Made) => office.call('resolve', about(one), one.owner),
  undo: ({ task }: Made) => withSlot('undo', task),
  revert: ({ task }: Made) => withSlot('revert', task),
  abandon: (one: Made) => office.call('abandon', about(one), one.owner),
  sync: async ({ task }: Made) => {
    const { slot } = await office.takeSlot('sync', null)
    const landed = { repo: office.repo, slot, task, commit: idOf('elsewhere') }
    return office
      .call('trunk.landed', landed)
      .finally(() => office.call('slot.free', { repo: office.repo, slot }))
  },
} satisfies Partial<Record<LifecycleEvent, (one: Made) => Promise<unknown>>>
type Attempted = keyof typeof ATTEMPTS

async function withSlot(kind: 'merge' | 'undo' | 'revert', task: string): Promise<void> {
  const { slot } = await office.takeSlot(kind, task)
  await office.call('slot.free', { repo: office.repo, slot })
}

/** What each state takes; of the rest, everything is refused. */
const LEGAL: Readonly<Record<TaskState, readonly Attempted[]>> = {
  open: ['submit', 'handoff', 'claim', 'abandon', 'sync'],
  in_review: ['request-changes', 'approve', 'merge', 'abandon', 'sync'],
  handed_off: ['claim', 'abandon', 'sync'],
  conflicted: ['claim', 'resolve', 'abandon'],
  merged: ['undo', 'revert'],
  abandoned: [],
  answered: [],
  closed: [],
}

describe('what is in the table happens, and nothing else', () => {
  for (const state of TASK_STATES) {
    test(`to one that is ${state}`, async () => {
      const legal: string[] = []
      for (const event of Object.keys(ATTEMPTS) as Attempted[]) {
        const one = await IN_STATE[state]()
        const before = await countRows(opened.query)
        const fault = await refusalIn(ATTEMPTS[event](one))
        if (fault?.code !== 'refused_transition') {
          legal.push(event)
          continue
        }
        expect(fault).toMatchObject({ status: 422, detail: { reason: 'state', state, event } })
        expect(fault.detail.legal).toEqual(LEGAL[state])
        if (event !== 'sync') expect(await countRows(opened.query)).toEqual(before)
      }
      expect(legal).toEqual([...LEGAL[state]])
    })
  }

  test('a checkpoint is taken of one that is open, in review or conflicted', async () => {
    const taken: string[] = []
    for (const state of TASK_STATES) {
      const { task, owner, seen } = await IN_STATE[state]()
      const again = {
        ...{ repo: office.repo, task, ...snapshotOf(`${seen.commit} again`), change: 'kkkk' },
        ...{ files: [], symbols: [], conflicts: [] },
        incomplete: { tooLarge: [], badNames: [], nested: [] },
      }
      const fault = await office.refusal('checkpoint', again, owner)
      if (fault === null) taken.push(state)
      else expect(fault.detail).toMatchObject({ reason: 'state', state, event: 'checkpoint' })
    }
    expect(taken).toEqual(['open', 'in_review', 'conflicted'])
  })

  test('a record is taken of live ones; a comment of all but the abandoned', async () => {
    const taken: string[] = []
    for (const state of TASK_STATES) {
      const { task, owner } = await IN_STATE[state]()
      const own = await refusalIn(office.record(task, owner, 'Own'))
      const comment = await refusalIn(office.record(task, human('mia'), 'Hm', { kind: 'note' }))
      taken.push(`${state}: ${own?.code ?? 'kept'}, ${comment?.code ?? 'kept'}`)
    }
    expect(taken).toEqual([
      'open: kept, kept',
      'in_review: kept, kept',
      'handed_off: kept, kept',
      'conflicted: kept, kept',
      'merged: refused_transition, kept',
      'abandoned: refused_transition, refused_transition',
      'answered: refused_transition, kept',
      'closed: refused_transition, kept',
    ])
  })
})

describe('submit', () => {
  const submit = (task: string, by: Caller, commit: string) =>
    office.refusal('submit', { repo: office.repo, task, commit }, by)

  test('wants a whole snapshot, no conflicts, changes and a why, in this order', async () => {
    const { task, owner } = await office.work('Fix it', agent('ada'))
    const bad = {
      incomplete: { tooLarge: ['big.bin'], badNames: [], nested: ['vendor/x'] },
      conflicts: ['src/login.ts'],
      files: [],
    }
    const reasons: unknown[] = []
    const attempt = async (content: string, more: object) => {
      const { commit } = await office.checkpoint(task, owner, content, more)
      const fault = await submit(task, owner, commit)
      reasons.push(fault?.detail.reason)
      return fault
    }
    const incomplete = await attempt('a', bad)
    expect(incomplete?.detail).toMatchObject({
      ...{ tooLarge: ['big.bin'], nested: ['vendor/x'], uncovered: ['src/login.ts:login'] },
    })
    const whole = { incomplete: { tooLarge: [], badNames: [], nested: [] } }
    const conflicted = await attempt('b', { ...bad, ...whole })
    expect(conflicted?.detail).toMatchObject({
      files: ['src/login.ts'],
      uncovered: ['src/login.ts:login'],
    })
    await attempt('c', { files: [], symbols: [] })
    const untold = await attempt('d', {})
    expect(untold?.detail.uncovered).toEqual(['src/login.ts:login'])
    expect(reasons).toEqual(['incomplete', 'conflicts_left', 'no_changes', 'no_why'])
    expect(untold?.status).toBe(422)
  })

  test('is of the last checkpoint', async () => {
    const { task, owner } = await office.work('Fix it', agent('ada'))
    await office.record(task, owner, 'Why')
    const old = await office.checkpoint(task, owner, 'one')
    await office.checkpoint(task, owner, 'two')
    const fault = await submit(task, owner, old.commit)
    expect(fault).toMatchObject({ code: 'conflict', detail: { reason: 'head_moved' } })
  })

  test('says which of the changed symbols no record covers', async () => {
    const { task, owner } = await office.work('Fix it', agent('ada'))
    const at = { path: 'src/login.ts', symbol: 'Session', hash: null }
    await office.record(task, owner, 'Why', { anchors: [at] })
    const symbols = ['src/login.ts:Session.end', 'src/login.ts:login', 'src/other.ts:x']
    const { commit } = await office.checkpoint(task, owner, 'x', { symbols })
    const view = await office.call('submit', { repo: office.repo, task, commit }, owner)
    expect(view).toMatchObject({
      state: 'in_review',
      uncovered: ['src/login.ts:login', 'src/other.ts:x'],
    })
  })

  test('counts what was recorded of a file before the task renamed it', async () => {
    const { task, owner } = await office.work('Fix it', agent('ada'))
    const anchors = [{ path: 'src/login.ts', symbol: 'login', hash: null }]
    await office.record(task, owner, 'Why', { anchors })
    const renamed = { path: 'src/enter.ts', status: 'renamed', from: 'src/login.ts' } as const
    const copied = { path: 'src/copy.ts', status: 'copied', from: 'src/login.ts' } as const
    const symbols = ['src/copy.ts:login', 'src/enter.ts:login', 'src/enter.ts:leave']
    const files = [copied, renamed]
    const { commit } = await office.checkpoint(task, owner, 'x', { symbols, files })
    const view = await office.call('submit', { repo: office.repo, task, commit }, owner)
    expect(view.uncovered).toEqual(['src/copy.ts:login', 'src/enter.ts:leave'])
  })

  test('is not told by a record that was superseded by an intent, or purged', async () => {
    const { task, owner } = await office.work('Fix it', agent('ada'))
    const { commit } = await office.checkpoint(task, owner, 'x')
    const old = await office.record(task, owner, 'Why')
    await office.record(task, owner, 'Goal', { kind: 'intent', supersedes: [old.id] })
    expect((await submit(task, owner, commit))?.detail.reason).toBe('no_why')
    const { id } = await office.record(task, owner, 'The key is under the mat')
    await office.call('purge', { repo: office.repo, id, yes: true })
    expect((await submit(task, owner, commit))?.detail.reason).toBe('no_why')
  })
})

describe('resolve', () => {
  test('is refused while conflicts are left, naming the files', async () => {
    const { task, owner } = await IN_STATE.conflicted()
    const conflicts = ['src/login.ts']
    const { commit } = await office.checkpoint(task, owner, 'half done', { conflicts })
    const fault = await office.refusal('resolve', { repo: office.repo, task, commit }, owner)
    expect(fault?.detail).toEqual({ reason: 'conflicts_left', files: conflicts })
    const done = await office.checkpoint(task, owner, 'done')
    const input = { repo: office.repo, task, commit: done.commit }
    const view = await office.call('resolve', input, owner)
    expect(view).toMatchObject({ state: 'open', conflicted: [] })
  })
})

describe('a task for later', () => {
  test('is nobody’s, offered to somebody, and whoever claims it begins it', async () => {
    const input = { goal: 'Later', repo: office.repo, offer: 'zoe' }
    const filed = await office.call('task.file', input, human('mia'))
    expect(filed).toMatchObject({ owner: null, generation: 0, base: null, offeredTo: 'zoe' })
    const mine = { repo: office.repo, mine: true, all: false, limit: 10 }
    const { items } = await office.call('task.list', mine, human('zoe'))
    expect(items.map(({ id }) => id)).toEqual([filed.id])
    const claim = { repo: office.repo, task: filed.id, base: TRUNK }
    const claimed = await office.call('claim', claim, agent('bo'))
    expect(claimed).toMatchObject({
      ...{ owner: 'bo', generation: 1, base: TRUNK, isRenewal: false, previous: null },
    })
  })
})
