import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { CommitId, RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import type { BundleHead } from '../../src/store/task-life.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newStep,
  newTask,
  newVerdict,
  repoWithTask,
} from '../support/store-facts.ts'
import { anotherPool, BACKENDS, onEach, refusedWhole, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

const PART = 4 * 1024 * 1024

onEach('bundles', BACKENDS, (backend) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  beforeAll(async () => {
    opened = await backend.open()
    store = opened.store
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    const fresh = await repoWithTask(store)
    repo = fresh.repo
    task = fresh.task
  })

  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)

  /** The bytes of a bundle and how it is announced; `tip` makes it another one. */
  function bundleTo(tip: CommitId, parts: readonly string[] = [tip], of = task.id) {
    const data = parts.map((part) => new TextEncoder().encode(part))
    const whole = Buffer.concat(data)
    const id = new Bun.CryptoHasher('sha256').update(whole).digest('hex')
    const head: BundleHead = {
      id,
      task: of,
      base: commit('a'),
      tip,
      size: whole.length,
      parts: parts.length,
    }
    return { head, data }
  }
  const put = ({ head, data }: ReturnType<typeof bundleTo>, ordinal: number) =>
    store.putBundlePart(repo, head, { ordinal, data: data[ordinal]! }, ada)

  test('count when all their parts are there, in whatever order they came', async () => {
    const bundle = bundleTo(commit('b'), ['one\u0000', 'two', 'three'])
    for (const ordinal of [2, 0, 0])
      expect(await put(bundle, ordinal)).toEqual({ isComplete: false })
    expect(await store.bundleOf(repo, commit('b'))).toBe(null)
    expect(await put(bundle, 1)).toEqual({ isComplete: true })
    expect(await put(bundle, 1)).toEqual({ isComplete: true })
    expect(await store.bundleOf(repo, commit('b'))).toEqual(bundle.head)
    for (const ordinal of [0, 1, 2])
      expect(await store.bundlePart(repo, bundle.head.id, ordinal)).toEqual(bundle.data[ordinal]!)
    expect(await store.bundlePart(repo, bundle.head.id, 3)).toBe(null)
    expect(await store.bundleOf(repo, commit('c'))).toBe(null)
    expect<unknown>((await store.repo(repo))?.position).toBe(1)
  })

  test('are complete for one of two that put their last parts at once', async () => {
    const other = await anotherPool(opened, backend)
    const bundle = bundleTo(commit('b'), ['one', 'two', 'three', 'four'])
    const outcomes = await Promise.all(
      bundle.data.map((data, ordinal) =>
        (ordinal % 2 === 0 ? store : other.store).putBundlePart(
          repo,
          bundle.head,
          { ordinal, data },
          ada,
        ),
      ),
    )
    await other.close()
    expect(outcomes.filter(({ isComplete }) => isComplete).length).toBe(1)
    expect(await store.bundleOf(repo, commit('b'))).toEqual(bundle.head)
  })

  test('hold up to the limit, byte for byte', async () => {
    const parts = [
      new Uint8Array(PART).fill(0xff),
      new Uint8Array(PART).fill(0),
      new Uint8Array(3).fill(7),
    ]
    const whole = Buffer.concat(parts)
    const id = new Bun.CryptoHasher('sha256').update(whole).digest('hex')
    const head = { ...bundleTo(commit('b')).head, id, size: whole.length, parts: 3 }
    for (const [ordinal, data] of parts.entries())
      expect(await store.putBundlePart(repo, head, { ordinal, data }, ada)).toEqual({
        isComplete: ordinal === 2,
      })
    expect(Bun.SHA256.hash((await store.bundlePart(repo, id, 0))!, 'hex')).toBe(
      Bun.SHA256.hash(parts[0]!, 'hex'),
    )
  })

  test('that are too large, or are not what they say, are refused', async () => {
    const { head } = bundleTo(commit('b'), ['one', 'two'])
    const send = (given: Partial<BundleHead>, ordinal: number, data: Uint8Array) =>
      refused(() => store.putBundlePart(repo, { ...head, ...given }, { ordinal, data }, ada))
    const bytes = new Uint8Array(3)
    expect(await send({ size: 64 * 1024 * 1024 + 1 }, 0, bytes)).toBe('too_large/bundle_too_large')
    expect(await send({}, 0, new Uint8Array(PART + 1))).toBe('too_large/part_too_large')
    for (const ordinal of [-1, 2, 0.5])
      expect(await send({}, ordinal, bytes)).toBe('bad_input/bundle_part')
    expect(await send({}, 0, new Uint8Array(0))).toBe('bad_input/bundle_part')
    expect(await send({ task: 'nobody' as TaskId }, 0, bytes)).toBe('not_found/task')
    await store.putBundlePart(repo, head, { ordinal: 0, data: bytes }, ada)
    expect(await send({ parts: 3 }, 1, bytes)).toBe('conflict/id_taken')
    expect(await send({ tip: commit('c') }, 1, bytes)).toBe('conflict/id_taken')
    expect(await send({}, 1, bytes)).toBe('bad_input/bundle_broken')
    const good = bundleTo(commit('b'), ['one', 'two'])
    expect(await put(good, 0)).toEqual({ isComplete: false })
    expect(await put(good, 1)).toEqual({ isComplete: true })
  })

  test('are not taken from who lost the claim, and throw nothing away for who sends without one', async () => {
    const late = bundleTo(commit('c'), ['late'])
    const mine = bundleTo(commit('d'), ['mine'])
    await put(mine, 0)
    const part = { ordinal: 0, data: late.data[0]! }
    const old = { ...ada, generation: 0 }
    expect(await refused(() => store.putBundlePart(repo, late.head, part, old))).toBe('claim_lost')
    const stranger = { ...bob, generation: null }
    expect(await store.putBundlePart(repo, late.head, part, stranger)).toEqual({ isComplete: true })
    expect(await store.bundleOf(repo, commit('d'))).toEqual(mine.head)
  })

  test('go when nothing needs them any more', async () => {
    const send = async (digit: string, of = task.id) =>
      put(bundleTo(commit(digit), [`${digit} of ${of}`], of), 0)
    const kept = async () =>
      (
        await Promise.all(
          ['b', 'c', 'd', 'e', 'f'].map((digit) => store.bundleOf(repo, commit(digit))),
        )
      )
        .flatMap((bundle) => bundle?.tip[0] ?? [])
        .join('')
    const checkpoint = (digit: string) =>
      store.addCheckpoint(repo, newCheckpoint(task.id, { commit: commit(digit) }), ada)
    await checkpoint('b')
    await send('b')
    await store.moveTask(repo, newStep(task.id, 'submit'), ada)
    await store.addVerdict(repo, newVerdict(task.id), bob)
    await checkpoint('c')
    await send('c')
    const child = await store.createTask(repo, newTask({ base: commit('c'), parent: task.id }), ada)
    await checkpoint('d')
    await send('d')
    await checkpoint('e')
    expect(await kept()).toBe('bcd')
    await send('f')
    expect(await kept()).toBe('bcf')
    await opened.query(`UPDATE task SET state = 'abandoned' WHERE repo = $1 AND id = $2`, [
      repo,
      child.id,
    ])
    await send('e')
    expect(await kept()).toBe('be')
    await send('d', child.id)
    expect(await kept()).toBe('bde')
    const [{ parts } = {}] = await opened.query(
      'SELECT count(*)::int AS parts FROM bundle_part WHERE repo = $1',
      [repo],
    )
    expect(parts).toBe(3)
  })
})
