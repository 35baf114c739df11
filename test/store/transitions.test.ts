import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  CHECKPOINT_STATES,
  EVENTS,
  isLegal,
  LIFECYCLE,
  type LifecycleEvent,
} from '../../src/domain/lifecycle.ts'
import { LIVE_STATES, TASK_KINDS, TASK_STATES, type Task } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import { faultOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newRecord,
  newReturn,
  newStep,
  newVerdict,
  repoMerged,
  slotOf,
} from '../support/store-facts.ts'
import { BACKENDS, countRows, onEach, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(300_000)

/** What the store has of each event, for a task that was merged and then put into the state by hand. */
type Attempt = (store: Store, task: Task) => Promise<unknown>

const eve = { ...bob, actor: 'eve' }
const ATTEMPTS: Readonly<Partial<Record<LifecycleEvent | 'conflict', Attempt>>> = {
  submit: (store, { repo, id }) => store.moveTask(repo, newStep(id, 'submit'), ada),
  handoff: (store, { repo, id }) => store.moveTask(repo, newStep(id, 'handoff'), ada),
  resolve: (store, { repo, id }) => store.moveTask(repo, newStep(id, 'resolve'), ada),
  abandon: (store, { repo, id }) => store.moveTask(repo, newStep(id, 'abandon'), ada),
  claim: (store, { repo, id }) =>
    store.claimTask(repo, { task: id, leaseSecs: 60, base: null }, eve),
  approve: (store, { repo, id }) => store.addVerdict(repo, newVerdict(id), bob),
  'request-changes': (store, { repo, id }) =>
    store.addVerdict(repo, newVerdict(id, { result: 'request_changes' }), bob),
  merge: (store, task) =>
    underSlot(store, task, (slot) =>
      store.openLanding(
        task.repo,
        newMerge(task, slot, { old: commit('c'), new: commit('d') }),
        bob,
      ),
    ),
  undo: (store, task) =>
    underSlot(store, task, (slot) =>
      store.openLanding(task.repo, newReturn(task.id, slot, 'undo'), bob),
    ),
  revert: (store, task) =>
    underSlot(store, task, (slot) =>
      store.openLanding(task.repo, newReturn(task.id, slot, 'revert'), bob),
    ),
  conflict: (store, task) =>
    underSlot(store, task, (slot) => {
      const conflict = {
        slot,
        task: task.id,
        conflicted: ['a.ts'],
        checkpoint: null,
        leaseSecs: 60,
      }
      return store.conflictTask(task.repo, conflict, bob)
    }),
  sync: (store, task) =>
    underSlot(store, task, (slot) =>
      store.landElsewhere(task.repo, { slot, task: task.id, commit: commit('e') }, bob),
    ),
}

/** A landing moves the task when it is closed. */
const LANDS = ['merge', 'undo', 'revert']

let slots = 0
async function underSlot(store: Store, { repo }: Task, work: (slot: number) => Promise<unknown>) {
  slots = await slotOf(store, repo, bob)
  return work(slots)
}

onEach('all states × all events', BACKENDS.slice(0, 2), ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  /** Put into a state after it was merged: everything an event asks for beside the state holds. */
  async function taskIn(state: string, kind: string): Promise<Task> {
    const { repo, task } = await repoMerged(store)
    await opened.query(
      `UPDATE task SET state = $3, kind = $4, lease_expires_at = av_now() - interval '1 second' WHERE repo = $1 AND id = $2`,
      [repo, task.id, state, kind],
    )
    return (await store.task(repo, task.id))!
  }

  test.each(Object.keys(ATTEMPTS) as (LifecycleEvent | 'conflict')[])('%s', async (name) => {
    await shiftClock(opened.query, 0)
    const event = name === 'conflict' ? 'merge' : name
    const attempt = ATTEMPTS[name]!
    let legal = 0
    for (const state of TASK_STATES) {
      for (const kind of TASK_KINDS) {
        const task = await taskIn(state, kind)
        if (isLegal(task, event)) {
          legal++
          await attempt(store, task)
          if (LANDS.includes(name)) {
            const close = { slot: slots, landing: slots, landed: true, leaseSecs: 60 }
            await store.closeLanding(task.repo, close, bob)
          }
          const rows = LIFECYCLE.filter((row) => row.event === event && row.from.includes(state))
          const to = name === 'conflict' ? 'conflicted' : rows[0]!.to
          expect((await store.task(task.repo, task.id))?.state).toBe(to)
          continue
        }
        const before = await countRows(opened.query)
        const fault = await faultOf(attempt(store, task))
        expect([fault.code, fault.detail.state, fault.detail.event]).toEqual([
          'refused_transition',
          state,
          event,
        ])
        if (slots > 0) await store.freeSlot(task.repo, slots)
        const { repo: _slot, ...after } = await countRows(opened.query)
        expect<unknown>({ ...after, repo: before.repo!.split(' ')[0] }).toEqual({
          ...before,
          repo: before.repo!.split(' ')[0],
        })
      }
    }
    expect(legal).toBeGreaterThan(0)
  })

  test('are all there, but for those of questions and chats', () => {
    expect(EVENTS.filter((event) => !(event in ATTEMPTS))).toEqual(['answer', 'close'])
  })

  test('checkpoints and records go by states of their own', async () => {
    for (const state of TASK_STATES) {
      const { repo, id } = await taskIn(state, 'work')
      const outcomes = [
        await store.addCheckpoint(repo, newCheckpoint(id), ada).then(
          () => 'stored',
          (fault) => fault.code,
        ),
        await store.addRecord(repo, newRecord(id), ada, 'owner').then(
          () => 'stored',
          (fault) => fault.code,
        ),
      ]
      const isIn = (states: readonly string[]) =>
        states.includes(state) ? 'stored' : 'refused_transition'
      expect([state, ...outcomes]).toEqual([state, isIn(CHECKPOINT_STATES), isIn(LIVE_STATES)])
    }
  })
})
