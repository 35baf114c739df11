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
import { ada, bob, newCheckpoint, newRecord, repoWithTask } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('guarded writes', BACKENDS, ({ open }) => {
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
    task = fresh.task
  })

  /** What `av claim` will do: it makes `by` the owner in the next generation. */
  async function claim(by: Caller): Promise<Caller> {
    const [row] = await opened.query(
      `UPDATE task SET owner = $3, owner_session = $4, generation = generation + 1
       WHERE repo = $1 AND id = $2 RETURNING generation`,
      [repo, task.id, by.actor, by.session],
    )
    const generation = Number(row?.generation)
    await opened.query(
      `INSERT INTO claim (repo, task, generation, actor, session, at) VALUES ($1, $2, $3, $4, $5, av_now())`,
      [repo, task.id, generation, by.actor, by.session],
    )
    return { ...by, generation }
  }

  const setState = (state: string) =>
    opened.query('UPDATE task SET state = $3 WHERE repo = $1 AND id = $2', [repo, task.id, state])

  const WRITES = {
    checkpoint: (by: Caller, id: TaskId) => store.addCheckpoint(repo, newCheckpoint(id), by),
    record: (by: Caller, id: TaskId) => store.addRecord(repo, newRecord(id), by, 'owner'),
  }

  describe.each(Object.entries(WRITES))('%s', (_name, write) => {
    test('passes for the owner, and renews the lease', async () => {
      await opened.query('UPDATE clock_shift SET millis = 600000')
      await write(ada, task.id)
      const held = (await store.task(repo, task.id))!
      await opened.query('UPDATE clock_shift SET millis = 0')
      const renewedMs = Date.parse(held.leaseExpiresAt!) - Date.parse(task.leaseExpiresAt!)
      expect(Math.round(renewedMs / 60_000)).toBe(10)
      expect(held.updatedAt > task.updatedAt).toBe(true)
      expect(held.generation).toBe(1)
      expect<unknown>((await store.repo(repo))?.position).toBe(2)
    })

    test.each<[string, Partial<Caller>, string]>([
      ['the owner in another session', { session: 's-other' }, 'claim_lost'],
      ['the owner without a session', { session: null }, 'claim_lost'],
      ['the owner under an older generation', { generation: 0 }, 'claim_lost'],
      ['the owner under a generation not granted yet', { generation: 2 }, 'claim_lost'],
      ['the owner without a generation', { generation: null }, 'claim_lost'],
      ['somebody who never held it', { actor: 'eve' }, 'refused_rule/never_held'],
      [
        'somebody who never held it, without a generation',
        { actor: 'eve', generation: null },
        'refused_rule/never_held',
      ],
    ])('refuses %s', async (_who, given, refusal) => {
      expect(await refusalOf(write({ ...ada, ...given }, task.id))).toBe(refusal)
      expect(await store.task(repo, task.id)).toEqual(task)
      expect<unknown>((await store.repo(repo))?.position).toBe(1)
    })

    test('tells a former owner who holds the task now, and since when', async () => {
      const now = await claim(bob)
      const fault = await faultOf(write(ada, task.id))
      const [, second] = await store.claims(repo, task.id)
      expect(fault.code).toBe('claim_lost')
      expect(fault.detail).toEqual({ owner: 'bob', since: second!.at, generation: 2 })
      expect(fault.message).toContain('bob')
      await write(now, task.id)
      const again = await claim(ada)
      expect(await refusalOf(write(now, task.id))).toBe('claim_lost')
      expect(await refusalOf(write(ada, task.id))).toBe('claim_lost')
      await write(again, task.id)
    })

    test('is lost on a task that nobody holds now', async () => {
      const letGo = `UPDATE task SET owner = NULL, owner_session = NULL, state = 'handed_off' WHERE repo = $1 AND id = $2`
      await opened.query(letGo, [repo, task.id])
      const fault = await faultOf(write(ada, task.id))
      expect([fault.code, fault.detail.owner]).toEqual(['claim_lost', null])
    })

    test('names the state that does not allow it, and what it does', async () => {
      await setState('abandoned')
      const fault = await faultOf(write(ada, task.id))
      expect(fault.code).toBe('refused_transition')
      expect(fault.status).toBe(422)
      expect(fault.message).toContain('abandoned')
      expect(fault.detail).toMatchObject({ state: 'abandoned', legal: [] })
    })

    test('judges first whether the task is there, then the claim, then the state', async () => {
      await setState('merged')
      const eve = { ...ada, actor: 'eve' }
      expect(await refusalOf(write(eve, 'nobody' as TaskId))).toBe('not_found/task')
      expect(await refusalOf(write(eve, task.id))).toBe('refused_rule/never_held')
      expect(await refusalOf(write({ ...ada, generation: 9 }, task.id))).toBe('claim_lost')
      expect(await refusalOf(write(ada, task.id))).toBe('refused_transition/state')
    })

    test('does not see the task of the same id in another repo', async () => {
      const other = await repoWithTask(store)
      expect(await refusalOf(write(ada, other.task.id))).toBe('not_found/task')
    })
  })

  test('a comment asks only that the task is there', async () => {
    await setState('merged')
    const eve = { ...bob, actor: 'eve' }
    const fresh = newRecord(task.id, { kind: 'note', states: ['merged'] })
    const kept = await store.addRecord(repo, fresh, eve, 'comment')
    expect(kept).toMatchObject({ author: 'eve', session: null, kind: 'note' })
    expect((await store.task(repo, task.id))?.leaseExpiresAt).toBe(task.leaseExpiresAt)
    const lost = newRecord('nobody' as TaskId, { kind: 'note' })
    expect(await refusalOf(store.addRecord(repo, lost, eve, 'comment'))).toBe('not_found/task')
    await setState('abandoned')
    const refusal = await refusalOf(store.addRecord(repo, fresh, eve, 'comment'))
    expect(refusal).toBe('refused_transition/state')
  })
})
