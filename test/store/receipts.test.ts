import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { TaskId } from '../../src/domain/task.ts'
import type { NewReceipt, Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import { ada, newRecord, newTask, repoWithTask } from '../support/store-facts.ts'
import { BACKENDS, onEach, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('receipts', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  const newReceipt = (task: TaskId, given: Partial<NewReceipt> = {}): NewReceipt => ({
    id: 'rcp:00000001',
    task,
    actor: 'ada',
    session: 's-ada',
    manifest: '{"items":[]}',
    ...given,
  })

  test('come back as they went in, characters that text cannot hold included', async () => {
    const { repo, task } = await repoWithTask(store)
    const manifest = {
      z: 1.5,
      a: ['\0', '\ud800', '"\\', null, { deep: { er: true } }],
      goal: '<|endoftext|> \u{1f600}',
      __proto: -0.25,
    }
    await store.putReceipt(repo, newReceipt(task.id, { manifest: JSON.stringify(manifest) }))
    const [kept] = await store.receiptsByPrefix(repo, 'rcp:', 2)
    expect<unknown>(kept).toEqual({ ...newReceipt(task.id), manifest, repo, at: kept!.at })
    expect(Object.keys(kept!.manifest)).toEqual(['z', 'a', 'goal', '__proto'])
    expect<unknown>((await store.repo(repo))?.position).toBe(1)
  })

  test('are kept once by id, and never changed', async () => {
    const { repo, task } = await repoWithTask(store)
    await store.putReceipt(repo, newReceipt(task.id))
    await store.putReceipt(repo, newReceipt(task.id, { session: 's-2' }))
    const other = newReceipt(task.id, { manifest: '{"items":[1]}' })
    expect(await refusalOf(store.putReceipt(repo, other))).toBe('conflict/id_taken')
    const { items } = await store.listReceipts(repo, {}, 10)
    expect(items).toMatchObject([{ manifest: { items: [] }, session: 's-ada' }])
    const lost = newReceipt('nobody' as TaskId)
    expect(await refusalOf(store.putReceipt(repo, lost))).toBe('not_found/task')
  })

  test('of before they were compressed are read as well', async () => {
    const { repo, task } = await repoWithTask(store)
    await store.putReceipt(repo, newReceipt(task.id))
    const old = `UPDATE receipt SET manifest = convert_to($1, 'UTF8') WHERE repo = $2`
    await opened.query(old, ['{"items":[],"a":1}', repo])
    await store.putReceipt(repo, newReceipt(task.id, { manifest: '{"a":1,"items":[]}' }))
    expect(await refusalOf(store.putReceipt(repo, newReceipt(task.id)))).toBe('conflict/id_taken')
    expect(await store.receiptsByPrefix(repo, 'rcp:', 2)).toMatchObject([
      { manifest: { items: [], a: 1 } },
    ])
  })

  test('are listed newest first, by task, session and page', async () => {
    const { repo, task } = await repoWithTask(store)
    const other = await store.createTask(repo, newTask(), ada)
    // Receipts take no position, and PGlite's clock counts milliseconds: those of one go by id.
    const seconds = (n: number) => shiftClock(opened.query, n)
    for (const [second, [id, of, session]] of (
      [
        ['rcp:c', task.id, 's-1'],
        ['rcp:a', other.id, null],
        ['rcp:b', task.id, 's-2'],
      ] as const
    ).entries()) {
      await seconds(second)
      await store.putReceipt(
        repo,
        newReceipt(of, { id, session, manifest: JSON.stringify({ id }) }),
      )
    }
    await seconds(0)
    const list = async (filter: Parameters<Store['listReceipts']>[1], limit = 10) => {
      const { items, more } = await store.listReceipts(repo, filter, limit)
      return [...items.map(({ id }) => id), more]
    }
    expect(await list({})).toEqual(['rcp:b', 'rcp:a', 'rcp:c', false])
    expect(await list({}, 2)).toEqual(['rcp:b', 'rcp:a', true])
    expect(await list({ task: task.id })).toEqual(['rcp:b', 'rcp:c', false])
    expect(await list({ session: 's-1' })).toEqual(['rcp:c', false])
    expect((await store.receiptsByPrefix(repo, 'rcp:', 2)).map(({ id }) => id)).toEqual([
      'rcp:a',
      'rcp:b',
    ])
    expect(await store.receiptsByPrefix(repo, 'rcp%', 2)).toEqual([])
  })

  test('are cited by records: the one named, or the last of the session on the task', async () => {
    const { repo, task } = await repoWithTask(store)
    const cite = async (receipt: string | null, session: string | null = 's-ada') => {
      const fresh = newRecord(task.id, { receipt, kind: 'note' })
      return (await store.addRecord(repo, fresh, { ...ada, session }, 'comment')).receipt
    }
    expect(await cite('last')).toBe(null)
    const put = (id: string, session: string | null) =>
      store.putReceipt(repo, newReceipt(task.id, { id, session, manifest: JSON.stringify({ id }) }))
    await put('rcp:1', 's-ada')
    await put('rcp:2', 's-ada')
    await put('rcp:3', 's-other')
    await put('rcp:4', null)
    expect(await cite('last')).toBe('rcp:2')
    expect(await cite('rcp:3')).toBe('rcp:3')
    expect(await cite(null)).toBe(null)
    expect(await cite('last', null)).toBe(null)
    // The same pack made again, for another session this time, is that session's last.
    await put('rcp:1', 's-other')
    expect(await cite('last', 's-other')).toBe('rcp:1')
    await put('rcp:1', 's-ada')
    expect(await cite('last')).toBe('rcp:1')
  })
})
