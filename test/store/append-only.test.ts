import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newConvention,
  newRecord,
  repoMerged,
  repoWithTask,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('what is recorded', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
    const { repo, task } = await repoWithTask(store)
    const anchors = [{ path: 'a.ts', symbol: 'X', hash: '1'.repeat(32) }]
    const old = await store.addRecord(repo, newRecord(task.id, { anchors }), ada, 'owner')
    await store.addRecord(repo, newRecord(task.id, { supersedes: [old.id] }), ada, 'owner')
    await store.addCheckpoint(repo, newCheckpoint(task.id), ada)
    const merged = await repoMerged(store)
    const { id } = await store.addRecord(
      merged.repo,
      newRecord(merged.task.id, { kind: 'note', anchors, states: ['merged'] }),
      bob,
      'comment',
    )
    await store.resolveThread(merged.repo, id, bob)
    const checked = { task: task.id, commit: commit('b'), name: 'tests', command: 'bun test' }
    await store.addAttestation(repo, { ...checked, exitCode: 0, log: '', dirty: false }, bob)
  })
  afterAll(() => opened.close())

  const counted = async () =>
    await opened.query(`SELECT
      (SELECT count(*) FROM record)::int AS record, (SELECT count(*) FROM record_anchor)::int AS anchor,
      (SELECT count(*) FROM supersession)::int AS supersession, (SELECT count(*) FROM fact)::int AS fact,
      (SELECT count(*) FROM claim)::int AS claim, (SELECT count(*) FROM verdict)::int AS verdict,
      (SELECT count(*) FROM trunk_move)::int AS trunk_move, (SELECT count(*) FROM landing)::int AS landing,
      (SELECT count(*) FROM thread_resolution)::int AS resolution, (SELECT count(*) FROM attestation)::int AS attestation`)

  test.each([
    ['UPDATE record SET summary = summary'],
    [`UPDATE record SET summary = '(purged)', body = '', purged = true`],
    [`UPDATE record_anchor SET path = '(purged)', symbol = NULL`],
    ['UPDATE record_anchor SET hash = NULL'],
    ['UPDATE supersession SET ordinal = 9'],
    [`UPDATE fact SET event = 'purged'`],
    ['UPDATE claim SET actor = actor'],
    ['UPDATE verdict SET tree = tree'],
    ['UPDATE trunk_move SET new = new'],
    ['UPDATE thread_resolution SET actor = actor'],
    ['DELETE FROM verdict'],
    ['DELETE FROM trunk_move'],
    ['DELETE FROM thread_resolution'],
    ['DELETE FROM attestation'],
    ['DELETE FROM landing'],
    ['TRUNCATE verdict'],
    ['TRUNCATE trunk_move'],
    ['TRUNCATE thread_resolution'],
    ['TRUNCATE attestation'],
    ['TRUNCATE landing'],
    ['DELETE FROM record_anchor'],
    ['DELETE FROM supersession'],
    ['DELETE FROM record'],
    ['DELETE FROM fact'],
    ['DELETE FROM claim'],
    ['DELETE FROM checkpoint'],
    ['TRUNCATE checkpoint'],
    ['TRUNCATE record_anchor'],
    ['TRUNCATE supersession'],
    ['TRUNCATE fact'],
    ['TRUNCATE claim'],
    ['TRUNCATE record CASCADE'],
    ['TRUNCATE repo CASCADE'],
  ])('is not touched by %s', async (statement) => {
    const before = await counted()
    const outcome = await opened.query(statement).then(
      () => 'done',
      (error: Error) => error.message,
    )
    expect(outcome).toContain('append-only')
    expect(await counted()).toEqual(before)
  })

  test.each([
    [`summary = 'mine'`],
    [`summary = '(purged)', body = '', purged = true, author = 'eve'`],
    [`summary = '(purged)', body = '', purged = false`],
  ])('is not turned into %s under the name of a purge', async (change) => {
    const [row] = await opened.query('SELECT repo, id FROM record LIMIT 1')
    const outcome = await opened
      .query(
        `WITH s AS (SELECT set_config('av.purging', $1 || ' ' || $2, true))
         UPDATE record SET ${change} FROM s WHERE record.repo = $1 AND record.id = $2`,
        [row?.repo, row?.id],
      )
      .catch((error: Error) => error.message)
    expect(String(outcome)).toContain('append-only')
  })
})

