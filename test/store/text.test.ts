import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { compareBytes } from '../../src/domain/order.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import {
  ada,
  newCheckpoint,
  newConvention,
  newRecord,
  newRepo,
  newTask,
  repoWithTask,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

const HOSTILE = [
  "'; DROP TABLE record; --",
  '$1 %s ? {{x}} :y',
  '\\x00 \\u0000 E\\\\',
  '{"a":[1]} {NULL} {"}',
  '\ufeffBOM \u202eright-to-left\u202c \u200b',
  '\u0001\u001f\u007f\r\n\t',
  '\uffff \ufffe \u{10ffff}',
  '<|endoftext|>',
  'NULL',
  '',
]

/** A byte order mark at the start of a text of its own is no part of it. */
const unmarked = (text: string) => text.replace(/^\ufeff+/, '')

onEach('text', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  beforeAll(async () => {
    opened = await open()
    store = opened.store
    const fresh = await repoWithTask(store)
    repo = fresh.repo
    task = fresh.task
  })
  afterAll(() => opened.close())

  test('of any kind comes back, but for a byte order mark at its start', async () => {
    const text = fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.string({ unit: 'binary', maxLength: 60 }).filter((s) => !s.includes('\0')),
    )
    await fc.assert(
      fc.asyncProperty(text, text, text, async (summary, body, path) => {
        const anchors = [{ path, symbol: summary, hash: null }]
        const fresh = newRecord(task.id, { summary, body, anchors })
        const { id } = await store.addRecord(repo, fresh, ada, 'owner')
        const kept = { summary: unmarked(summary), body: unmarked(body), anchors }
        expect(await store.record(repo, id)).toMatchObject(kept)
        const files = [{ path, status: 'added', from: body } as const]
        const given = { message: summary, symbols: [body], files }
        await store.addCheckpoint(repo, newCheckpoint(task.id, given), ada)
        const seen = { ...given, message: unmarked(summary) }
        expect(await store.lastCheckpoint(repo, task.id)).toMatchObject(seen)
      }),
      { seed: 7, numRuns: 60 },
    )
  })

  test('of a megabyte in one line comes back', async () => {
    const body = 'x'.repeat(1_000_000)
    const { id } = await store.addRecord(repo, newRecord(task.id, { body }), ada, 'owner')
    expect((await store.record(repo, id))?.body === body).toBe(true)
  })

  test('sorts by its bytes, as the code does', async () => {
    const { id: own } = await store.createRepo(newRepo(), ada)
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 4 })
      .filter((s) => !s.includes('\0'))
    const names = fc.sample(fc.uniqueArray(name, { minLength: 150, maxLength: 150 }), {
      seed: 3,
      numRuns: 1,
    })[0]!
    for (const id of names) await store.createTask(own, newTask({ id: id as TaskId }), ada)
    const sorted = (await store.tasksByPrefix(own, '', 200)).map(({ id }) => id as string)
    expect(sorted).toEqual(names.toSorted(compareBytes))
  })

  test('with a byte order mark at its start names the same writer as without', async () => {
    const own = await repoWithTask(store)
    const marked = { ...ada, actor: '\ufeffada', session: '\ufeffs-ada' }
    const { id, author } = await store.addRecord(own.repo, newRecord(own.task.id), marked, 'owner')
    await store.purge(own.repo, id, marked)
    expect([author, await store.actorsOf(own.repo)]).toEqual(['ada', ['ada']])
    const path = '\ufeffa.ts'
    const anchors = [{ path, symbol: path, hash: null }]
    await store.addRecord(own.repo, newRecord(own.task.id, { anchors }), marked, 'owner')
    const { items } = await store.listRecords(own.repo, { path, all: true }, 9)
    expect(items.map((record) => record.anchors)).toEqual([anchors])
  })

  test('that Postgres cannot hold is refused, and nothing stored', async () => {
    const position = (await store.repo(repo))!.position
    for (const bad of ['a\0b', 'a\ud800b']) {
      const eve = { ...ada, session: bad }
      const refusals = [
        await refusalOf(store.addRecord(repo, newRecord(task.id, { summary: bad }), ada, 'owner')),
        await refusalOf(store.addRecord(repo, newRecord(task.id), eve, 'comment')),
        await refusalOf(
          store.addRecord(
            repo,
            newRecord(task.id, { anchors: [{ path: bad, symbol: null, hash: null }] }),
            ada,
            'owner',
          ),
        ),
        await refusalOf(store.addCheckpoint(repo, newCheckpoint(task.id, { symbols: [bad] }), ada)),
        await refusalOf(store.createTask(repo, newTask({ goal: bad }), ada)),
        await refusalOf(store.addConvention(repo, newConvention({ text: bad }), ada)),
        await refusalOf(store.createRepo(newRepo({ name: bad }), ada)),
      ]
      expect(refusals).toEqual(refusals.map(() => 'bad_input/not_text'))
    }
    expect((await store.repo(repo))!.position).toBe(position)
  })

  test('that Postgres cannot hold finds nothing', async () => {
    expect(await refusalOf(store.task(repo, 'a\0' as TaskId))).toBe('bad_input/not_text')
    expect(await store.task(repo, 'a\ud800' as TaskId)).toBe(null)
  })
})
