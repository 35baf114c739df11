import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { withRetries } from '../../src/store/database.ts'
import { linkPostgres } from '../../src/store/postgres.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newRecord,
  newTask,
  newVerdict,
  repoApproved,
  repoInReview,
  repoWithTask,
  TREE,
} from '../support/store-facts.ts'
import { onEach, SERVERS, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

test('a transaction given up by the server is run again three times, and no more', async () => {
  for (const code of ['40001', '40P01']) {
    let runs = 0
    const attempt = async () => {
      runs++
      throw Object.assign(new Error('given up'), { code })
    }
    expect(await refusalOf(withRetries(attempt))).toBe('conflict/contention')
    expect(runs).toBe(4)
  }
})

onEach('races', SERVERS.slice(0, 1), ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  /** What other connections of the database wait for or run, but for this one. */
  const others = async (condition: string) =>
    await opened.query(
      `SELECT pid, query FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
    )

  const until = async (condition: string, count = 1) => {
    for (let tries = 0; tries < 2_000; tries++) {
      const found = await others(condition)
      if (found.length >= count) return found
      await Bun.sleep(5)
    }
    throw new Error(`never seen: ${condition}`)
  }

  const terminate = async (pid: unknown) => {
    await opened.query('SELECT pg_terminate_backend($1)', [pid])
  }

  test('a claim that commits first takes the writes of twenty with it', async () => {
    const { repo, task } = await repoWithTask(store)
    const rival = await second()
    const claim = `UPDATE task SET owner = 'bob', generation = 2 WHERE repo = '${repo}' AND id = '${task.id}'`
    await rival.query('BEGIN')
    await rival.query(claim)
    const writes = Array.from({ length: 20 }, (_, n) =>
      refusalOf(
        n % 2 === 0
          ? store.addRecord(repo, newRecord(task.id), ada, 'owner')
          : store.addCheckpoint(repo, newCheckpoint(task.id), ada),
      ),
    )
    await until(`wait_event_type = 'Lock'`, 5)
    await rival.query('COMMIT')
    expect(await Promise.all(writes)).toEqual(writes.map(() => 'claim_lost'))
    expect<unknown>((await store.repo(repo))?.position).toBe(1)
    await rival.close()
  })

  test('a claim that is rolled back takes nothing', async () => {
    const { repo, task } = await repoWithTask(store)
    const rival = await second()
    await rival.query('BEGIN')
    await rival.query(
      `UPDATE task SET owner = 'bob', generation = 2 WHERE repo = '${repo}' AND id = '${task.id}'`,
    )
    const writes = [1, 2, 3].map(() => store.addRecord(repo, newRecord(task.id), ada, 'owner'))
    await until(`wait_event_type = 'Lock'`, 3)
    await rival.query('ROLLBACK')
    await Promise.all(writes)
    expect<unknown>((await store.repo(repo))?.position).toBe(4)
    await rival.close()
  })

  /** What `work` comes to when it has to wait for `statement`, which commits first. */
  async function behind(statement: string, work: () => Promise<unknown>): Promise<string> {
    const rival = await second()
    await rival.query('BEGIN')
    await rival.query(statement)
    const outcome = work().then(
      () => 'done',
      (thrown: unknown) => refusalOf(Promise.reject(thrown)),
    )
    await until(`wait_event_type = 'Lock'`)
    await rival.query('COMMIT')
    await rival.close()
    return outcome
  }

  test('what commits first is seen by who waited for it', async () => {
    const { repo, task, slot } = await repoApproved(store)
    const ofTask = `WHERE repo = '${repo}' AND id = '${task.id}'`
    const eve = { ...bob, actor: 'eve' }
    const note = newRecord(task.id, { kind: 'note' })
    const stale = { slot, task: task.id, verdict: task.approval!, why: 'x' }
    expect(
      await behind(`UPDATE task SET head = '${commit('e')}' ${ofTask}`, () =>
        store.addVerdict(repo, newVerdict(task.id), eve),
      ),
    ).toBe('refused_rule/changed')
    expect(
      await behind(`UPDATE repo SET slot = slot + 1 WHERE id = '${repo}'`, () =>
        store.voidApproval(repo, stale, bob),
      ),
    ).toBe('conflict/slot_lost')
    expect(
      await behind(`UPDATE repo SET trunk_commit = '${commit('e')}' WHERE id = '${repo}'`, () =>
        store.openLanding(repo, newMerge(task, slot + 1), bob),
      ),
    ).toBe('conflict/trunk_moved')
    expect(
      await behind(`UPDATE task SET approval = NULL ${ofTask}`, () =>
        store.openLanding(repo, newMerge(task, slot + 1), bob),
      ),
    ).toBe('refused_rule/not_approved')
    expect(
      await behind(`UPDATE task SET state = 'abandoned' ${ofTask}`, () =>
        store.addRecord(repo, note, eve, 'comment'),
      ),
    ).toBe('refused_transition/state')
  })

  test('a checkpoint of the same files keeps the approval it waited for', async () => {
    const { repo, task } = await repoInReview(store)
    const approval = `WITH given AS (
        INSERT INTO verdict (repo, position, task, result, base, tip, tree, patch, is_self, carried_over, actor, at)
        VALUES ('${repo}', 99, '${task.id}', 'approve', '${commit('a')}', '${commit('b')}', '${TREE}', 'v1:0123', false, '{}', 'bob', av_now()))
      UPDATE task SET approval = 99, approved_by = 'bob' WHERE repo = '${repo}' AND id = '${task.id}'`
    const same = () => store.addCheckpoint(repo, newCheckpoint(task.id), ada)
    expect(await behind(approval, same)).toBe('done')
    expect<unknown>((await store.task(repo, task.id))?.approval).toBe(99)
  })

  test('a claim that waited for another sees what became of the task', async () => {
    const { repo, task } = await repoWithTask(store)
    const set = (change: string) =>
      `UPDATE task SET ${change} WHERE repo = '${repo}' AND id = '${task.id}'`
    const claim = () => store.claimTask(repo, { task: task.id, leaseSecs: 60, base: null }, bob)
    const lapsed = `lease_expires_at = av_now() - interval '1 hour'`
    await opened.query(set(lapsed))
    expect(await behind(set(`lease_expires_at = av_now() + interval '1 hour'`), claim)).toBe(
      'refused_rule/lease_running',
    )
    await opened.query(set(lapsed))
    expect(await behind(set(`owner = 'eve', generation = 2`), claim)).toBe('conflict/contention')
    expect(await behind(set('landing = 7'), claim)).toBe('conflict/landing')
    await opened.query(set('landing = NULL'))
    expect(await behind(set(`state = 'in_review'`), claim)).toBe('refused_transition/state')
    expect(await store.task(repo, task.id)).toMatchObject({ owner: 'eve', generation: 2 })
  })

  test('the first write of a second actor ends approvals of one’s own', async () => {
    const { repo, task } = await repoInReview(store)
    const joined = `WITH counted AS (UPDATE repo SET position = position WHERE id = '${repo}')
      INSERT INTO repo_actor (repo, actor, kind) VALUES ('${repo}', 'bob', 'human')`
    expect(await behind(joined, () => store.addVerdict(repo, newVerdict(task.id), ada))).toBe(
      'refused_rule/own_task',
    )
  })

  test('a write whose connection is cut is not stored and not tried again', async () => {
    const { repo } = await repoWithTask(store)
    const rival = await second()
    await rival.query('BEGIN')
    await rival.query(`UPDATE repo SET name = name WHERE id = '${repo}'`)
    const write = refusalOf(store.createTask(repo, newTask(), ada))
    const [blocked] = await until(`wait_event_type = 'Lock'`)
    await terminate(blocked?.pid)
    expect(await write).toBe('store_unavailable/connection_lost')
    await rival.query('COMMIT')
    await rival.close()
    expect((await store.listTasks(repo, {}, 10)).items.length).toBe(1)
    expect<unknown>((await store.createTask(repo, newTask(), ada)).position).toBe(2)
  })

  test('a connection cut while it commits leaves the outcome unknown, and says so', async () => {
    const { repo } = await repoWithTask(store)
    await opened.query(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'`)
    await opened.query(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON fact DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION linger()`)
    const write = refusalOf(store.createTask(repo, newTask(), ada))
    const [committing] = await until(`query = 'commit' AND wait_event = 'PgSleep'`)
    await terminate(committing?.pid)
    expect(await write).toBe('store_unavailable/outcome_unknown')
    await opened.query('DROP TRIGGER slow ON fact')
    expect((await store.listTasks(repo, {}, 10)).items.length).toBe(1)
  })

  test('idle connections that were cut are replaced', async () => {
    const { repo, task } = await repoWithTask(store)
    await Promise.all([1, 2, 3, 4].map(() => store.task(repo, task.id)))
    for (const { pid } of await others(`application_name = 'av' AND state = 'idle'`))
      await terminate(pid)
    // Until the process has seen the ends of its connections, a call may still meet one of them.
    let found = null
    for (let tries = 0; found === null && tries < 20; tries++)
      found = await store.task(repo, task.id).catch(() => Bun.sleep(20).then(() => null))
    expect(found?.id).toBe(task.id)
  })

  test('a write that meets a deadlock is run again', async () => {
    const { repo, task } = await repoWithTask(store)
    const rival = await second()
    await rival.query('BEGIN')
    await rival.query(`UPDATE repo SET name = name WHERE id = '${repo}'`)
    const write = store.addCheckpoint(repo, newCheckpoint(task.id), ada)
    await until(`wait_event_type = 'Lock'`)
    const crossing = rival
      .query(`UPDATE task SET flags = flags WHERE repo = '${repo}' AND id = '${task.id}'`)
      .then(() => rival.query('COMMIT'))
      .catch(() => rival.query('ROLLBACK'))
    await crossing
    expect<unknown>((await write).checkpoint.position).toBe(2)
    await rival.close()
  })

  async function second() {
    const [row] = await opened.query('SELECT current_database() AS name')
    const url = new URL(process.env.AV_TEST_POSTGRES_URL ?? '')
    url.pathname = `/${row?.name}`
    return linkPostgres(url.toString())
  }
})
