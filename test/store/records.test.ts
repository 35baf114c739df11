import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { RecordId } from '../../src/domain/record.ts'
import type { Position, RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import type { NewRecord } from '../../src/store/new-fact.ts'
import type { RecordFilter, Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import { ada, newRecord, newTask, repoWithTask } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('records', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  const add = (repo: RepoId, task: TaskId, given: Partial<NewRecord> = {}) =>
    store.addRecord(repo, newRecord(task, given), ada, 'owner')

  test('come back as they went in', async () => {
    const { repo, task } = await repoWithTask(store)
    const asked = await add(repo, task.id, { kind: 'note', digits: 'aaaaaaaa' })
    const fresh = newRecord(task.id, {
      digits: '0123456789abcdef0123456789abcdef',
      kind: 'attempt',
      summary: 'It said "no": \\ ünï \u{1f600}',
      body: '# Heading\n\n```\n<|endoftext|>\n',
      anchors: [
        { path: 'b.ts', symbol: 'X.y', hash: '0'.repeat(32) },
        { path: 'a.ts', symbol: null, hash: null },
      ],
      replyTo: asked.id,
      redacted: 2,
    })
    const kept = await store.addRecord(repo, fresh, ada, 'owner')
    expect<unknown>(kept).toEqual({
      repo,
      id: 'r:01234567',
      position: 3,
      task: task.id,
      kind: 'attempt',
      summary: fresh.summary,
      body: fresh.body,
      anchors: fresh.anchors,
      supersedes: [],
      supersededBy: [],
      replyTo: asked.id,
      receipt: null,
      author: 'ada',
      session: 's-ada',
      redacted: 2,
      purged: false,
      at: kept.at,
    })
    expect(await store.record(repo, kept.id)).toEqual(kept)
    expect(await store.recordsById(repo, [kept.id, 'r:none' as RecordId, asked.id])).toEqual([
      kept,
      asked,
    ])
    const { id, summary, body } = kept
    expect(await store.recordTexts(repo, [id, 'r:none' as RecordId])).toEqual([
      { id, summary, body },
    ])
    expect(await store.record(repo, 'r:none' as RecordId)).toBe(null)
  })

  test('take the shortest id of 8 digits or more that is free in their repo', async () => {
    const { repo, task } = await repoWithTask(store)
    const other = await repoWithTask(store)
    const ids: string[] = []
    for (const digits of ['aaaaaaaabbbb', 'aaaaaaaabbbb', 'aaaaaaaabccc'])
      ids.push((await add(repo, task.id, { digits })).id)
    ids.push((await add(other.repo, other.task.id, { digits: 'aaaaaaaabbbb' })).id)
    expect(ids).toEqual(['r:aaaaaaaa', 'r:aaaaaaaab', 'r:aaaaaaaabc', 'r:aaaaaaaa'])
    expect(await refusalOf(add(repo, task.id, { digits: 'aaaaaaaa' }))).toBe('conflict/id_taken')
  })

  test('are superseded by newer ones, and point to them', async () => {
    const { repo, task } = await repoWithTask(store)
    const [a, b] = [await add(repo, task.id), await add(repo, task.id)]
    const c = await add(repo, task.id, { supersedes: [b.id, a.id, b.id] })
    const d = await add(repo, task.id, { supersedes: [a.id] })
    expect(c.supersedes).toEqual([b.id, a.id])
    expect((await store.record(repo, a.id))?.supersededBy).toEqual([c.id, d.id])
    expect((await store.record(repo, b.id))?.supersededBy).toEqual([c.id])
    const list = async (all: boolean) =>
      (await store.listRecords(repo, { all }, 10)).items.map(({ id }) => id)
    expect(await list(false)).toEqual([d.id, c.id])
    expect(await list(true)).toEqual([d.id, c.id, b.id, a.id])
  })

  test('supersede, answer and cite only what is there', async () => {
    const { repo, task } = await repoWithTask(store)
    const other = await repoWithTask(store)
    const theirs = await add(other.repo, other.task.id)
    const none = 'r:none' as RecordId
    const refusals = {
      superseding: await refusalOf(add(repo, task.id, { supersedes: [none] })),
      supersedingTheirs: await refusalOf(add(repo, task.id, { supersedes: [theirs.id] })),
      answering: await refusalOf(add(repo, task.id, { replyTo: none })),
      answeringTheirs: await refusalOf(add(repo, task.id, { replyTo: theirs.id })),
      citing: await refusalOf(add(repo, task.id, { receipt: 'rcp:none' })),
    }
    expect(refusals).toEqual({
      superseding: 'not_found/record',
      supersedingTheirs: 'refused_rule/other_repo',
      answering: 'not_found/record',
      answeringTheirs: 'not_found/record',
      citing: 'not_found/receipt',
    })
    expect<unknown>((await store.repo(repo))?.position).toBe(1)
    expect((await store.listRecords(repo, { all: true }, 10)).items).toEqual([])
  })

  test('are listed newest first, by task, kind and page', async () => {
    const { repo, task } = await repoWithTask(store)
    const other = await store.createTask(repo, newTask(), ada)
    const ids: string[] = []
    for (const [id, kind] of [
      [task.id, 'decision'],
      [other.id, 'attempt'],
      [task.id, 'attempt'],
      [task.id, 'decision'],
    ] as const)
      ids.push((await add(repo, id, { kind })).id)
    const list = async (filter: Omit<RecordFilter, 'all'>, limit = 10) => {
      const { items, more } = await store.listRecords(repo, { ...filter, all: false }, limit)
      return [...items.map(({ id }) => ids.indexOf(id)), more]
    }
    expect(await list({})).toEqual([3, 2, 1, 0, false])
    expect(await list({}, 3)).toEqual([3, 2, 1, true])
    expect(await list({ task: task.id })).toEqual([3, 2, 0, false])
    expect(await list({ kind: 'attempt' })).toEqual([2, 1, false])
    expect(await list({ kind: 'attempt', task: other.id })).toEqual([1, false])
    expect(await list({ kind: 'review' })).toEqual([false])
  })

  test('are listed by the code they are anchored at', async () => {
    const { repo, task } = await repoWithTask(store)
    const long = `deep/${'x'.repeat(3_000)}`
    const places: [string, string | null][] = [
      ['src/a.ts', null],
      ['src/a.ts', 'Session'],
      ['src/a.ts', 'Session.refresh'],
      ['src/a.ts', 'Session.refresh.now'],
      ['src/a.ts', 'Sessions'],
      ['src/a_ts', null],
      ['srcs/a.ts', null],
      [`${long}1`, null],
      [`${long}2`, null],
    ]
    const ids: string[] = []
    for (const [path, symbol] of places)
      ids.push((await add(repo, task.id, { anchors: [{ path, symbol, hash: null }] })).id)
    const at = async (path: string, symbol?: string) => {
      const filter = symbol === undefined ? { path } : { path, symbol }
      const { items } = await store.listRecords(repo, { ...filter, all: false }, 20)
      return items.map(({ id }) => ids.indexOf(id)).sort()
    }
    expect(await at('src/a.ts')).toEqual([0, 1, 2, 3, 4])
    expect(await at('src/')).toEqual([0, 1, 2, 3, 4, 5])
    expect(await at('src')).toEqual([])
    expect(await at('s%')).toEqual([])
    expect(await at('src/a.ts', 'Session.refresh')).toEqual([0, 1, 2, 3])
    expect(await at('src/a.ts', 'Session')).toEqual([0, 1, 2, 3])
    expect(await at('src/a.ts', 'Sess')).toEqual([0])
    expect(await at(`${long}1`)).toEqual([7])
    expect(await at('deep/')).toEqual([7, 8])
  })

  test('are found by a prefix, taken literally', async () => {
    const { repo, task } = await repoWithTask(store)
    for (const digits of ['abc11111', 'abc00000', 'b0000000']) await add(repo, task.id, { digits })
    const byPrefix = async (prefix: string, limit = 10) =>
      (await store.recordsByPrefix(repo, prefix, limit)).map(({ id }) => id as string)
    expect(await byPrefix('r:abc')).toEqual(['r:abc00000', 'r:abc11111'])
    expect(await byPrefix('r:abc', 1)).toEqual(['r:abc00000'])
    expect(await byPrefix('r:___')).toEqual([])
    expect(await byPrefix('%')).toEqual([])
  })

  test('are read on from a position, oldest first', async () => {
    const { repo, task } = await repoWithTask(store)
    const ids: string[] = []
    for (const _ of [1, 2, 3]) ids.push((await add(repo, task.id)).id)
    const after = async (position: number, limit: number) =>
      (await store.recordsAfter(repo, position as Position, limit)).map(({ id }) => ids.indexOf(id))
    expect(await after(0, 2)).toEqual([0, 1])
    expect(await after(3, 10)).toEqual([2])
    expect(await after(4, 10)).toEqual([])
  })
})
