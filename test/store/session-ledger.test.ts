import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Delivered } from '../../src/domain/ledger.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Tier } from '../../src/domain/section-fill.ts'
import { ENTRIES_MAX } from '../../src/store/session-ledger.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import { ada, newRepo } from '../support/store-facts.ts'
import { anotherPool, BACKENDS, onEach, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

const S1 = { session: 's1', actor: 'ada' }
const DAY_SECS = 86_400

onEach('the ledger', BACKENDS, (backend) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  beforeAll(async () => {
    opened = await backend.open()
    store = opened.store
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    await shiftClock(opened.query, 0)
    repo = (await store.createRepo(newRepo(), ada)).id
  })

  /** An item at a tier; what it says goes by `content`. */
  const item = (id: string, tier: Tier = 'full', content = id): Delivered => ({
    ...{ id, tier },
    hashes: { handle: `h ${content}`, summary: `s ${content}`, full: `f ${content}` },
  })
  const note = (items: readonly Delivered[], resets = 0, reader = S1) =>
    store.noteSent(repo, reader, { receipt: 'rcp:1', resets, items })
  const has = async (reader = S1) =>
    (await store.sentTo(repo, reader)).items
      .map(({ id, tier, hash }) => `${id} ${tier} ${hash}`)
      .sort()

  test('keeps the newest content of an item, and of the same content the richest tier', async () => {
    expect(await note([item('a', 'handle'), item('b', 'full')])).toBe(true)
    await note([item('a', 'summary'), item('b', 'handle')])
    expect(await has()).toEqual(['a summary s a', 'b full f b'])
    await note([item('b', 'handle', 'changed')])
    expect(await has()).toEqual(['a summary s a', 'b handle h changed'])
  })

  test('says the same when it is told the same again', async () => {
    const items = [item('a'), item('b', 'handle')]
    await note(items)
    const once = await has()
    expect(await note(items)).toBe(true)
    expect(await has()).toEqual(once)
    await note([])
    expect(await has()).toEqual(once)
    expect<unknown>((await store.repo(repo))?.position).toBe(0)
  })

  test('tells readers, sessions and repos apart', async () => {
    const other = (await store.createRepo(newRepo(), ada)).id
    await note([item('a')])
    await note([item('b')], 0, { ...S1, actor: 'ben' })
    await note([item('c')], 0, { ...S1, session: 's1/agent-7' })
    expect(await has()).toEqual(['a full f a'])
    expect(await has({ ...S1, actor: 'ben' })).toEqual(['b full f b'])
    expect(await has({ ...S1, session: 's1/agent-7' })).toEqual(['c full f c'])
    expect(await has({ ...S1, session: 's' })).toEqual([])
    expect((await store.sentTo(other, S1)).items).toEqual([])
  })

  test('forgets a session that lost its context, and those below it, and no other', async () => {
    for (const session of ['s1', 's1/agent-7', 's10', 's2']) {
      await note([item('a'), item('b')], 0, { session, actor: 'ada' })
    }
    expect(await store.resetSession(repo, 's1')).toBe(4)
    for (const session of ['s1', 's1/agent-7']) {
      expect(await store.sentTo(repo, { session, actor: 'ada' })).toEqual({ resets: 1, items: [] })
    }
    for (const session of ['s10', 's2']) {
      expect(await has({ session, actor: 'ada' })).toHaveLength(2)
    }
    expect(await store.resetSession(repo, 's1/agent-7')).toBe(0)
  })

  test('notes nothing of a pack that was made before the session lost its context', async () => {
    const { resets } = await store.sentTo(repo, S1)
    expect(resets).toBe(0)
    await store.resetSession(repo, 's1')
    expect(await note([item('a')], resets)).toBe(false)
    expect(await has()).toEqual([])
    expect(await note([item('a')], 1)).toBe(true)
    expect(await note([item('b')], 0)).toBe(false)
    expect(await has()).toEqual(['a full f a'])
  })

  test('loses nothing of deliveries at the same moment', async () => {
    const second = await anotherPool(opened, backend)
    try {
      const ways = [store, second.store]
      await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          ways[at % 2]!.noteSent(repo, S1, {
            ...{ receipt: `rcp:${at}`, resets: 0 },
            items: [item(`own-${at}`), item('both', at === 5 ? 'full' : 'handle')],
          }),
        ),
      )
    } finally {
      await second.close()
    }
    const kept = await has()
    expect(kept).toHaveLength(13)
    expect(kept).toContain('both full f both')
  })

  test('keeps the newest of a reader, up to its bound', async () => {
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => item(`i${String(from + at).padStart(5, '0')}`))
    await note(many(0, 500))
    await note(many(500, ENTRIES_MAX - 100))
    await note([item('other')], 0, { ...S1, actor: 'ben' })
    const kept = await has()
    expect(kept).toHaveLength(ENTRIES_MAX)
    // The oldest 500 came first: of these the last by id are forgotten.
    expect(kept.filter((each) => each < 'i00500')).toHaveLength(100)
    expect(kept[0]).toStartWith('i00000 ')
    expect(kept[99]).toStartWith('i00099 ')
    expect(await has({ ...S1, actor: 'ben' })).toHaveLength(1)
    const [row] = await opened.query('SELECT count(*) AS n FROM sent_item WHERE repo = $1', [repo])
    expect(Number(row?.n)).toBe(ENTRIES_MAX + 1)
  })

  test('forgets what was not heard of for 30 days when it is cared for', async () => {
    await note([item('a')])
    await shiftClock(opened.query, 20 * DAY_SECS)
    await note([item('b')], 0, { ...S1, session: 's2' })
    await shiftClock(opened.query, 29 * DAY_SECS)
    await store.maintain()
    expect(await has()).toHaveLength(1)
    await shiftClock(opened.query, 31 * DAY_SECS)
    await store.maintain()
    expect(await has()).toEqual([])
    expect(await has({ ...S1, session: 's2' })).toHaveLength(1)
    const { items } = await store.listSessions(repo, {}, 10)
    expect(items.map(({ session }) => session)).toEqual(['s2'])
  })

  test('is listed: sessions by when they were heard of, items by when they were sent', async () => {
    await note([item('a')])
    await shiftClock(opened.query, 10)
    await note([item('b'), item('c')], 0, { session: 's2', actor: 'ben' })
    await note([item('b', 'handle')], 0, { session: 's2', actor: 'ada' })
    await shiftClock(opened.query, 20)
    await store.resetSession(repo, 's3')
    const { items, more } = await store.listSessions(repo, {}, 10)
    expect(more).toBe(false)
    expect(items.map(({ seenAt, ...row }) => row)).toEqual([
      { session: 's3', actors: [], items: 0, resets: 1 },
      { session: 's2', actors: ['ada', 'ben'], items: 3, resets: 0 },
      { session: 's1', actors: ['ada'], items: 1, resets: 0 },
    ])
    expect(await store.listSessions(repo, {}, 1)).toMatchObject({
      ...{ items: [{ session: 's3' }], more: true },
    })
    expect(await store.listSessions(repo, { session: 's1' }, 2)).toMatchObject({
      ...{ items: [{ session: 's1' }], more: false },
    })
    const sent = await store.listSent(repo, 's2', 2)
    expect(sent.more).toBe(true)
    expect(sent.items).toMatchObject([
      { id: 'b', tier: 'handle', actor: 'ada', receipt: 'rcp:1' },
      { id: 'b', tier: 'full', actor: 'ben', receipt: 'rcp:1' },
    ])
  })

  test('refuses text that no database holds', async () => {
    expect(await refusalOf(note([item('a\0')]))).toStartWith('bad_input/')
    expect(await refusalOf(store.resetSession(repo, 's\0'))).toStartWith('bad_input/')
  })
})
