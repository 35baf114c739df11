import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Output } from '../../src/api/routes.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import { vectorKey } from '../../src/domain/vector-key.ts'
import { openEngine } from '../../src/index/engine.ts'
import type { Store } from '../../src/store/store.ts'
import { QdrantStandIn } from '../index/qdrant-stand-in.ts'
import { EmbeddingServer } from '../support/embedding-server.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'
import { type File, send, TREE } from './small-shop.ts'

setDefaultTimeout(60_000)

const FILES: readonly File[] = [
  { path: 'src/authenticate.ts', text: 'export function verifyPassword(user: string) {}\n' },
  { path: 'src/colour.ts', text: 'export function mixPaint(red: number) {}\n' },
  { path: 'src/queue.ts', text: 'export function enqueueJob(job: string) {}\n' },
  { path: 'src/ticket.ts', text: 'export function printTicket(seat: number) {}\n' },
]
const VIEW = { tree: TREE, overlay: [] }
const NOWHERE = {
  embedUrl: '',
  embedModel: 'letters',
  embedKey: '',
  qdrantUrl: '',
  qdrantApiKey: '',
}
const engineOf = (more: Partial<typeof NOWHERE>) => () => openEngine({ ...NOWHERE, ...more })

let store: Store
let office: Office
let task: string
const closing: { close(): Promise<void> }[] = []
beforeEach(async () => {
  store = (await freshStore()).store
  office = await Office.open(store)
  task = (await office.task('Check login credentials', agent('ada'))).task
  await send(office, FILES, FILES)
})
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close()
})

function pack(): Promise<Output<'pack'>> {
  return office.call('pack', {
    ...{ repo: office.repo, view: VIEW, task, focus: [], budget: 800, explain: true },
    ...{ changed: [], indexing: false },
  })
}

function opened<T extends { close(): Promise<void> }>(each: T): T {
  closing.push(each)
  return each
}

describe('the built-in table', () => {
  test('finds what no word of the goal names, and says so', async () => {
    const { degraded, explanation, text } = await pack()
    expect(degraded).toEqual([])
    expect(text).toContain('src/authenticate.ts')
    expect(explanation).toMatch(/src\/authenticate\.ts: .*semantic #1/)
    expect(explanation).toMatch(/index v1 table-[0-9a-f]{12}-\d+\/2, code /)
    expect(explanation).toContain('score and tier of every line agree')
  })

  test('gives the same bytes after a restart, and in whatever order the code came', async () => {
    const before = await pack()
    office.restart()
    expect(await pack()).toEqual(before)
    const { store: other } = await freshStore()
    const again = await Office.open(other)
    await send(again, FILES, FILES.toReversed())
    const { id } = await again.call('task.start', {
      ...{ goal: 'Check login credentials', repo: again.repo, base: null },
    })
    const same = await again.call('pack', {
      ...{ repo: again.repo, view: VIEW, task: id, focus: [], budget: 800, explain: false },
      ...{ changed: [], indexing: false },
    })
    const codeOf = (text: string) => text.slice(text.indexOf('## Map'))
    expect(codeOf(same.text)).toBe(codeOf(before.text))
  })

  test('that cannot be read costs the semantic lists, not the pack', async () => {
    office.restart(() => Promise.reject(new RangeError('the token table is cut short')))
    const { degraded, text, explanation } = await pack()
    expect(degraded).toEqual(['semantic'])
    expect(text).toContain('degraded: semantic\n')
    expect(explanation).toContain('index v1, code ')
    office.restart()
    expect((await pack()).degraded).toEqual([])
  })
})

describe('an endpoint', () => {
  test('is asked once for each text, by whichever daemon, and its answers are kept', async () => {
    const server = opened(new EmbeddingServer())
    office.restart(engineOf({ embedUrl: server.url }))
    const first = await pack()
    expect(first.degraded).toEqual([])
    expect(first.explanation).toContain('index v1 http-letters/2, code ')
    // The goal, four files, four symbols.
    expect([server.texts.length, new Set(server.texts).size]).toEqual([9, 9])
    expect(server.texts[0]).toBe('Check login credentials')
    server.forget()
    expect(await pack()).toEqual(first)
    office.restart(engineOf({ embedUrl: server.url }))
    expect(await pack()).toEqual(first)
    expect(server.texts.length).toBe(9)
  })

  test('that is down degrades a pack that needs it, and no other', async () => {
    const server = new EmbeddingServer()
    const engine = engineOf({ embedUrl: server.url })
    office.restart(engine)
    const known = await pack()
    await server.close()
    office.restart(engine)
    expect(await pack()).toEqual(known)
    task = (await office.task('Mix another paint', agent('ada'))).task
    const { degraded, text } = await pack()
    expect(degraded).toEqual(['semantic'])
    expect(text).toContain('src/colour.ts')
  })

  test('that is slow is not waited for; what it says is there for a later pack', async () => {
    const server = opened(new EmbeddingServer())
    const { promise, resolve } = Promise.withResolvers<void>()
    server.gate = promise
    office.restart(engineOf({ embedUrl: server.url }), 50)
    expect((await pack()).degraded).toEqual(['semantic'])
    resolve()
    const repo = office.repo as RepoId
    const goal = [vectorKey('Check login credentials')]
    while ((await store.vectors(repo, 'http-letters', goal)).length === 0) await Bun.sleep(5)
    office.restart(engineOf({ embedUrl: server.url }))
    expect((await pack()).degraded).toEqual([])
    expect(server.texts.filter((text) => text === 'Check login credentials').length).toBe(1)
  })

  test('leaves nothing behind after a purge or a reindex', async () => {
    const server = opened(new EmbeddingServer())
    office.restart(engineOf({ embedUrl: server.url }))
    const repo = office.repo as RepoId
    await pack()
    expect(await store.vectorLength(repo, 'http-letters')).toBe(26)
    await office.call('purge', { repo, id: task })
    expect(await store.vectorLength(repo, 'http-letters')).toBeNull()
    await pack()
    expect(await store.vectorLength(repo, 'http-letters')).toBe(26)
    expect((await office.call('index.drop', { repo })).left).toBe(0)
    expect(await store.vectorLength(repo, 'http-letters')).toBeNull()
  })
})

/** A real server is better; the suite of the index itself says which one it was. */
describe('vectors in Qdrant', () => {
  test('give the same pack as those in the daemon', async () => {
    const before = await pack()
    const qdrant = opened(new QdrantStandIn())
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    expect(await pack()).toEqual(before)
    expect(qdrant.requests.some((request) => request.endsWith('/points/query'))).toBe(true)
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const seen = qdrant.requests.length
    expect(await pack()).toEqual(before)
    expect(qdrant.requests.slice(seen).some((request) => /^PUT .*points/.test(request))).toBe(false)
  })

  test('down in the middle of the work: packs go on without, and come back as they were', async () => {
    const qdrant = opened(new QdrantStandIn())
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const before = await pack()
    qdrant.trouble = () => new Response('', { status: 503 })
    const { degraded, text } = await pack()
    expect(degraded).toEqual(['semantic'])
    expect(text).toContain('degraded: semantic\n')
    qdrant.trouble = null
    expect(await pack()).toEqual(before)
  })

  test('go with a reindex, and are made anew', async () => {
    const qdrant = opened(new QdrantStandIn())
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const before = await pack()
    // By a daemon that has not searched yet.
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    await office.call('index.drop', { repo: office.repo })
    expect(qdrant.requests.some((request) => request.endsWith('/points/delete'))).toBe(true)
    await send(office, FILES, FILES)
    expect(await pack()).toEqual(before)
  })
})
