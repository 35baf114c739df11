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
  TREE,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, refusedWhole, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

const CARRIED = {
  ...{ base: commit('d'), tip: commit('e'), tree: '8'.repeat(40), patch: 'v1:4567' },
  over: ['docs/a.md'],
}

onEach('landings', BACKENDS, ({ open }) => {
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

  test('are written down before trunk moves, and bind the task', async () => {
    await shiftClock(opened.query, 30)
    const opening = await merge()
    expect<unknown>(opening).toEqual({
      ...{ repo, slot, task: task.id, kind: 'merge', old: commit('a'), new: commit('c') },
      ...{ patch: 'v1:0123', verdict: task.approval, files: ['src/login.ts'], state: 'open' },
      ...{ position: null, actor: 'bob', session: null, at: opening.at },
    })
    expect((await taskNow()).landing).toBe(slot)
    expect(await trunkNow()).toBe(commit('a'))
    expect(await facts()).toEqual([])
    await shiftClock(opened.query, 85)
    expect(await refused(() => store.takeSlot(repo, { task: null, ttlSecs: 1 }, ada))).toBe(
      'conflict/slot_taken',
    )
  })

  test('move trunk and the task when they landed, and free the slot', async () => {
    await merge()
    const { landing, task: merged } = await close(true)
    expect<unknown>(landing).toMatchObject({ state: 'landed', position: 5 })
    expect(merged).toMatchObject({ state: 'merged', landed: commit('c'), landing: null })
    expect(merged).toMatchObject({ leaseExpiresAt: null, approval: task.approval })
    expect(await taskNow()).toEqual(merged)
    expect(await trunkNow()).toBe(commit('c'))
    const moves =
      'SELECT position, kind, old, new, forced, task, actor FROM trunk_move WHERE repo = $1'
    expect(await opened.query(moves, [repo])).toEqual([
      {
        position: 5,
        kind: 'merge',
        old: commit('a'),
        new: commit('c'),
        forced: false,
        task: task.id,
        actor: 'bob',
      },
    ])
    expect(await facts()).toEqual(['task.merged'])
    await takeSlot()
    expect(await store.landings(repo, { task: task.id }, 9)).toEqual([landing])
    expect(await store.landings(repo, { states: ['open', 'discarded'] }, 9)).toEqual([])
  })

  test('leave everything as it was when they did not, and take no position', async () => {
    await merge()
    const { landing, task: kept } = await close(false)
    expect([landing.state, landing.position]).toEqual(['discarded', null])
    expect(kept).toEqual({ ...task, updatedAt: kept.updatedAt })
    expect(await trunkNow()).toBe(commit('a'))
    expect(await facts()).toEqual([])
    await takeSlot()
    await land()
    expect((await store.landings(repo, {}, 9)).map(({ state }) => state)).toEqual([
      'landed',
      'discarded',
    ])
    expect((await store.landings(repo, {}, 1)).length).toBe(1)
  })

  test.each([true, false])('closed twice are closed once, landed: %p', async (landed) => {
    await merge()
    const first = await close(landed)
    const before = await opened.query('SELECT position, slot FROM repo WHERE id = $1', [repo])
    expect(await close(landed)).toEqual(first)
    expect(await close(landed, { slot: 99 })).toEqual(first)
    expect(await opened.query('SELECT position, slot FROM repo WHERE id = $1', [repo])).toEqual(
      before,
    )
    expect(await refused(() => close(!landed))).toBe('conflict/landing_closed')
    expect(await refused(() => close(landed, { landing: 99 }))).toBe('not_found/landing')
  })

  test('of a client that died are closed by whoever has the slot next', async () => {
    await merge()
    await shiftClock(opened.query, 65)
    const next = await slotOf(store, repo, ada)
    const { landing, task: merged } = await close(true, { slot: next, landing: slot }, ada)
    expect([landing.slot, landing.state, landing.actor]).toEqual([slot, 'landed', 'bob'])
    expect(merged.state).toBe('merged')
    const holder = await opened.query('SELECT slot_actor FROM repo WHERE id = $1', [repo])
    expect(holder).toEqual([{ slot_actor: null }])
  })

  test('do not move trunk from where it is not', async () => {
    await merge()
    await noteTrunk(commit('a'), commit('f'))
    expect(await refused(() => close(true))).toBe('conflict/trunk_moved')
    await close(false)
    await takeSlot()
    expect(await refused(() => merge())).toBe('conflict/trunk_moved')
  })

  test('that trunk was followed to already move it no more', async () => {
    await merge()
    await noteTrunk(commit('a'), commit('c'))
    expect((await close(true)).task.state).toBe('merged')
    const moves = 'SELECT kind FROM trunk_move WHERE repo = $1'
    expect(await opened.query(moves, [repo])).toEqual([{ kind: 'outside' }])
    expect(await facts()).toEqual(['trunk.moved', 'task.merged'])
  })

  describe('of a merge', () => {
    test.each<[string, Partial<NewLanding>, string]>([
      ['no verdict', { merge: null }, 'not_approved'],
      [
        'another verdict',
        { merge: { verdict: 3 as never, tree: TREE, carried: null } },
        'not_approved',
      ],
      [
        'a folder with other files',
        { merge: { verdict: 4 as never, tree: '8'.repeat(40), carried: null } },
        'tree_changed',
      ],
      [
        'other files, carried',
        { merge: { verdict: 4 as never, tree: '8'.repeat(40), carried: CARRIED } },
        'tree_changed',
      ],
      ['a patch that nobody approved', { patch: 'v1:9999' }, 'tree_changed'],
    ])('with %s are refused', async (_what, given, reason) => {
      expect(await refused(() => merge(given))).toBe(`refused_rule/${reason}`)
    })

    test('without an approval are refused, and say why it was lost', async () => {
      await store.addCheckpoint(repo, newCheckpoint(task.id, { tree: '8'.repeat(40) }), ada)
      expect(await refused(() => merge())).toBe('refused_rule/not_approved')
      const given = newMerge(task, slot)
      const refusal = store.openLanding(repo, given, bob).catch((fault) => fault.message)
      expect(await refusal).toContain('the files changed after it')
    })

    test('are judged by the task and its approval before the slot and trunk', async () => {
      const lost = { ...newMerge(task, 99), task: 'nobody' as TaskId }
      expect(await refused(() => store.openLanding(repo, lost, bob))).toBe('not_found/task')
      expect(await refused(() => merge({ slot: 99, merge: null }))).toBe(
        'refused_rule/not_approved',
      )
      expect(await refused(() => merge({ slot: 99, old: commit('f') }))).toBe('conflict/slot_lost')
      expect(await refused(() => merge({ old: commit('f') }))).toBe('conflict/trunk_moved')
      expect(await refused(() => merge({ old: null }))).toBe('conflict/trunk_moved')
    })

    test('are one at a time, in a task and in a repo', async () => {
      const other = await another()
      await merge()
      expect(await refused(() => merge())).toBe('conflict/landing')
      expect(await refused(() => store.openLanding(repo, newMerge(other, slot), bob))).toBe(
        'conflict/landing',
      )
      await shiftClock(opened.query, 65)
      await takeSlot()
      expect(await refused(() => store.openLanding(repo, newMerge(other, slot), bob))).toBe(
        'conflict/landing',
      )
      expect((await store.task(repo, other.id))?.landing).toBe(null)
    })
  })

  describe('with a verdict carried to a trunk that moved', () => {
    beforeEach(() => noteTrunk(commit('a'), commit('d')))
    const carry = () =>
      merge({
        ...{ old: commit('d'), patch: CARRIED.patch },
        merge: { verdict: task.approval!, tree: TREE, carried: CARRIED },
      })

    test('add to the verdict, in the name of who gave it', async () => {
      const opening = await store.openLanding(
        repo,
        newMerge(task, slot, {
          ...{ old: commit('d'), patch: CARRIED.patch },
          merge: { verdict: task.approval!, tree: TREE, carried: CARRIED },
        }),
        ada,
      )
      const [given, carried] = await store.verdicts(repo, task.id)
      const { over, ...content } = CARRIED
      expect<unknown>(carried).toEqual({
        ...given!,
        ...content,
        position: 6,
        trunk: commit('d'),
        carriedFrom: given!.position,
        carriedOver: over,
        at: carried!.at,
      })
      expect(carried?.actor).toBe('bob')
      expect(opening.verdict).toBe(carried!.position)
      expect((await taskNow()).approval).toBe(carried!.position)
      expect(await facts()).toEqual(['trunk.moved', 'verdict.carried'])
      const merged = await close(true)
      expect(merged.task).toMatchObject({ state: 'merged', approval: carried!.position })
    })

    test('go by the verdict that was given when they did not land, or are undone', async () => {
      await carry()
      expect((await close(false)).task).toMatchObject({
        approval: task.approval,
        approvedBy: 'bob',
      })
      await takeSlot()
      await carry()
      expect((await close(true)).task.approval).not.toBe(task.approval)
      await takeSlot()
      await giveBack('undo', { new: commit('d') })
      const { task: undone } = await close(true)
      expect(undone).toMatchObject({ state: 'in_review', approval: task.approval })
      const same = await store.addCheckpoint(
        repo,
        newCheckpoint(task.id, { message: 'again' }),
        ada,
      )
      expect(same.task.approval).toBe(task.approval)
    })
  })
})
