import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { CommitId, RepoId } from '../../src/domain/repo.ts'
import type { Task } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import type { NewLanding } from '../../src/store/trunk-slot.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newReturn,
  newStep,
  newTask,
  newVerdict,
  repoApproved,
  slotOf,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, refusedWhole, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('landings that take a merge back', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  let slot: number
  beforeAll(async () => {
    opened = await open()
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

  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)
  const taskNow = async () => (await store.task(repo, task.id))!
  const trunkNow = async () => (await store.repo(repo))?.trunkCommit
  const merge = async (given: Partial<NewLanding> = {}) =>
    store.openLanding(repo, newMerge(await taskNow(), slot, given), bob)
  const close = (landed: boolean, given: { slot?: number; landing?: number } = {}, by = bob) =>
    store.closeLanding(repo, { slot, landing: slot, landed, leaseSecs: 60, ...given }, by)
  const takeSlot = async () => {
    slot = await slotOf(store, repo, bob)
  }
  const land = async (given: Partial<NewLanding> = {}) => {
    await merge(given)
    await close(true)
    await takeSlot()
  }
  const giveBack = (kind: 'undo' | 'revert', given: Partial<NewLanding> = {}) =>
    store.openLanding(repo, newReturn(task.id, slot, kind, given), bob)
  const facts = async () =>
    (
      await opened.query(
        'SELECT event FROM fact WHERE repo = $1 AND position > 4 ORDER BY position',
        [repo],
      )
    ).map(({ event }) => event)
  const noteTrunk = (old: CommitId, next: CommitId) =>
    store.noteTrunk(repo, { slot, old, new: next, forced: false }, bob)

  /** Another task of the repo, approved as the first one is. */
  async function another(): Promise<Task> {
    const { id } = await store.createTask(repo, newTask(), ada)
    await store.addCheckpoint(repo, newCheckpoint(id), ada)
    await store.moveTask(repo, newStep(id, 'submit'), ada)
    return (await store.addVerdict(repo, newVerdict(id), bob)).task
  }

  test('undo it, with a new lease: it can be merged again', async () => {
    await land()
    await giveBack('undo')
    const { task: undone } = await close(true)
    expect(undone).toMatchObject({
      state: 'in_review',
      landed: null,
      approval: task.approval,
      owner: 'ada',
    })
    expect(undone.leaseExpiresAt).not.toBe(null)
    expect(await trunkNow()).toBe(commit('a'))
    await takeSlot()
    await land()
    expect(await facts()).toEqual(['task.merged', 'task.undone', 'task.merged'])
    const moves = 'SELECT kind, forced FROM trunk_move WHERE repo = $1 ORDER BY position'
    expect(await opened.query(moves, [repo])).toEqual([
      { kind: 'merge', forced: false },
      { kind: 'undo', forced: true },
      { kind: 'merge', forced: false },
    ])
  })

  test('undo nothing that is not the tip of trunk by av’s own hand', async () => {
    const first = task
    await land()
    expect(await refused(() => giveBack('undo', { new: commit('f') }))).toBe(
      'refused_rule/not_trunk_tip',
    )
    expect(await refused(() => giveBack('undo', { old: commit('f') }))).toBe(
      'refused_rule/not_trunk_tip',
    )
    task = await another()
    await land({ old: commit('c'), new: commit('e') })
    const second = task
    task = first
    expect(await refused(() => giveBack('undo'))).toBe('conflict/trunk_moved')
    task = second
    await giveBack('undo', { old: commit('e'), new: commit('c') })
    await close(true)
    await takeSlot()
    task = first
    await giveBack('undo')
    await close(true)
    expect(await trunkNow()).toBe(commit('a'))
  })

  test('undo nothing that landed elsewhere', async () => {
    await noteTrunk(commit('a'), commit('c'))
    await store.landElsewhere(repo, { slot, task: task.id, commit: commit('c') }, bob)
    expect(await refused(() => giveBack('undo'))).toBe('refused_rule/not_trunk_tip')
    await giveBack('revert')
    expect((await close(true)).task.flags).toEqual(['reverted'])
  })

  test('revert it once, by a commit of its own', async () => {
    await land()
    await giveBack('revert')
    const { task: reverted } = await close(true)
    expect(reverted).toMatchObject({ state: 'merged', flags: ['reverted'], landed: commit('c') })
    expect(await trunkNow()).toBe(commit('d'))
    await takeSlot()
    const again = { old: commit('d'), new: commit('e') }
    expect(await refused(() => giveBack('revert', again))).toBe('refused_rule/already_reverted')
    expect(await refused(() => giveBack('undo', { old: commit('c') }))).toBe(
      'refused_rule/not_trunk_tip',
    )
    expect(await facts()).toEqual(['task.merged', 'task.reverted'])
  })

  test.each(['undo', 'revert'] as const)(
    'leave it merged when an %s did not land',
    async (kind) => {
      await land()
      const before = await taskNow()
      await giveBack(kind)
      expect(await refused(() => giveBack(kind))).toBe('conflict/landing')
      const { task: kept } = await close(false)
      expect(kept).toEqual({ ...before, updatedAt: kept.updatedAt })
    },
  )
})
