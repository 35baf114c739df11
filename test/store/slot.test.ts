import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import type { CommitId, RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import type { NewConflict } from '../../src/store/trunk-slot.ts'
import { faultOf, refusalOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newReturn,
  newVerdict,
  repoApproved,
  repoMerged,
  slotOf,
} from '../support/store-facts.ts'
import {
  anotherPool,
  BACKENDS,
  onEach,
  refusedWhole,
  shiftClock,
  type TestStore,
} from '../support/stores.ts'

setDefaultTimeout(60_000)

const WANT = { task: null, ttlSecs: 60 }

onEach('the merge slot', BACKENDS, (backend) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  let slot: number
  beforeAll(async () => {
    opened = await backend.open()
    store = opened.store
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    await shiftClock(opened.query, 0)
    const fresh = await repoApproved(store)
    repo = fresh.repo
    task = fresh.task
    slot = fresh.slot
  })

  test('is taken at once from a process that is known to be dead, by the number it was granted', async () => {
    expect(await refusalOf(store.takeSlot(repo, { ...WANT, left: slot - 1 }, bob))).toBe(
      'conflict/slot_taken',
    )
    const next = await store.takeSlot(repo, { ...WANT, left: slot }, bob)
    expect(next.number).toBe(slot + 1)
    expect(await refusalOf(store.openLanding(repo, newMerge(task, slot), ada))).toBe(
      'conflict/slot_lost',
    )
  })

  const setTask = (change: string) =>
    opened.query(`UPDATE task SET ${change} WHERE repo = $1 AND id = $2`, [repo, task.id])
  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)
  const factsAfter = async (after: number) =>
    (
      await opened.query(
        'SELECT event, subject FROM fact WHERE repo = $1 AND position > $2 ORDER BY position',
        [repo, after],
      )
    ).map(({ event }) => event)
  const conflict = (given: Partial<NewConflict> = {}): NewConflict => ({
    ...{ slot, task: task.id, conflicted: ['a.ts'], checkpoint: null, leaseSecs: 60 },
    ...given,
  })

  test('is held by one, who is named to the next, until it is given back', async () => {
    await store.freeSlot(repo, slot)
    const first = await store.takeSlot(repo, { task: task.id, ttlSecs: 60 }, bob)
    expect([first.number, first.open]).toEqual([slot + 1, null])
    const fault = await faultOf(store.takeSlot(repo, WANT, ada))
    expect([fault.code, fault.detail.reason]).toEqual(['conflict', 'slot_taken'])
    expect(fault.detail).toMatchObject({ actor: 'bob', task: task.id, until: first.expiresAt })
    expect(fault.message).toContain('bob')
    expect(fault.message).toContain(String(fault.detail.since))
    expect(await refused(() => store.takeSlot(repo, WANT, bob))).toBe('conflict/slot_taken')
    await store.freeSlot(repo, slot)
    expect(await refused(() => store.takeSlot(repo, WANT, ada))).toBe('conflict/slot_taken')
    await store.freeSlot(repo, first.number)
    expect((await store.takeSlot(repo, WANT, ada)).number).toBe(slot + 2)
    expect<unknown>((await store.repo(repo))?.position).toBe(4)
    const nowhere = 'nowhere' as RepoId
    expect(await refused(() => store.takeSlot(nowhere, WANT, ada))).toBe('not_found/repo')
  })

  test('lapses by the clock of the database', async () => {
    await shiftClock(opened.query, 55)
    expect(await refused(() => store.takeSlot(repo, WANT, ada))).toBe('conflict/slot_taken')
    await shiftClock(opened.query, 65)
    expect((await store.takeSlot(repo, WANT, ada)).number).toBe(slot + 1)
  })

  test('is taken by one of twelve at one moment', async () => {
    await store.freeSlot(repo, slot)
    const other = await anotherPool(opened, backend)
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 === 0 ? store : other.store)
          .takeSlot(repo, WANT, { ...bob, actor: `agent-${n}` })
          .then(
            ({ number }) => `slot ${number}`,
            (thrown: unknown) => refusalOf(Promise.reject(thrown)),
          ),
      ),
    )
    await other.close()
    expect(outcomes.filter((one) => one === `slot ${slot + 1}`).length).toBe(1)
    expect(outcomes.filter((one) => one === 'conflict/slot_taken').length).toBe(11)
  })

  test('says which landing was left open', async () => {
    const open = await store.openLanding(repo, newMerge(task, slot), bob)
    await shiftClock(opened.query, 65)
    expect((await store.takeSlot(repo, WANT, ada)).open).toEqual(open)
  })

  describe('once it is not held any more', () => {
    const WRITES: Readonly<Record<string, (slot: number) => Promise<unknown>>> = {
      'opens no merge': (slot) => store.openLanding(repo, newMerge(task, slot), bob),
      'closes no landing': (slot) =>
        store.closeLanding(repo, { slot, landing: slot, landed: false, leaseSecs: 60 }, bob),
      'lands nothing': (slot) =>
        store.closeLanding(repo, { slot, landing: slot, landed: true, leaseSecs: 60 }, bob),
      'conflicts nothing': (slot) => store.conflictTask(repo, conflict({ slot }), bob),
      'voids no approval': (slot) =>
        store.voidApproval(repo, { slot, task: task.id, verdict: task.approval!, why: 'x' }, bob),
      'notes no trunk': (slot) =>
        store.noteTrunk(repo, { slot, old: commit('a'), new: commit('c'), forced: false }, bob),
      'lands nothing elsewhere': (slot) =>
        store.landElsewhere(repo, { slot, task: task.id, commit: commit('c') }, bob),
    }
    const closes = (name: string) => name === 'closes no landing' || name === 'lands nothing'

    test.each(Object.entries(WRITES))('%s', async (name, write) => {
      if (closes(name)) await store.openLanding(repo, newMerge(task, slot), bob)
      await shiftClock(opened.query, 65)
      expect(await refused(() => write(slot))).toBe('conflict/slot_lost')
      const next = await slotOf(store, repo, { ...bob, actor: 'eve' })
      const fault = await faultOf(write(slot))
      expect(fault.detail).toEqual({ reason: 'slot_lost', slot, current: next, actor: 'eve' })
      expect(await refused(() => write(slot))).toBe('conflict/slot_lost')
      if (closes(name)) return
      expect(await refused(() => write(next + 1))).toBe('conflict/slot_lost')
      await store.freeSlot(repo, next)
      expect(await refused(() => write(next))).toBe('conflict/slot_lost')
      await write(await slotOf(store, repo, bob))
    })

    test.each(['undo', 'revert'] as const)('opens no %s', async (kind) => {
      const merged = await repoMerged(store)
      const taken = await slotOf(store, merged.repo, bob)
      const open = (number: number) =>
        store.openLanding(merged.repo, newReturn(merged.task.id, number, kind), bob)
      await shiftClock(opened.query, 65)
      expect(await refused(() => open(taken))).toBe('conflict/slot_lost')
      await open(await slotOf(store, merged.repo, ada))
    })
  })

  describe('lets its holder note', () => {
    const note = (old: CommitId | null, next: CommitId | null, forced = false) =>
      store.noteTrunk(repo, { slot, old, new: next, forced }, bob)

    test('that trunk was moved outside, from where the store knew it', async () => {
      expect<unknown>(await note(commit('a'), commit('e'))).toBe(5)
      expect(await refused(() => note(commit('a'), commit('f')))).toBe('conflict/trunk_moved')
      expect(await refused(() => note(null, commit('f')))).toBe('conflict/trunk_moved')
      await note(commit('e'), null, true)
      expect(await refused(() => note(commit('e'), commit('f')))).toBe('conflict/trunk_moved')
      await note(null, commit('d'))
      expect((await store.repo(repo))?.trunkCommit).toBe(commit('d'))
      const moves =
        'SELECT kind, old, new, forced, task FROM trunk_move WHERE repo = $1 ORDER BY position'
      const outside = { kind: 'outside', task: null }
      expect(await opened.query(moves, [repo])).toEqual([
        { ...outside, old: commit('a'), new: commit('e'), forced: false },
        { ...outside, old: commit('e'), new: null, forced: true },
        { ...outside, old: null, new: commit('d'), forced: false },
      ])
      expect(await factsAfter(4)).toEqual(['trunk.moved', 'trunk.moved', 'trunk.moved'])
    })

    test('that an approval does not count any more, unless there is another', async () => {
      const stale = {
        slot,
        task: task.id,
        verdict: task.approval!,
        why: 'trunk changed src/login.ts too',
      }
      const newer = await store.addVerdict(repo, newVerdict(task.id), { ...bob, actor: 'eve' })
      expect(await refused(() => store.voidApproval(repo, stale, bob))).toBe(
        'conflict/approval_changed',
      )
      const { verdict } = newer
      const voided = await store.voidApproval(repo, { ...stale, verdict: verdict.position }, bob)
      expect(voided).toMatchObject({ state: 'in_review', approval: null, approvedBy: null })
      expect(voided.approvalVoid).toBe(stale.why)
      expect(await factsAfter(5)).toEqual(['approval.void'])
      await setTask(`state = 'open'`)
      expect(await refused(() => store.voidApproval(repo, stale, bob))).toBe(
        'refused_transition/state',
      )
    })

    test('that a task landed elsewhere', async () => {
      const landed = { slot, task: task.id, commit: commit('e') }
      const merged = await store.landElsewhere(repo, landed, ada)
      expect(merged).toMatchObject({ state: 'merged', landed: commit('e'), leaseExpiresAt: null })
      expect(await factsAfter(4)).toEqual(['task.landed_elsewhere'])
      expect(await refused(() => store.landElsewhere(repo, landed, ada))).toBe(
        'refused_transition/state',
      )
      const lost = { ...landed, task: 'nobody' as TaskId }
      expect(await refused(() => store.landElsewhere(repo, lost, ada))).toBe('not_found/task')
    })

    test('that a task conflicts with trunk, and what its folder holds then', async () => {
      const {
        task: _task,
        states: _states,
        leaseSecs: _lease,
        ...checkpoint
      } = newCheckpoint(task.id, {
        ...{
          commit: commit('e'),
          change: 'zzzz',
          base: commit('d'),
          tree: null,
          conflicts: ['a.ts'],
        },
      })
      await shiftClock(opened.query, 30)
      const found = await store.conflictTask(repo, conflict({ checkpoint }), bob)
      expect(found).toMatchObject({
        ...{ state: 'conflicted', conflicted: ['a.ts'], owner: 'ada', generation: 1 },
        ...{ approval: null, approvedBy: null, approvalVoid: 'it conflicts with trunk' },
        ...{ head: commit('e'), change: 'zzzz', base: commit('d') },
      })
      expect(await store.task(repo, task.id)).toEqual(found)
      expect(await store.lastCheckpoint(repo, task.id)).toMatchObject({
        ...checkpoint,
        generation: 1,
      })
      expect(await factsAfter(4)).toEqual(['task.conflicted', 'checkpoint.added'])
      expect(await refused(() => store.conflictTask(repo, conflict(), bob))).toBe(
        'refused_transition/state',
      )
      expect(await refused(() => store.takeSlot(repo, WANT, bob))).toBe('conflict/slot_taken')
    })

    test('that it conflicts where the folder is on another machine', async () => {
      const found = await store.conflictTask(repo, conflict(), bob)
      expect(found).toMatchObject({ state: 'conflicted', head: commit('b'), base: commit('a') })
      expect(await factsAfter(4)).toEqual(['task.conflicted'])
    })

    test('nothing of a task that is landing', async () => {
      await store.openLanding(repo, newMerge(task, slot), bob)
      const stale = { slot, task: task.id, verdict: task.approval!, why: 'x' }
      const landed = { slot, task: task.id, commit: commit('e') }
      expect(await refused(() => store.voidApproval(repo, stale, bob))).toBe('conflict/landing')
      expect(await refused(() => store.conflictTask(repo, conflict(), bob))).toBe(
        'conflict/landing',
      )
      expect(await refused(() => store.landElsewhere(repo, landed, bob))).toBe('conflict/landing')
    })
  })
})
