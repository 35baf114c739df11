import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Store } from '../../src/store/store.ts'
import {
  ada,
  bob,
  newCheckpoint,
  newConvention,
  newRecord,
  newRepo,
  newTask,
  repoWithTask,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('positions', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  const log = async (repo: RepoId) =>
    await opened.query('SELECT position, event FROM fact WHERE repo = $1 ORDER BY position', [repo])

  test('are taken by facts, and by nothing else', async () => {
    const { repo, task } = await repoWithTask(store)
    await store.updateRepo(repo, { trunk: 'dev' })
    await store.addRecord(repo, newRecord(task.id), ada, 'owner')
    const receipt = { id: 'rcp:1', task: task.id, actor: 'ada', session: null, manifest: '{}' }
    await store.putReceipt(repo, receipt)
    await store.addCheckpoint(repo, newCheckpoint(task.id), ada)
    const rule = await store.addConvention(repo, newConvention({ state: 'proposed' }), ada)
    await store.moveConvention(repo, rule.id, ['proposed'], 'active', bob)
    await store.purge(repo, rule.id, bob)
    expect((await log(repo)).map(({ event }) => event)).toEqual([
      'task.created',
      'record.added',
      'checkpoint.added',
      'convention.proposed',
      'convention.active',
      'purged',
    ])
    expect<unknown>((await store.repo(repo))?.position).toBe(6)
  })

  test('have no gap and no twin under twenty writers, refused writes between them', async () => {
    const { repo, task } = await repoWithTask(store)
    const { id: quiet } = await store.createRepo(newRepo(), ada)
    const attempts = Array.from({ length: 20 }, async (_, writer) => {
      for (let round = 0; round < 5; round++) {
        const by = { ...ada, generation: (writer + round) % 4 === 0 ? 9 : 1 }
        if (writer % 3 === 0) await store.createTask(repo, newTask(), by)
        else if (writer % 3 === 1)
          await store.addCheckpoint(repo, newCheckpoint(task.id), by).catch(() => {})
        else await store.addRecord(repo, newRecord(task.id), by, 'owner').catch(() => {})
      }
    })
    await Promise.all(attempts)
    const positions = (await log(repo)).map(({ position }) => Number(position))
    expect(positions).toEqual(Array.from(positions, (_, at) => at + 1))
    expect(positions.length).toBeGreaterThan(60)
    expect<unknown>((await store.repo(repo))?.position).toBe(positions.length)
    expect<unknown>((await store.repo(quiet))?.position).toBe(0)
  })

  test('are visible in their order: who sees one sees all before it', async () => {
    const { repo, task } = await repoWithTask(store)
    let isWriting = true
    const holes: number[] = []
    const reader = async () => {
      while (isWriting) {
        const positions = (await log(repo)).map(({ position }) => Number(position))
        holes.push(...positions.filter((position, at) => position !== at + 1))
        await Bun.sleep(1)
      }
    }
    const reading = reader()
    const writers = Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 10; round++)
        await store.addRecord(repo, newRecord(task.id), ada, 'owner')
    })
    await Promise.all(writers)
    isWriting = false
    await reading
    expect(holes).toEqual([])
    expect((await log(repo)).length).toBe(81)
  })
})