onEach('purge', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  const audit = async (repo: RepoId) =>
    await opened.query(
      `SELECT position, subject, actor, session FROM fact WHERE repo = $1 AND event = 'purged' ORDER BY position`,
      [repo],
    )

  test('leaves a mark in place of a record, and an audit', async () => {
    const { repo, task } = await repoWithTask(store)
    const anchors = [
      { path: 'a.ts', symbol: 'X', hash: '1'.repeat(32) },
      { path: 'sk-secret', symbol: 'token', hash: null },
    ]
    const fresh = newRecord(task.id, { summary: 'sk-secret', body: 'sk-secret', anchors })
    const kept = await store.addRecord(repo, fresh, ada, 'owner')
    const newer = await store.addRecord(
      repo,
      newRecord(task.id, { supersedes: [kept.id] }),
      ada,
      'owner',
    )
    expect(await store.lastPurge(repo)).toBe(null)
    expect<unknown>(await store.purge(repo, kept.id, bob)).toEqual({ id: kept.id, position: 4 })
    expect<unknown>(await store.record(repo, kept.id)).toEqual({
      ...kept,
      summary: '(purged)',
      body: '',
      anchors: [anchors[0], { path: '(purged)', symbol: null, hash: null }],
      supersededBy: [newer.id],
      purged: true,
    })
    expect(await store.record(repo, newer.id)).toEqual(newer)
    expect<unknown>(await store.lastPurge(repo)).toBe(4)
    expect<unknown>((await store.repo(repo))?.position).toBe(4)
    expect(await audit(repo)).toEqual([
      { position: 4, subject: kept.id, actor: 'bob', session: null },
    ])
    const again = await opened
      .query('UPDATE record SET purged = true WHERE repo = $1 AND id = $2', [repo, kept.id])
      .catch((error: Error) => error.message)
    expect(String(again)).toContain('append-only')
  })

  test('takes the goal of a task and the messages of its checkpoints', async () => {
    const { repo, task } = await repoWithTask(store)
    await store.addCheckpoint(repo, newCheckpoint(task.id, { message: 'sk-secret' }), ada)
    await store.purge(repo, task.id, bob)
    expect((await store.task(repo, task.id))?.goal).toBe('(purged)')
    expect((await store.lastCheckpoint(repo, task.id))?.message).toBe('(purged)')
    expect(await audit(repo)).toMatchObject([{ position: 3, subject: task.id }])
  })

  test('takes the text of a convention', async () => {
    const { repo } = await repoWithTask(store)
    const made = await store.addConvention(repo, newConvention({ text: 'sk-secret' }), ada)
    await store.purge(repo, made.id, bob)
    expect<unknown>(await store.conventions(repo, ['active'])).toEqual([
      { ...made, text: '(purged)', position: 3 },
    ])
    expect(await audit(repo)).toMatchObject([{ position: 3, subject: made.id, actor: 'bob' }])
  })

  test('says what it does not find, and takes no position for it', async () => {
    const { repo } = await repoWithTask(store)
    const other = await repoWithTask(store)
    const theirs = await store.addRecord(other.repo, newRecord(other.task.id), ada, 'owner')
    expect(await refusalOf(store.purge(repo, theirs.id, bob))).toBe('not_found/record')
    expect(await refusalOf(store.purge(repo, 'c:none', bob))).toBe('not_found/convention')
    expect(await refusalOf(store.purge(repo, 'none', bob))).toBe('not_found/task')
    expect<unknown>((await store.repo(repo))?.position).toBe(1)
  })
})
