import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { symbolHash, textHash } from '../../src/domain/anchor.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'
import { type File, send, TREE } from './small-shop.ts'

setDefaultTimeout(60_000)

const REFRESH = '  refresh(now: number) {\n    return now + 15\n  }'
const SESSION = `export class Session {\n${REFRESH}\n}\n`
const CLOSE = 'export function closeShop(hour: number) {\n  return hour > 20\n}\n'
/** What was anchored at src/session.ts and src/close.ts, after folder, files and names have changed. */
const NOW: readonly File[] = [
  { path: 'lib/user/visit.ts', text: SESSION },
  { path: 'lib/hours.ts', text: `// opening hours\n${CLOSE.replaceAll('closeShop', 'isClosed')}` },
]
const VIEW = { tree: TREE, overlay: [] }
const METHOD = {
  path: 'src/session.ts',
  symbol: 'Session.refresh',
  hash: symbolHash(REFRESH, 'refresh'),
}
const FILE = { path: 'src/session.ts', symbol: null, hash: textHash(SESSION) }
const FUNCTION = {
  path: 'src/close.ts',
  symbol: 'closeShop',
  hash: symbolHash(CLOSE.trimEnd(), 'closeShop'),
}

let office: Office
let task: string
let owner: Caller
beforeEach(async () => {
  office = await Office.open((await freshStore()).store)
  ;({ task, owner } = await office.task('Prolong sessions', agent('ada')))
  await send(office, NOW, NOW)
})

const keep = (summary: string, anchors: Sent<'record'>['anchors'], more = {}) =>
  office.record(task, owner, summary, { anchors, ...more })

async function why(path: string, symbol: string | null, more: Partial<Sent<'why'>> = {}) {
  const input = { repo: office.repo, target: path, all: false, limit: 50, view: VIEW }
  const { items, more: cut } = await office.call('why', { ...input, path, symbol, ...more })
  return { found: items.map(({ summary }) => summary), items, cut }
}

async function log(path: string, more: Partial<Sent<'log'>> = {}) {
  const input = { repo: office.repo, all: false, limit: 50, view: VIEW }
  const { items } = await office.call('log', { ...input, path, ...more })
  return items.map(({ summary }) => summary)
}

describe('records of code that moved', () => {
  beforeEach(async () => {
    await keep('Refresh early', [METHOD])
    await keep('One file for sessions', [FILE], { kind: 'note' })
    await keep('Close at eight', [FUNCTION])
  })

  test('are found where it is now: by file, by symbol, by what encloses it', async () => {
    const both = ['One file for sessions', 'Refresh early']
    expect((await why('lib/user/visit.ts', null)).found).toEqual(both)
    expect((await why('lib/user/visit.ts', 'Session.refresh')).found).toEqual(both)
    expect((await why('lib/user/visit.ts', 'Session')).found).toEqual(both)
    expect((await why('lib/user/visit.ts', 'Session.end')).found).toEqual(['One file for sessions'])
    expect((await why('lib/hours.ts', 'isClosed')).found).toEqual(['Close at eight'])
    expect((await why('lib/hours.ts', 'isClosedOn')).found).toEqual([])
  })

  test('say where it was, and at the old place where it went', async () => {
    const anchor = {
      ...FUNCTION,
      mark: 'moved since recorded',
      movedTo: { path: 'lib/hours.ts', symbol: 'isClosed' },
    }
    for (const [path, symbol] of [
      ['lib/hours.ts', 'isClosed'],
      ['src/close.ts', 'closeShop'],
      ['src/close.ts', null],
    ] as const) {
      const { items } = await why(path, symbol)
      expect(items.map(({ anchors }) => anchors)).toEqual([[anchor]])
      expect(items[0]?.marks).toEqual(['moved since recorded'])
    }
  })

  test('are in the log of their file and of the folders above, by task and kind as well', async () => {
    expect(await log('lib/')).toEqual(['Close at eight', 'One file for sessions', 'Refresh early'])
    expect(await log('lib/user/')).toEqual(['One file for sessions', 'Refresh early'])
    expect(await log('lib/', { kind: 'note' })).toEqual(['One file for sessions'])
    const other = await office.task('Something else', agent('ada'))
    expect(await log('lib/', { task: other.task })).toEqual([])
    expect(await log('src/')).toEqual(await log('lib/'))
  })

  test('are not followed without a view, nor while files are missing from the index', async () => {
    expect((await why('lib/hours.ts', null, { view: null })).found).toEqual([])
    const overlay = [{ path: 'src/late.ts', blob: `${'9'.repeat(40)}.typescript`, gone: false }]
    expect((await why('lib/hours.ts', null, { view: { tree: TREE, overlay } })).found).toEqual([])
  })

  test('are not looked for elsewhere when the old place is there and only not indexed', async () => {
    const overlay = [{ path: 'src/close.ts', blob: null, gone: false }]
    const view = { tree: TREE, overlay }
    expect((await why('lib/hours.ts', null, { view })).found).toEqual([])
    const { items } = await why('src/close.ts', null, { view })
    expect(items[0]?.anchors).toEqual([{ ...FUNCTION, mark: null, movedTo: null }])
  })

  test('newest first among those written at the new place, cut where a list is cut', async () => {
    const here = { path: 'lib/hours.ts', symbol: null, hash: textHash(NOW[1]?.text ?? '') }
    await keep('Hours are local', [here])
    await keep('Never on Sundays', [FUNCTION, here])
    const all = ['Never on Sundays', 'Hours are local', 'Close at eight']
    expect(await why('lib/hours.ts', null)).toMatchObject({ found: all, cut: false })
    for (const limit of [1, 2, 3]) {
      const { found, cut } = await why('lib/hours.ts', null, { limit })
      expect([found, cut]).toEqual([all.slice(0, limit), limit < 3])
    }
  })

  test('superseded ones only when all are asked for', async () => {
    const [old] = (await why('lib/hours.ts', null)).items
    await keep('Close at nine', [FUNCTION], { supersedes: [old?.id ?? ''] })
    expect((await why('lib/hours.ts', null)).found).toEqual(['Close at nine'])
    const all = await why('lib/hours.ts', null, { all: true })
    expect(all.found).toEqual(['Close at nine', 'Close at eight'])
    expect((await why('lib/hours.ts', null)).found).toEqual(['Close at nine'])
  })
})

