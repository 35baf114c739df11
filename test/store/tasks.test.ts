import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import { ada, bob, commit, newRepo, newTask } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('tasks', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  const emptyRepo = async (): Promise<RepoId> => (await store.createRepo(newRepo(), ada)).id

  test('begin open, held by who asked, with a lease by the database clock', async () => {
    const repo = await emptyRepo()
    await opened.query('UPDATE clock_shift SET millis = 86400000')
    const made = await store.createTask(repo, newTask({ leaseSecs: 60, digits: 'abcd2345' }), ada)
    const now = await store.now()
    await opened.query('UPDATE clock_shift SET millis = 0')
    expect<unknown>(made).toEqual({
      repo,
      id: 'fix-login-abcd',
      goal: 'Fix the login',
      kind: 'work',
      state: 'open',
      owner: 'ada',
      ownerSession: 's-ada',
      generation: 1,
      leaseExpiresAt: made.leaseExpiresAt,
      base: commit('a'),
      head: null,
      change: null,
      parent: null,
      flags: [],
      conflicted: [],
      approval: null,
      approvedBy: null,
      approvalVoid: null,
      offeredTo: null,
      landing: null,
      landed: null,
      position: 1,
      createdAt: made.createdAt,
      updatedAt: made.updatedAt,
    })
    const leaseMs = Date.parse(made.leaseExpiresAt!) - Date.parse(made.createdAt)
    expect(Math.round(leaseMs / 1000)).toBe(60)
    expect(made.createdAt <= now).toBe(true)
    expect(await store.task(repo, made.id)).toEqual(made)
    expect(await store.claims(repo, made.id)).toMatchObject([
      { task: made.id, generation: 1, actor: 'ada', session: 's-ada' },
    ])
  })

  test('may be held by nobody', async () => {
    const repo = await emptyRepo()
    const made = await store.createTask(repo, newTask({ owned: false, base: null }), bob)
    expect<unknown>(made).toMatchObject({
      owner: null,
      generation: 0,
      leaseExpiresAt: null,
      base: null,
    })
    expect(await store.claims(repo, made.id)).toEqual([])
  })

  test('take the shortest id that is free', async () => {
    const repo = await emptyRepo()
    const ids: string[] = []
    for (const digits of ['aaaabbbb', 'aaaabbbb', 'aaaabbcc', 'bbbb'])
      ids.push((await store.createTask(repo, newTask({ digits }), ada)).id)
    expect(ids).toEqual(['fix-login-aaaa', 'fix-login-aaaab', 'fix-login-aaaabb', 'fix-login-bbbb'])
    expect(await refusalOf(store.createTask(repo, newTask({ digits: 'bbbb' }), ada))).toBe(
      'conflict/id_taken',
    )
    const elsewhere = await store.createTask(await emptyRepo(), newTask({ digits: 'bbbb' }), ada)
    expect<unknown>(elsewhere.id).toBe('fix-login-bbbb')
    expect<unknown>((await store.repo(repo))?.position).toBe(4)
  })

  test('take exactly the id asked for, or none', async () => {
    const repo = await emptyRepo()
    const id = 'login' as TaskId
    const made = await store.createTask(repo, newTask({ id }), ada)
    expect(made.id).toBe(id)
    expect(await refusalOf(store.createTask(repo, newTask({ id, goal: 'other' }), bob))).toBe(
      'conflict/id_taken',
    )
    expect((await store.task(repo, id))?.goal).toBe('Fix the login')
  })

  test('need a repo, and a parent that is there', async () => {
    const repo = await emptyRepo()
    const parent = 'nobody' as TaskId
    expect(await refusalOf(store.createTask('nowhere' as RepoId, newTask(), ada))).toBe(
      'not_found/repo',
    )
    expect(await refusalOf(store.createTask(repo, newTask({ parent }), ada))).toBe('not_found/task')
    const first = await store.createTask(repo, newTask(), ada)
    const child = await store.createTask(repo, newTask({ parent: first.id }), ada)
    expect(child.parent).toBe(first.id)
    expect<unknown>([first.position, child.position]).toEqual([1, 2])
  })

  test('are found by a prefix, taken literally and ordered by bytes', async () => {
    const repo = await emptyRepo()
    for (const id of ['a%b', 'a_b', 'axb', 'a\\b', 'a\u{1f600}', 'a\ufb00', 'aB', 'b'])
      await store.createTask(repo, newTask({ id: id as TaskId }), ada)
    const byPrefix = async (prefix: string, limit = 10) =>
      (await store.tasksByPrefix(repo, prefix, limit)).map(({ id }) => id as string)
    expect(await byPrefix('a%')).toEqual(['a%b'])
    expect(await byPrefix('a_')).toEqual(['a_b'])
    expect(await byPrefix('a\\')).toEqual(['a\\b'])
    const all = ['a%b', 'aB', 'a\\b', 'a_b', 'axb', 'a\ufb00', 'a\u{1f600}']
    expect(await byPrefix('a')).toEqual(all)
    expect(await byPrefix('a', 2)).toEqual(all.slice(0, 2))
    expect(await byPrefix('', 100)).toEqual([...all, 'b'])
    expect(await byPrefix('c')).toEqual([])
  })

  test('are listed newest first, a page at a time', async () => {
    const repo = await emptyRepo()
    const ids: string[] = []
    for (const actor of ['ada', 'bob', 'ada', 'ada'])
      ids.push((await store.createTask(repo, newTask(), { ...ada, actor })).id)
    const state = `UPDATE task SET state = 'merged' WHERE repo = $1 AND id = $2`
    await opened.query(state, [repo, ids[0]])
    const list = async (filter: Parameters<Store['listTasks']>[1], limit: number) => {
      const { items, more } = await store.listTasks(repo, filter, limit)
      return { places: items.map(({ id }) => ids.indexOf(id)), more }
    }
    expect(await list({}, 4)).toEqual({ places: [3, 2, 1, 0], more: false })
    expect(await list({}, 3)).toEqual({ places: [3, 2, 1], more: true })
    expect(await list({}, 0)).toEqual({ places: [], more: true })
    expect(await list({ owner: 'ada' }, 9)).toEqual({ places: [3, 2, 0], more: false })
    expect(await list({ states: ['open'] }, 9)).toEqual({ places: [3, 2, 1], more: false })
    expect(await list({ states: ['merged'], owner: 'bob' }, 9)).toEqual({ places: [], more: false })
    expect(await list({ states: [] }, 9)).toEqual({ places: [], more: false })
  })

  test('are for who owns them, and for whom they were filed while nobody does', async () => {
    const repo = await emptyRepo()
    const filed = { owned: false, offeredTo: 'bob' }
    const offered = await store.createTask(repo, newTask(filed), ada)
    const taken = await store.createTask(repo, newTask(filed), ada)
    const own = await store.createTask(repo, newTask({ offeredTo: 'ada' }), bob)
    await store.claimTask(repo, { task: taken.id, leaseSecs: 60, base: null }, ada)
    const of = async (owner: string) =>
      (await store.listTasks(repo, { owner }, 9)).items.map(({ id }) => id)
    expect(await of('bob')).toEqual([own.id, offered.id])
    expect(await of('ada')).toEqual([taken.id])
  })
})
