import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { ConventionId } from '../../src/domain/convention.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import { ada, bob, newConvention, newRepo } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('conventions', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  test('come back as they went in', async () => {
    const { id: repo } = await store.createRepo(newRepo(), ada)
    const fresh = newConvention({
      digits: '01234567ff',
      required: true,
      text: '# "x" \\ \u{1f600}',
    })
    const made = await store.addConvention(repo, fresh, bob)
    expect<unknown>(made).toEqual({
      repo,
      id: 'c:01234567',
      glob: 'src/**',
      text: fresh.text,
      required: true,
      state: 'active',
      author: 'bob',
      acceptedBy: null,
      position: 1,
      at: made.at,
    })
    const next = await store.addConvention(repo, { ...fresh, text: 'another' }, bob)
    expect(next.id as string).toBe('c:01234567f')
    expect(await store.conventionsByPrefix(repo, 'c:01234567', 10)).toEqual([made, next])
    expect(await store.conventionsByPrefix(repo, 'c:_', 10)).toEqual([])
  })

  test('move on from a state, once', async () => {
    const { id: repo } = await store.createRepo(newRepo(), ada)
    const proposed = await store.addConvention(repo, newConvention({ state: 'proposed' }), ada)
    const active = await store.moveConvention(repo, proposed.id, ['proposed'], 'active', bob)
    expect<unknown>(active).toEqual({
      ...proposed,
      state: 'active',
      acceptedBy: 'bob',
      position: 2,
    })
    expect(
      await refusalOf(store.moveConvention(repo, proposed.id, ['proposed'], 'active', ada)),
    ).toBe('conflict/state')
    const retired = await store.moveConvention(
      repo,
      proposed.id,
      ['active', 'proposed'],
      'retired',
      ada,
    )
    expect(retired).toMatchObject({ state: 'retired', acceptedBy: 'bob' })
    const none = 'c:none' as ConventionId
    expect(await refusalOf(store.moveConvention(repo, none, ['active'], 'retired', ada))).toBe(
      'not_found/convention',
    )
    expect<unknown>((await store.repo(repo))?.position).toBe(3)
  })

  test('are listed by state, oldest first, however often they moved', async () => {
    const { id: repo } = await store.createRepo(newRepo(), ada)
    const ids: ConventionId[] = []
    for (const state of ['proposed', 'active', 'active', 'proposed'] as const)
      ids.push((await store.addConvention(repo, newConvention({ state }), ada)).id)
    await store.moveConvention(repo, ids[0]!, ['proposed'], 'active', bob)
    await store.moveConvention(repo, ids[1]!, ['active'], 'retired', bob)
    const list = async (...states: Parameters<Store['conventions']>[1]) =>
      (await store.conventions(repo, states)).map(({ id }) => ids.indexOf(id))
    expect(await list('active')).toEqual([0, 2])
    expect(await list('active', 'proposed', 'retired')).toEqual([0, 1, 2, 3])
    expect(await list('retired')).toEqual([1])
    expect(await list()).toEqual([])
  })
})