describe('expand', () => {
  const expand = async (id: string, view: Sent<'expand'>['view'] = VIEW) =>
    (await office.call('expand', { repo: office.repo, ids: [id], view })).items[0]?.text

  test('names at a place the records whose code came there, and at a record the place', async () => {
    const { id } = await keep('Close at eight', [FUNCTION])
    const from = 'lib/hours.ts:isClosed (moved from src/close.ts:closeShop)'
    expect(await expand('lib/hours.ts:isClosed')).toEndWith(
      `L2-4 export function isClosed(hour: number)\n  opening hours\n${id} decision: Close at eight [${from}]\n`,
    )
    expect(await expand(id)).toContain(`\nat ${from}\n`)
  })

  test('says of a file, a name and a folder that are gone where their records went', async () => {
    const { id } = await keep('Close at eight', [FUNCTION])
    const went = `It is not among the code at hand here.\n${id} decision: Close at eight [lib/hours.ts:isClosed (moved from src/close.ts:closeShop)]\n`
    for (const given of ['src/close.ts', 'src/close.ts:closeShop', 'src/', 'map:src/']) {
      expect(await expand(given)).toBe(`${given}\n${went}`)
    }
  })

  test('refuses a name that nothing was ever anchored at, whatever the file has', async () => {
    const { path } = NOW[1] ?? { path: '' }
    await keep('Hours are local', [{ path, symbol: null, hash: textHash(NOW[1]?.text ?? '') }])
    const input = { repo: office.repo, ids: [`${path}:isOpen`], view: VIEW }
    expect((await office.refusal('expand', input))?.message).toBe(
      'There is no symbol isOpen in lib/hours.ts.',
    )
  })

  test('takes a colon at the end, and either form of a letter with a mark, for the same place', async () => {
    const file = {
      path: 'lib/größe.ts',
      text: 'export function größe(x: number) {\n  return x\n}\n',
    }
    await send(office, [file], [file])
    const symbol = 'L1-3 export function größe(x: number)\n'
    expect(await expand('lib/größe.ts:')).toEndWith(symbol)
    expect(await expand('lib/größe.ts:größe'.normalize('NFD'))).toEndWith(symbol)
  })

  test('does not take for a task what can be none', async () => {
    const input = { repo: office.repo, ids: ['src/Nothing.ts'], view: VIEW }
    expect(await office.refusal('expand', input)).toMatchObject({
      ...{ code: 'not_found', message: 'There is no src/Nothing.ts here.' },
    })
  })
})
