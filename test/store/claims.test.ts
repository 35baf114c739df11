import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import type { Caller } from '../../src/domain/actor.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import { faultOf, refusalOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newRecord,
  newStep,
  newTask,
  repoApproved,
  repoWithTask,
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

onEach('claims', BACKENDS, (backend) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  beforeAll(async () => {
    opened = await backend.open()
    store = opened.store
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    await shiftClock(opened.query, 0)
    const fresh = await repoWithTask(store)
    repo = fresh.repo
    task = fresh.task
  })

  const setTask = (change: string) =>
    opened.query(`UPDATE task SET ${change} WHERE repo = $1 AND id = $2`, [repo, task.id])
  const claim = (by: Caller, base: Task['base'] = null, id = task.id) =>
    store.claimTask(repo, { task: id, leaseSecs: 60, base }, by)
  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)
  const positionNow = async () => Number((await store.repo(repo))?.position)

  test.each(['open', 'conflicted'])(
    'of who holds it renew the lease of an %s task, and nothing else',
    async (state) => {
      await setTask(`state = '${state}'`)
      const before = await store.task(repo, task.id)
      await shiftClock(opened.query, 7200)
      const { task: renewed, ...rest } = await claim(ada, commit('f'))
      expect(rest).toEqual({ isRenewal: true, previous: null })
      expect<unknown>(renewed).toEqual({ ...before, leaseExpiresAt: renewed.leaseExpiresAt })
      const laterMs = Date.parse(renewed.leaseExpiresAt!) - Date.parse(task.createdAt)
      expect(Math.round(laterMs / 60_000)).toBe(121)
      expect((await store.claims(repo, task.id)).length).toBe(1)
      expect(await positionNow()).toBe(1)
    },
  )

  test('make somebody else the owner once the lease has lapsed, in the next generation', async () => {
    const fault = await faultOf(claim(bob))
    expect([fault.code, fault.detail]).toEqual([
      'refused_rule',
      { reason: 'lease_running', owner: 'ada', until: task.leaseExpiresAt },
    ])
    await shiftClock(opened.query, 1799)
    expect(await refused(() => claim(bob))).toBe('refused_rule/lease_running')
    await shiftClock(opened.query, 1801)
    const taken = await claim(bob)
    const [first, second] = await store.claims(repo, task.id)
    expect(taken.isRenewal).toBe(false)
    expect(taken.previous).toEqual(first!)
    expect<unknown>(second).toMatchObject({ generation: 2, actor: 'bob', session: null })
    expect(taken.task).toMatchObject({
      owner: 'bob',
      ownerSession: null,
      generation: 2,
      base: commit('a'),
    })
    expect(taken.task.state).toBe('open')
    expect(await store.task(repo, task.id)).toEqual(taken.task)
    expect(await positionNow()).toBe(2)
    const facts = 'SELECT event, subject, actor FROM fact WHERE repo = $1 AND position = 2'
    expect(await opened.query(facts, [repo])).toEqual([
      { event: 'task.claimed', subject: task.id, actor: 'bob' },
    ])
  })

  test.each([
    ['another session', { session: 's-2' }],
    ['no session', { session: null }],
    ['a generation it lost', { generation: null }],
  ] as const)(
    'of the owner’s name from %s need no lapse, but on a conflicted task',
    async (_which, given) => {
      const again = { ...ada, ...given }
      await setTask(`state = 'conflicted'`)
      expect(await refused(() => claim(again))).toBe('refused_rule/lease_running')
      await setTask(`state = 'open'`)
      expect((await claim(again)).task).toMatchObject({ owner: 'ada', generation: 2 })
      expect(await refused(() => store.addRecord(repo, newRecord(task.id), ada, 'owner'))).toBe(
        'claim_lost',
      )
    },
  )

  test('take over a conflicted task, which stays so, when its lease has lapsed', async () => {
    await setTask(`state = 'conflicted', conflicted = '{a.ts}'`)
    await shiftClock(opened.query, 1801)
    const { task: taken } = await claim(bob)
    expect(taken).toMatchObject({ state: 'conflicted', conflicted: ['a.ts'], owner: 'bob' })
  })

  test('open what was handed off, for anybody and for its owner too', async () => {
    for (const [generation, by] of [
      [2, bob],
      [3, { ...bob, generation: 2 }],
      [4, ada],
    ] as const) {
      await setTask(`state = 'handed_off'`)
      const { task: taken, isRenewal, previous } = await claim(by)
      expect([taken.state, taken.owner, taken.generation]).toEqual(['open', by.actor, generation])
      expect([isRenewal, previous?.generation]).toEqual([false, generation - 1])
    }
  })

  test('of a task that nobody owns give it a base where it has none', async () => {
    const filed = newTask({ owned: false, base: null, offeredTo: 'bob' })
    const { id, offeredTo } = await store.createTask(repo, filed, ada)
    expect(offeredTo).toBe('bob')
    const first = await claim(bob, commit('e'), id)
    expect(first.previous).toBe(null)
    expect(first.task).toMatchObject({ owner: 'bob', generation: 1, base: commit('e') })
    const again = await claim({ ...bob, session: 's-2' }, commit('f'), id)
    expect(again.task).toMatchObject({ generation: 2, base: commit('e') })
  })

  test('are refused on what is not there, and while it lands', async () => {
    expect(await refused(() => claim(bob, null, 'nobody' as TaskId))).toBe('not_found/task')
    const approved = await repoApproved(store)
    await store.openLanding(approved.repo, newMerge(approved.task, approved.slot), bob)
    repo = approved.repo
    task = approved.task
    await setTask(`state = 'open'`)
    const fault = await faultOf(claim(ada))
    expect([fault.code, fault.detail.reason, fault.detail.actor]).toEqual([
      'conflict',
      'landing',
      'bob',
    ])
    expect(fault.remediation).toContain('av sync')
    expect(await refused(() => claim({ ...bob, actor: 'ada' }))).toBe('conflict/landing')
  })

  test('of twenty at one moment are won by one', async () => {
    const { id } = await store.createTask(repo, newTask({ owned: false }), ada)
    const pools = [store]
    const others = await Promise.all([1, 2].map(() => anotherPool(opened, backend)))
    pools.push(...others.map((other) => other.store))
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        pools[n % 3]!.claimTask(
          repo,
          { task: id, leaseSecs: 60, base: null },
          { ...bob, actor: `agent-${n}` },
        ).then(
          ({ task: won }) => won.owner!,
          (thrown: unknown) => refusalOf(Promise.reject(thrown)),
        ),
      ),
    )
    const [winner] = await store.claims(repo, id)
    const won = outcomes.filter((outcome) => outcome.startsWith('agent-'))
    expect(won).toEqual([winner!.actor])
    const lost = outcomes.filter((outcome) => outcome !== winner!.actor)
    expect([...new Set(lost)].filter((one) => one !== 'conflict/contention')).toEqual([
      'refused_rule/lease_running',
    ])
    expect(await positionNow()).toBe(3)
    await Promise.all(others.map((other) => other.close()))
  })

  describe('once lost, let through no late', () => {
    const WRITES: Readonly<Record<string, (by: Caller) => Promise<unknown>>> = {
      checkpoint: (by) =>
        store.addCheckpoint(repo, newCheckpoint(task.id, { commit: commit('e') }), by),
      record: (by) => store.addRecord(repo, newRecord(task.id), by, 'owner'),
      submit: (by) => store.moveTask(repo, newStep(task.id, 'submit', { head: null }), by),
      handoff: (by) => store.moveTask(repo, newStep(task.id, 'handoff', { head: null }), by),
      abandon: (by) => store.moveTask(repo, newStep(task.id, 'abandon', { head: null }), by),
      resolve: (by) => store.moveTask(repo, newStep(task.id, 'resolve', { head: null }), by),
    }
    test.each(Object.entries(WRITES))('%s', async (name, write) => {
      if (name === 'resolve') await setTask(`state = 'conflicted'`)
      await shiftClock(opened.query, 1801)
      const { task: taken } = await claim(bob)
      const now = { ...bob, generation: taken.generation }
      for (const late of [ada, { ...ada, generation: 2 }, { ...bob, generation: 1 }, bob])
        expect(await refused(() => write(late))).toBe('claim_lost')
      await write(now)
    })
  })
})
