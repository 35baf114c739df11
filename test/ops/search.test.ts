import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Output, Sent } from '../../src/api/routes.ts'
import { textHash } from '../../src/domain/anchor.ts'
import { freshStore } from '../support/stores.ts'
import { agent, human, Office } from './office.ts'
import { type File, send, TREE } from './small-shop.ts'

setDefaultTimeout(60_000)

const FILES: readonly File[] = [
  {
    path: 'src/session.ts',
    text: 'export class Session {\n  refresh(now: number) {\n    return now\n  }\n}\n',
  },
  { path: 'src/login.ts', text: 'export function login(user: string) {\n  return user\n}\n' },
  { path: 'src/tax.ts', text: 'export function taxOf(price: number) {\n  return price\n}\n' },
  { path: 'docs/login.md', text: '# Login\n\nHow a session is refreshed.\n' },
]

describe('a search', () => {
  let office: Office
  let older: string
  let newer: string
  let task: string
  beforeAll(async () => {
    ;({ office, older, newer, task } = await shop(FILES))
  })
  const search = (words: readonly string[], more: Partial<Sent<'search'>> = {}) =>
    searchIn(office, words, more)
  const named = ({ items }: Output<'search'>) =>
    items.map(({ kind, id, path, symbol }) => (path === null ? id : `${kind} ${path} ${symbol}`))

  test('gives records, code and tasks in one list, the best of each first', async () => {
    const found = await search(['refresh', 'session'])
    expect(named(found).slice(0, 3)).toEqual([newer, 'code src/session.ts Session.refresh', task])
    expect(found.items[0]).toMatchObject({
      ...{ kind: 'record', type: 'decision', summary: 'Refresh the session 30 s early' },
      ...{ task, marks: ['changed since recorded'], path: null },
    })
    expect(found.items[1]).toMatchObject({ type: 'method', line: 2, marks: [] })
    expect(found.items[2]).toMatchObject({
      ...{ kind: 'task', type: 'open', summary: 'Refresh the session at login' },
    })
    expect(found.degraded).toEqual([])
  })

  test('gives one kind where one is asked for', async () => {
    for (const kind of ['record', 'code', 'task'] as const) {
      const { items } = await search(['session'], { kind })
      expect(new Set(items.map((item) => item.kind))).toEqual(new Set([kind]))
    }
  })

  test('leaves superseded records out, unless all are asked for', async () => {
    const current = await search(['refresh', 'early'], { kind: 'record' })
    expect(named(current)).toEqual([newer])
    const all = await search(['refresh', 'early'], { kind: 'record', all: true })
    expect(named(all).toSorted()).toEqual([newer, older].toSorted())
    const old = all.items.find(({ id }) => id === older)
    expect(old?.marks).toEqual(['superseded', 'changed since recorded'])
  })

  test('finds a symbol by its name, a file by its path, a task by its id', async () => {
    expect(named(await search(['Session.refresh'], { kind: 'code' }))[0]).toBe(
      'code src/session.ts Session.refresh',
    )
    expect(named(await search(['src/tax.ts'], { kind: 'code' }))[0]).toStartWith('code src/tax.ts')
    expect(named(await search([task], { kind: 'task' }))).toEqual([task])
  })

  test('a file is told by its symbols; what merely lies near is left out', async () => {
    const { task: of, owner } = await office.task('Set the prices', agent('ben'))
    const anchors = [{ path: 'src/tax.ts', symbol: null, hash: textHash('x') }]
    const { id } = await office.record(of, owner, 'Pelicans pay no duty', { anchors })
    expect(named(await search(['pelicans']))).toEqual([id])
    expect(named(await search(['price'], { kind: 'code' }))).toEqual(['code src/tax.ts taxOf'])
  })

  test('finds tasks that are over', async () => {
    const { task: over, owner } = await office.task('Count the pigeons', agent('ben'))
    await office.call('abandon', { repo: office.repo, task: over, commit: null, yes: true }, owner)
    const { items } = await search(['pigeons'])
    expect(items.map(({ id, type }) => [id, type])).toEqual([[over, 'abandoned']])
  })

  test('finds what was recorded just now', async () => {
    const { task: of, owner } = await office.task('Feed the geese', agent('ben'))
    const { id } = await office.record(of, owner, 'Geese like barley')
    expect(named(await search(['barley']))).toEqual([id])
  })

  test('gives so many at most, and says that there are more', async () => {
    const one = await search(['session'], { limit: 1 })
    expect([one.items.length, one.more]).toEqual([1, true])
    const none = await search(['xylophone'])
    expect([none.items, none.more]).toEqual([[], false])
  })

  test('an id it gave can be expanded', async () => {
    const { items } = await search(['refresh'], { kind: 'code', limit: 1 })
    const ids = items.map(({ id }) => id)
    const shown = await office.call('expand', { repo: office.repo, ids, view: VIEW })
    expect(shown.items[0]?.text).toContain('src/session.ts')
    expect(shown.items[0]?.text).toContain('refresh(now: number)')
  })

  test('without the code, or all of it, says so', async () => {
    expect((await search(['session'], { view: null })).degraded).toEqual(['index'])
    expect((await search(['session'], { view: null, kind: 'task' })).degraded).toEqual([])
    expect((await search(['session'], { indexing: true })).degraded).toEqual(['index'])
  })

  test('nothing that was purged is found, not even among all', async () => {
    const { task: of, owner } = await office.task('Hide the key', agent('ben'))
    const { id } = await office.record(of, owner, 'The key is marzipan')
    expect(named(await search(['marzipan'], { all: true }))).toEqual([id])
    await office.call('purge', { repo: office.repo, id, yes: true }, human('mia'))
    expect((await search(['marzipan'], { all: true })).items).toEqual([])
  })
})

test('the same is found in the same order, however the index was built', async () => {
  const forward = await shop(FILES)
  const backward = await shop(FILES.toReversed())
  backward.office.restart()
  for (const words of [['session'], ['login', 'user'], ['refresh', 'number', 'src/']]) {
    for (const all of [false, true]) {
      const found = await searchIn(forward.office, words, { all })
      expect(found.items.length).toBeGreaterThan(1)
      expect(await searchIn(backward.office, words, { all })).toEqual(found)
    }
  }
})

const VIEW = { tree: TREE, overlay: [] }

function searchIn(office: Office, words: readonly string[], more: Partial<Sent<'search'>>) {
  const asked = { repo: office.repo, words, all: false, limit: 50, view: VIEW, indexing: false }
  return office.call('search', { ...asked, ...more })
}

/** Files, a task, and two records on its code, of which the second replaces the first. */
async function shop(sent: readonly File[]) {
  const office = await Office.open((await freshStore()).store)
  const { task, owner } = await office.task('Refresh the session at login', agent('ada'))
  await send(office, FILES, sent)
  const anchors = [{ path: 'src/session.ts', symbol: 'Session.refresh', hash: textHash('other') }]
  const { id: older } = await office.record(task, owner, 'Refresh 5 s early', { anchors })
  const { id: newer } = await office.record(task, owner, 'Refresh the session 30 s early', {
    ...{ anchors, supersedes: [older] },
  })
  return { office, task, older, newer }
}
