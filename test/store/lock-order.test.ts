import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Caller } from '../../src/domain/actor.ts'
import { Fault } from '../../src/domain/fault.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newRecord,
  newRepo,
  newStep,
  newTask,
  newVerdict,
  withRecord,
} from '../support/store-facts.ts'
import { anotherPool, onEach, SERVERS, type TestStore } from '../support/stores.ts'

setDefaultTimeout(300_000)

const TASKS = 3
const WORKERS = 8
const ROUNDS = 100

/** Numbers that repeat with their seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

onEach('the order of locks', SERVERS.slice(0, 1), (backend) => {
  let opened: TestStore
  let pools: readonly { readonly store: Store; readonly close: () => Promise<void> }[]
  beforeAll(async () => {
    opened = await backend.open()
    before = await connections()
    pools = await Promise.all([0, 1].map(() => anotherPool(opened, backend)))
  })
  afterAll(() => opened.close())

  let before = 0
  const connections = async () => {
    const [row] = await opened.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()`,
    )
    return Number(row?.count)
  }

  /** A connection tells of its deadlocks when it ends. */
  async function settled(): Promise<void> {
    for (let tries = 0; (await connections()) > before && tries < 2_000; tries++) await Bun.sleep(5)
  }

  test('lets no two writers wait for each other, whatever they write', async () => {
    const { id: repo } = await opened.store.createRepo(newRepo(), ada)
    const tasks: TaskId[] = []
    for (let n = 0; n < TASKS; n++) {
      const parent = tasks.at(-1) ?? null
      tasks.push((await opened.store.createTask(repo, newTask({ owned: false, parent }), ada)).id)
    }
    const refusals = new Map<string, number>()
    const workers = Array.from({ length: WORKERS }, async (_, n) => {
      const next = numbers(n + 1)
      const by = { ...bob, actor: `agent-${n}`, generation: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        const { store } = pools[n % 2]!
        const outcome = await write(store, repo, tasks, by, next).then(
          () => 'done',
          (thrown: unknown) => (thrown instanceof Fault ? thrown.code : Promise.reject(thrown)),
        )
        refusals.set(outcome, (refusals.get(outcome) ?? 0) + 1)
      }
    })
    await Promise.all(workers)
    for (const { close } of pools) await close()
    await settled()
    const deadlocks = `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`
    expect(await opened.query(deadlocks)).toEqual([{ deadlocks: 0 }])
    expect(refusals.get('done')).toBeGreaterThan(WORKERS * 5)
    const gaps = `SELECT count(*)::int AS facts, max(position)::int AS newest FROM fact WHERE repo = $1`
    const [log] = await opened.query(gaps, [repo])
    expect<unknown>(log).toEqual({ facts: log?.newest, newest: log?.newest })
  })
})

/** One of everything that is written, at random, to one of the newest tasks; every other one brings it on. */
async function write(
  store: Store,
  repo: RepoId,
  tasks: TaskId[],
  who: Caller,
  next: (below: number) => number,
): Promise<unknown> {
  const id = tasks.at(-1 - next(TASKS))!
  const task = (await store.task(repo, id))!
  const { owner, ownerSession: session, generation } = task
  const by = { ...who, actor: owner ?? who.actor, session, generation }
  const underSlot = async (work: (slot: number) => Promise<unknown>) => {
    const { number, open } = await store.takeSlot(repo, { task: id, ttlSecs: 60 }, by)
    if (open !== null)
      await store.closeLanding(
        repo,
        { slot: number, landing: open.slot, landed: true, leaseSecs: 1 },
        by,
      )
    else await work(number).finally(() => store.freeSlot(repo, number))
  }
  const merge = () =>
    underSlot(async (slot) => {
      const old = (await store.repo(repo))?.trunkCommit ?? null
      await store.openLanding(repo, newMerge(task, slot, { old }), by)
      await store.closeLanding(repo, { slot, landing: slot, landed: next(3) > 0, leaseSecs: 1 }, by)
    })
  const data = new TextEncoder().encode(`${id} ${next(20)}`)
  const writes: readonly (() => Promise<unknown>)[] = [
    () => store.claimTask(repo, { task: id, leaseSecs: 0, base: commit('a') }, who),
    () => store.claimTask(repo, { task: id, leaseSecs: 0, base: commit('a') }, who),
    () => store.addCheckpoint(repo, newCheckpoint(id), by),
    () => store.addRecord(repo, newRecord(id), by, 'owner'),
    () => store.addRecord(repo, newRecord(id, { kind: 'note' }), by, 'comment'),
    async () => {
      const fresh = newTask({ parent: id, owned: false })
      tasks.push((await store.createTask(repo, fresh, by)).id)
    },
    () =>
      store.moveTask(repo, newStep(id, 'submit', { record: withRecord(), head: task.head }), by),
    () =>
      store.moveTask(repo, newStep(id, 'handoff', { record: withRecord(), head: task.head }), by),
    () => store.moveTask(repo, newStep(id, 'resolve', { head: task.head }), by),
    () =>
      next(8) === 0
        ? store.moveTask(repo, newStep(id, 'abandon', { head: task.head }), by)
        : store.now(),
    () => store.addVerdict(repo, newVerdict(id, { record: withRecord() }), who),
    () =>
      store.addVerdict(
        repo,
        newVerdict(id, { result: next(3) === 0 ? 'request_changes' : 'approve' }),
        by,
      ),
    merge,
    merge,
    merge,
    () =>
      underSlot((slot) =>
        store.conflictTask(
          repo,
          { slot, task: id, conflicted: ['a'], checkpoint: null, leaseSecs: 1 },
          by,
        ),
      ),
    () =>
      underSlot((slot) => store.landElsewhere(repo, { slot, task: id, commit: commit('c') }, by)),
    () => store.purge(repo, id, by),
    () =>
      store.putBundlePart(
        repo,
        {
          ...{ id: new Bun.CryptoHasher('sha256').update(data).digest('hex'), task: id },
          ...{ base: commit('a'), tip: commit(String(next(9))), size: data.length, parts: 1 },
        },
        { ordinal: 0, data },
        by,
      ),
  ]
  const judge = { ...bob, actor: 'judge' }
  const onwards = () => {
    if (task.state === 'in_review' && task.approval !== null) return merge()
    if (task.state === 'in_review') return store.addVerdict(repo, newVerdict(id), judge)
    if (task.owner === null)
      return store.claimTask(repo, { task: id, leaseSecs: 0, base: null }, who)
    if (task.head === null) return store.addCheckpoint(repo, newCheckpoint(id), by)
    return store.moveTask(repo, newStep(id, 'submit', { head: task.head }), by)
  }
  return next(2) === 0 ? onwards() : writes[next(writes.length)]!()
}
