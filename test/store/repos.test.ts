import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../support/faults.ts'
import { ada, bob, commit, newRepo, newTask, repoWithTask } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('repos', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())

  test('come back as they went in', async () => {
    const fresh = newRepo({
      name: 'a "b" \\ \u{1f600}',
      trunkCommit: null,
      identity: {
        rootCommits: [commit('1'), commit('2')],
        remotes: { origin: 'git@host:x.git', 'a b': 'https://host/%_' },
      },
    })
    const made = await store.createRepo(fresh, ada)
    expect<unknown>(made).toEqual({
      ...fresh,
      trunkHome: null,
      position: 0,
      createdAt: made.createdAt,
    })
    expect(made.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await store.repo(fresh.id)).toEqual(made)
  })

  test('tell how far their log is', async () => {
    const { repo } = await repoWithTask(store)
    expect<unknown>(await store.position(repo)).toBe(1)
    await store.createTask(repo, newTask(), ada)
    expect<unknown>(await store.position(repo)).toBe(2)
    expect(await store.position('nobody' as RepoId)).toBe(null)
  })

  test('keep an id for one', async () => {
    const fresh = newRepo()
    await store.createRepo(fresh, ada)
    expect(await refusalOf(store.createRepo({ ...fresh, name: 'other' }, bob))).toBe(
      'conflict/id_taken',
    )
    expect((await store.repo(fresh.id))?.name).toBe('shop')
  })

  test('are listed by the bytes of their names', async () => {
    for (const name of ['b', '\u{1f600}', '\ufb00', 'B', 'ä', 'a'])
      await store.createRepo(newRepo({ name: `by bytes: ${name}` }), ada)
    const names = (await store.repos()).flatMap(({ name }) => name.split('by bytes: ')[1] ?? [])
    expect(names).toEqual(['B', 'a', 'b', 'ä', '\ufb00', '\u{1f600}'])
  })

  test('are alike by a root commit, and by a remote only where one has no commit', async () => {
    const own = (rootCommits: string, url: string, name: string) =>
      newRepo({
        name,
        identity: {
          rootCommits: rootCommits ? [commit(rootCommits)] : [],
          remotes: { origin: url },
        },
      })
    const rooted = await store.createRepo(own('7', 'https://host/rooted', 'rooted'), ada)
    const bare = await store.createRepo(own('', 'https://host/bare', 'bare'), ada)
    const alike = async (rootCommits: string, url: string) => {
      const { identity } = own(rootCommits, url, '')
      return (await store.reposLike(identity)).map(({ name }) => name)
    }
    expect(await alike('7', 'https://host/fork')).toEqual(['rooted'])
    expect(await alike('8', 'https://host/rooted')).toEqual([])
    expect(await alike('', 'https://host/rooted')).toEqual(['rooted'])
    expect(await alike('9', 'https://host/bare')).toEqual(['bare'])
    expect(await alike('9', 'https://host/none')).toEqual([])
    expect<unknown>([rooted.position, bare.position]).toEqual([0, 0])
  })

  test('learn the name of trunk and which remotes there are, without a position', async () => {
    const fresh = newRepo({ identity: { rootCommits: [commit('c')], remotes: { origin: 'old' } } })
    await store.createRepo(fresh, ada)
    const changed = await store.updateRepo(fresh.id, {
      trunk: 'dev',
      trunkHome: 'clone-1',
      rootCommits: [commit('b'), commit('c')],
      remotes: { origin: 'new', backup: 'far' },
    })
    expect(changed).toMatchObject({
      trunk: 'dev',
      trunkHome: 'clone-1',
      identity: {
        rootCommits: [commit('b'), commit('c')],
        remotes: { origin: 'new', backup: 'far' },
      },
    })
    expect<unknown>(changed.position).toBe(0)
    expect(await store.updateRepo(fresh.id, {})).toEqual(changed)
    const nowhere = 'nowhere' as RepoId
    expect(await refusalOf(store.updateRepo(nowhere, {}))).toBe('not_found/repo')
    expect(await store.repo(nowhere)).toBe(null)
  })

  test('are told once where trunk is and whose it is: what is known stays', async () => {
    const fresh = newRepo({ trunkCommit: null })
    await store.createRepo(fresh, ada)
    const first = { firstTrunk: commit('d'), trunkHome: 'clone-1' }
    const known = await store.updateRepo(fresh.id, first)
    expect([known.trunkCommit, known.trunkHome]).toEqual([commit('d'), 'clone-1'])
    const told = { firstTrunk: commit('e'), trunkHome: 'clone-2' }
    expect(await store.updateRepo(fresh.id, told)).toEqual(known)
  })

  test('know who ever wrote to them', async () => {
    const { repo } = await repoWithTask(store)
    for (const actor of ['\u{1f600}', '\ufb00', 'Zoe', 'ada'])
      await store.createTask(repo, newTask(), { ...bob, actor })
    expect(await store.actorsOf(repo)).toEqual(['Zoe', 'ada', '\ufb00', '\u{1f600}'])
    const kinds = 'SELECT kind FROM repo_actor WHERE repo = $1 AND actor = $2'
    expect(await opened.query(kinds, [repo, 'ada'])).toEqual([{ kind: 'human' }])
  })

  test('go by the clock of the database', async () => {
    const before = Date.parse(await store.now())
    await opened.query('UPDATE clock_shift SET millis = 3600000')
    const shifted = Date.parse(await store.now()) - before
    await opened.query('UPDATE clock_shift SET millis = 0')
    expect(Math.round(shifted / 60_000)).toBe(60)
  })
})
