import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sent } from '../../src/api/routes.ts'
import { freshStore } from '../support/stores.ts'
import { agent, human, Office } from './office.ts'

setDefaultTimeout(30_000)
let office: Office
beforeEach(async () => {
  office = await Office.open((await freshStore()).store)
})

const ROOT = 'c'.repeat(40)
const ORIGIN = { origin: 'https://example.com/shop.git' }
const clone = (more: Partial<Sent<'init'>>): Sent<'init'> => ({
  ...{ dryRun: false, known: null, folder: 'shop', rootCommits: [ROOT], remotes: {} },
  ...{ trunkName: 'main', trunkCommit: null, clone: 'clone-2', ...more },
})

describe('init in another clone', () => {
  test('with the same history and no remotes on either side is the same repo', async () => {
    const view = await office.call('init', clone({ folder: 'elsewhere' }))
    expect(view).toMatchObject({ id: office.repo, repo: 'shop', created: false })
  })

  test('with another history is another repo, whatever the folder is named', async () => {
    const view = await office.call('init', clone({ rootCommits: ['e'.repeat(40)] }))
    expect(view).toMatchObject({ repo: 'shop-2', created: true })
  })

  test('with the same history and other remotes asks: it may be a fork', async () => {
    const fault = await office.refusal('init', clone({ remotes: ORIGIN }))
    expect(fault).toMatchObject({
      code: 'conflict',
      detail: { reason: 'same_root', repos: ['shop'] },
    })
    const joined = await office.call('init', clone({ remotes: ORIGIN, name: 'shop' }))
    expect(joined).toMatchObject({ id: office.repo, created: false })
    const apart = await office.call('init', clone({ remotes: { origin: 'x:y' }, name: 'fork' }))
    expect(apart).toMatchObject({ repo: 'fork', created: true })
  })

  test('again in the same clone is the same repo, remotes or not', async () => {
    const again = await office.call('init', clone({ known: office.repo, remotes: ORIGIN }))
    expect(again).toMatchObject({ id: office.repo, created: false })
  })

  test('a dry run leaves nothing', async () => {
    const view = await office.call('init', clone({ dryRun: true, rootCommits: ['e'.repeat(40)] }))
    expect(view).toMatchObject({ repo: 'shop-2', created: true, dryRun: true })
    expect((await office.call('repo.list', {})).items).toHaveLength(1)
  })

  test('a name taken by another repo is refused', async () => {
    const other = clone({ rootCommits: ['e'.repeat(40)], name: 'shop' })
    expect((await office.refusal('init', other))?.detail.reason).toBe('name_taken')
  })

  test('a trunk that seems to have another name is said', async () => {
    const view = await office.call('init', clone({ trunkName: 'master' }))
    expect(view.warnings).toEqual(["The repo's trunk is main; this clone's seems to be master."])
  })
})

describe('conventions', () => {
  const rule = (more = {}) => ({
    ...{ repo: office.repo, glob: 'src/**', text: 'No default exports.', required: false, ...more },
  })
  const list = () => ({ repo: office.repo, all: false, limit: 50, path: null })

  test('an agent proposes, a human accepts', async () => {
    const refused = await office.refusal('convention.add', rule(), agent('ada'))
    expect(refused).toMatchObject({ code: 'refused_rule', detail: { reason: 'humans_only' } })
    const { id } = await office.call('convention.propose', rule(), agent('ada'))
    expect((await office.call('convention.list', list())).items).toEqual([])
    const self = await office.refusal('convention.accept', { repo: office.repo, id }, agent('ada'))
    expect(self?.code).toBe('refused_rule')
    await office.call('convention.accept', { repo: office.repo, id }, human('mia'))
    const { items } = await office.call('convention.list', list())
    expect(items.map(({ state, author }) => [state, author])).toEqual([['active', 'ada']])
  })

  test('one for a path is found by its glob', async () => {
    await office.call('convention.add', rule())
    await office.call('convention.add', rule({ glob: 'docs/**' }))
    const { items } = await office.call('convention.list', { ...list(), path: 'docs/a.md' })
    expect(items.map(({ glob }) => glob)).toEqual(['docs/**'])
  })

  test('a retired one is gone from packs and stays readable', async () => {
    const { id } = await office.call('convention.add', rule())
    await office.call('convention.retire', { repo: office.repo, id })
    expect((await office.call('convention.list', list())).items).toEqual([])
    const all = await office.call('convention.list', { ...list(), all: true })
    expect(all.items.map(({ state }) => state)).toEqual(['retired'])
    const again = await office.refusal('convention.accept', { repo: office.repo, id })
    expect(again?.code).toBe('conflict')
  })
})
