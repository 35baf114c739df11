import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import { ada, commit, newCheckpoint, newTask, repoWithTask } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('checkpoints', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  test('come back as they went in, and move the head of their task', async () => {
    const { repo, task } = await repoWithTask(store)
    const {
      leaseSecs: _lease,
      states: _states,
      ...fresh
    } = newCheckpoint(task.id, {
      commit: commit('c'),
      base: commit('e'),
      message: 'half "done"\n\\ \u{1f600}',
      files: [
        { path: 'b/ü\n"', status: 'added', from: null },
        { path: 'a', status: 'renamed', from: 'was' },
      ],
      symbols: ['a:Z.y', 'a:X'],
      incomplete: { tooLarge: ['big.bin'], badNames: ['\ufffd'], nested: ['sub'] },
    })
    const made = await store.addCheckpoint(repo, newCheckpoint(task.id, fresh), ada)
    expect<unknown>(made.checkpoint).toEqual({
      ...fresh,
      repo,
      position: 2,
      generation: 1,
      at: made.checkpoint.at,
    })
    expect(made.task).toMatchObject({ head: commit('c'), base: commit('e'), change: 'kkmpptxz' })
    expect(await store.task(repo, task.id)).toEqual(made.task)
    expect(await store.lastCheckpoint(repo, task.id)).toEqual(made.checkpoint)
  })

  test('leave the base of a task where they have none', async () => {
    const { repo, task } = await repoWithTask(store)
    const made = await store.addCheckpoint(repo, newCheckpoint(task.id, { base: null }), ada)
    expect([made.checkpoint.base, made.task.base]).toEqual([null, commit('a')])
  })

  test('of live tasks are had by the newest of each', async () => {
    const { repo, task } = await repoWithTask(store)
    const tasks = [task]
    for (const _ of [1, 2, 3]) tasks.push(await store.createTask(repo, newTask(), ada))
    const [first, second, merged] = tasks.map(({ id }) => id) as [TaskId, TaskId, TaskId]
    for (const [id, digit] of [
      [second, '1'],
      [first, '2'],
      [second, '3'],
      [merged, '4'],
      [first, '5'],
    ] as const)
      await store.addCheckpoint(repo, newCheckpoint(id, { commit: commit(digit) }), ada)
    await opened.query(`UPDATE task SET state = 'merged' WHERE repo = $1 AND id = $2`, [
      repo,
      merged,
    ])
    const live = await store.liveCheckpoints(repo)
    expect<unknown>(live.map((c) => [c.task, c.commit[0], c.position])).toEqual([
      [first, '5', 9],
      [second, '3', 7],
    ])
    expect((await store.lastCheckpoint(repo, merged))?.commit).toBe(commit('4'))
    expect(await store.lastCheckpoint(repo, tasks[3]!.id)).toBe(null)
  })
})
