import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { RecordId } from '../../src/domain/record.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { NewRecord } from '../../src/store/new-fact.ts'
import type { Store } from '../../src/store/store.ts'
import type { NewAttestation } from '../../src/store/task-life.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newRecord,
  newTask,
  repoInReview,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, refusedWhole, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('what reviews leave', BACKENDS, ({ open }) => {
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
    const fresh = await repoInReview(store)
    repo = fresh.repo
    task = fresh.task
  })

  const eve = { ...bob, actor: 'eve' }
  const anchors = [{ path: 'a.ts', symbol: null, hash: null }]
  const comment = (given: Partial<NewRecord> = {}) =>
    store.addRecord(repo, newRecord(task.id, { kind: 'review', anchors, ...given }), eve, 'comment')
  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)
  const positionNow = async () => Number((await store.repo(repo))?.position)

  test('threads are closed once, by who began them or owns the task', async () => {
    const [first, second] = [await comment(), await comment({ kind: 'note' })]
    expect((await store.resolvedThreads(repo, task.id)).size).toBe(0)
    expect(await refused(() => store.resolveThread(repo, first.id, bob))).toBe(
      'refused_rule/not_yours',
    )
    expect(await store.resolveThread(repo, first.id, { ...eve, session: 's-9' })).toEqual(first)
    expect(
      await store.resolveThread(repo, second.id, { ...ada, session: null, generation: null }),
    ).toEqual(second)
    expect(await positionNow()).toBe(7)
    await store.resolveThread(repo, first.id, ada)
    expect(await positionNow()).toBe(7)
    expect(await store.resolvedThreads(repo, task.id)).toEqual(new Set([first.id, second.id]))
    const other = await store.createTask(repo, newTask(), ada)
    expect((await store.resolvedThreads(repo, other.id)).size).toBe(0)
  })

  test('what begins no thread is not closed', async () => {
    const root = await comment()
    const bare = await comment({ anchors: [] })
    const answer = await comment({ replyTo: root.id })
    for (const { id } of [bare, answer])
      expect(await refused(() => store.resolveThread(repo, id, eve))).toBe(
        'refused_rule/not_a_thread',
      )
    const nothing = 'r:00000000' as RecordId
    expect(await refused(() => store.resolveThread(repo, nothing, eve))).toBe('not_found/record')
  })

  const attest = (given: Partial<NewAttestation> = {}) =>
    store.addAttestation(
      repo,
      {
        ...{ task: task.id, commit: commit('b'), name: 'tests', command: 'bun test sk-secret' },
        ...{ exitCode: 1, log: 'sk-secret failed', dirty: true },
        ...given,
      },
      eve,
    )

  test('checks are kept with the checkpoint they ran on, newest first', async () => {
    const first = await attest()
    expect<unknown>(first).toEqual({
      ...{ repo, position: 4, task: task.id, commit: commit('b'), name: 'tests' },
      ...{ command: 'bun test sk-secret', exitCode: 1, log: 'sk-secret failed', dirty: true },
      ...{ actor: 'eve', session: null, at: first.at },
    })
    await store.addCheckpoint(repo, newCheckpoint(task.id, { commit: commit('e') }), ada)
    const older = await attest({ exitCode: 0 })
    expect(await store.attestations(repo, task.id)).toEqual([older, first])
    const other = await store.createTask(repo, newTask(), ada)
    await store.addCheckpoint(repo, newCheckpoint(other.id), ada)
    const theirs = await attest({ task: other.id })
    expect(await store.liveAttestations(repo)).toEqual([theirs, older, first])
    await opened.query(`UPDATE task SET state = 'merged' WHERE id = $1`, [other.id])
    expect(await store.liveAttestations(repo)).toEqual([older, first])
  })

  test('checks of what is no checkpoint of the task are refused', async () => {
    const other = await store.createTask(repo, newTask(), ada)
    await store.addCheckpoint(repo, newCheckpoint(other.id, { commit: commit('e') }), ada)
    expect(await refused(() => attest({ commit: commit('e') }))).toBe('not_found/checkpoint')
    expect(await refused(() => attest({ task: 'nobody' as TaskId }))).toBe('not_found/task')
  })

  test('a purge of the task takes what its checks ran and printed', async () => {
    const kept = await attest()
    await store.purge(repo, task.id, bob)
    expect(await store.attestations(repo, task.id)).toEqual([
      { ...kept, command: '(purged)', log: '' },
    ])
  })
})
