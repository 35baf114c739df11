import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { RecordId } from '../../src/domain/record.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import type { OwnerStep } from '../../src/store/task-life.ts'
import { faultOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newStep,
  newTask,
  repoApproved,
  repoWithTask,
  withRecord,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, refusedWhole, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('steps of an owner', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    const fresh = await repoWithTask(store)
    repo = fresh.repo
    task = (await store.addCheckpoint(repo, newCheckpoint(fresh.task.id), ada)).task
  })

  const setTask = (change: string) =>
    opened.query(`UPDATE task SET ${change} WHERE repo = $1 AND id = $2`, [repo, task.id])
  const step = (event: OwnerStep['event'], given: Partial<OwnerStep> = {}, by = ada) =>
    store.moveTask(repo, newStep(task.id, event, given), by)
  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)
  const facts = async (after: number) =>
    (
      await opened.query(
        'SELECT event FROM fact WHERE repo = $1 AND position > $2 ORDER BY position',
        [repo, after],
      )
    ).map(({ event }) => event)

  test('submit it, with a new lease, and take one position', async () => {
    await setTask(`approval_void = 'the files changed after it'`)
    await shiftClock(opened.query, 600)
    const { task: moved, record } = await step('submit')
    await shiftClock(opened.query, 0)
    expect(record).toBe(null)
    const { leaseExpiresAt, updatedAt } = moved
    expect<unknown>(moved).toEqual({ ...task, state: 'in_review', leaseExpiresAt, updatedAt })
    const laterMs = Date.parse(leaseExpiresAt!) - Date.parse(task.leaseExpiresAt!)
    expect(Math.round(laterMs / 60_000)).toBe(10)
    expect(await facts(2)).toEqual(['task.submitted'])
  })

  test('hand it off with what is to be said, in one breath', async () => {
    const said = withRecord({ kind: 'handoff', summary: 'Half done' })
    const { task: moved, record } = await step('handoff', { record: said })
    expect([moved.state, moved.owner]).toEqual(['handed_off', 'ada'])
    expect(record).toMatchObject({ kind: 'handoff', summary: 'Half done', author: 'ada' })
    expect(await store.record(repo, record!.id)).toEqual(record!)
    expect(await facts(2)).toEqual(['record.added', 'task.handed_off'])
    expect<unknown>((await store.repo(repo))?.position).toBe(4)
  })

  test('resolve its conflicts', async () => {
    await setTask(
      `state = 'conflicted', conflicted = '{a.ts}', approval_void = 'it conflicts with trunk'`,
    )
    const { task: moved } = await step('resolve')
    expect(moved).toMatchObject({
      state: 'open',
      conflicted: [],
      approvalVoid: 'it conflicts with trunk',
    })
    expect(await facts(2)).toEqual(['task.resolved'])
  })

  test('abandon it, and flag what stands on it', async () => {
    const child = (given = {}) =>
      store.createTask(repo, newTask({ parent: task.id, ...given }), ada)
    const [live, done, flagged] = [await child(), await child(), await child()]
    const apart = await store.createTask(repo, newTask(), ada)
    const grandchild = await store.createTask(repo, newTask({ parent: live.id }), ada)
    await opened.query(`UPDATE task SET state = 'merged' WHERE repo = $1 AND id = $2`, [
      repo,
      done.id,
    ])
    await opened.query(`UPDATE task SET flags = '{parent_abandoned}' WHERE repo = $1 AND id = $2`, [
      repo,
      flagged.id,
    ])
    await setTask(`state = 'in_review', approval = 1, approved_by = 'bob'`)
    const { task: moved } = await step('abandon')
    expect(moved).toMatchObject({
      state: 'abandoned',
      approval: null,
      approvedBy: null,
      leaseExpiresAt: null,
    })
    const flagsOf = async ({ id }: Task) => (await store.task(repo, id))?.flags
    expect(await Promise.all([live, done, flagged, apart, grandchild].map(flagsOf))).toEqual([
      ['parent_abandoned'],
      [],
      ['parent_abandoned'],
      [],
      [],
    ])
    expect(await facts(7)).toEqual(['task.abandoned'])
  })

  test('are about the checkpoint they name', async () => {
    const fault = await faultOf(step('submit', { head: commit('e') }))
    expect([fault.code, fault.detail]).toEqual([
      'conflict',
      { reason: 'head_moved', expected: commit('e'), found: commit('b') },
    ])
    for (const event of ['submit', 'handoff', 'abandon'] as const) {
      expect(await refused(() => step(event, { head: commit('e') }))).toBe('conflict/head_moved')
      expect(await refused(() => step(event, { head: null }))).toBe('conflict/head_moved')
    }
  })

  test('are judged by the task, the claim, the state, then what moves it just now', async () => {
    const approved = await repoApproved(store)
    repo = approved.repo
    task = approved.task
    await store.openLanding(repo, newMerge(task, approved.slot), bob)
    expect(
      await refused(() => store.moveTask(repo, newStep('nobody' as TaskId, 'abandon'), ada)),
    ).toBe('not_found/task')
    expect(await refused(() => step('submit', {}, { ...ada, actor: 'eve' }))).toBe(
      'refused_rule/never_held',
    )
    expect(await refused(() => step('submit', {}, { ...ada, generation: 7 }))).toBe('claim_lost')
    expect(await refused(() => step('submit'))).toBe('refused_transition/state')
    expect(await refused(() => step('abandon'))).toBe('conflict/landing')
    expect(await refused(() => store.addCheckpoint(repo, newCheckpoint(task.id), ada))).toBe(
      'conflict/landing',
    )
  })

  test('leave nothing behind when what they record cannot be stored', async () => {
    const record = withRecord({ kind: 'handoff', supersedes: ['r:00000000' as RecordId] })
    expect(await refused(() => step('handoff', { record }))).toBe('not_found/record')
    const unstorable = withRecord({ summary: 'a\u0000b' })
    expect(await refused(() => step('handoff', { record: unstorable }))).toStartWith('bad_input')
  })
})
