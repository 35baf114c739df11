import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import type { Output } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import type { RecordId } from '../../src/domain/record.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import { recordKey, vectorKey } from '../../src/domain/vector-key.ts'
import { type BuiltinEmbedder, loadBuiltinEmbedder } from '../../src/index/embedder-builtin.ts'
import { openEngine } from '../../src/index/engine.ts'
import { MemoryVectors } from '../../src/index/vectors.ts'
import { CodeIndexes, type RepoIndex } from '../../src/ops/code-indexes.ts'
import { SemanticRecords, shelvesOf } from '../../src/ops/semantic-records.ts'
import { SemanticTexts } from '../../src/ops/semantic-texts.ts'
import type { Store } from '../../src/store/store.ts'
import { QdrantStandIn } from '../index/qdrant-stand-in.ts'
import { EmbeddingServer } from '../support/embedding-server.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'
import { type File, keyOf, send, TREE } from './small-shop.ts'

setDefaultTimeout(120_000)

const FILES: readonly File[] = [
  { path: 'src/colour.ts', text: 'export function mixPaint(red: number) {}\n' },
]
const NOWHERE = {
  ...{ embedUrl: '', embedModel: 'letters', embedKey: '', qdrantUrl: '', qdrantApiKey: '' },
}
const engineOf = (more: Partial<typeof NOWHERE>) => () => openEngine({ ...NOWHERE, ...more })
const ADA = agent('ada')

type Edit = { readonly path: string; readonly blob: string; readonly gone: boolean }

let store: Store
let office: Office
let task: string
let owner: Caller
let qdrant: QdrantStandIn
beforeEach(async () => {
  store = (await freshStore()).store
  office = await Office.open(store)
  ;({ task, owner } = await office.task('Check login credentials', ADA))
  await send(office, FILES, FILES)
  qdrant = new QdrantStandIn()
})
afterEach(() => qdrant.close())

async function pack(
  by = office,
  explain = true,
  overlay: readonly Edit[] = [],
): Promise<Output<'pack'>> {
  return by.call('pack', {
    ...{ repo: office.repo, view: { tree: TREE, overlay }, task, focus: [], budget: 800 },
    ...{ explain, changed: [], indexing: false },
  })
}

async function decided(summary: string, supersedes: readonly string[] = []): Promise<string> {
  const { id } = await office.record(task, owner, summary, { supersedes: [...supersedes] })
  return id
}

/** Of another task: what the goal's task itself recorded would be a candidate anyway. */
async function decidedElsewhere(summary: string): Promise<string> {
  const { task: other, owner: bob } = await office.task(`About ${summary}`, agent('bob'))
  return (await office.record(other, bob, summary)).id
}

/** Keys of the repo's records in Qdrant, sorted. */
function recordsInQdrant(): string[] {
  const points = [...qdrant.collections.values()].flatMap(({ points }) => [...points.values()])
  return points.flatMap(({ payload: { key } }) => (/^r:/.test(`${key}`) ? [`${key}`] : [])).sort()
}

async function currentRecords(): Promise<string[]> {
  const all = await store.recordsAfter(office.repo as RepoId, 0 as never, 1_000)
  const current = all.filter(({ purged, supersededBy }) => !purged && supersededBy.length === 0)
  return current.map(({ id }) => id as string).sort()
}

describe('records by meaning', () => {
  test('finds one that no word of the goal names, and says by which list', async () => {
    const password = await decidedElsewhere('Authenticate users by their password hash')
    await decidedElsewhere('Paint is mixed from three colours')
    const { explanation, text } = await pack()
    expect(explanation).toMatch(new RegExp(`${password}.*: semantic #\\d`))
    expect(explanation).toContain('score and tier of every line agree')
    const [passwords, paint] = ['password hash', 'three colours'].map((s) => text.indexOf(s))
    expect(passwords).toBeGreaterThan(0)
    expect(paint === -1 || paint! > passwords!).toBe(true)
  })

  test('come by position: a second search asks an endpoint for none it knows', async () => {
    const server = new EmbeddingServer()
    office.restart(engineOf({ embedUrl: server.url, qdrantUrl: qdrant.url }))
    await decided('Passwords are hashed')
    await pack()
    const asked = server.texts.length
    await decided('Tokens expire')
    await pack()
    expect(server.texts.slice(asked)).toEqual(['Tokens expire'])
    await server.close()
  })
})

describe('a record that is superseded', () => {
  test('leaves the index, in the daemon and in Qdrant', async () => {
    const vectors = new MemoryVectors()
    const embedder = await loadBuiltinEmbedder()
    const beside = office.beside(async () => ({
      ...{ embedder, vectors: () => vectors, isRemote: false },
    }))
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const old = await decided('Passwords are hashed with md5')
    await pack()
    await pack(beside)
    expect(recordsInQdrant()).toContain(old)
    const shelf = shelvesOf(office.repo as RepoId)[1]!
    const key = recordKey(old as RecordId)
    expect(await vectors.missing(shelf, [key])).toEqual([])
    await decided('Passwords are hashed with argon2', [old])
    expect((await pack()).text).toBe((await pack(beside)).text)
    expect(recordsInQdrant()).toEqual(await currentRecords())
    expect(await vectors.missing(shelf, [key])).toEqual([key])
  })

  test('while another model was in use is not found by the first one afterwards', async () => {
    const server = new EmbeddingServer()
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const old = await decided('Passwords are hashed with md5')
    await pack()
    office.restart(engineOf({ embedUrl: server.url, qdrantUrl: qdrant.url }))
    await decided('Passwords are hashed with argon2', [old])
    expect((await pack()).degraded).toEqual([])
    expect(qdrant.collections.size).toBe(2)
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const again = await pack()
    expect(again).toEqual(await pack(office.beside()))
    expect(recordsInQdrant()).not.toContain(old)
    await server.close()
  })
})

describe('a record that is purged', () => {
  test('leaves the index of this daemon at once, and of another with its next pack', async () => {
    const vectors = new MemoryVectors()
    const embedder = await loadBuiltinEmbedder()
    const beside = office.beside(async () => ({
      ...{ embedder, vectors: () => vectors, isRemote: false },
    }))
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const secret = await decided('The password is hunter two')
    await pack()
    await pack(beside)
    await office.call('purge', { repo: office.repo, id: secret })
    expect(recordsInQdrant()).toEqual([])
    const [shelf, key] = [shelvesOf(office.repo as RepoId)[1]!, recordKey(secret as RecordId)]
    expect(await vectors.missing(shelf, [key])).toEqual([])
    expect((await pack(beside)).text).toBe((await pack()).text)
    expect(await vectors.missing(shelf, [key])).toEqual([key])
    expect(recordsInQdrant()).toEqual(await currentRecords())
  })

  test('leaves Qdrant though that was down, when it is searched again', async () => {
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    const secret = await decided('The password is hunter two')
    await pack()
    qdrant.trouble = () => new Response('', { status: 503 })
    await office.call('purge', { repo: office.repo, id: secret })
    qdrant.trouble = null
    expect(recordsInQdrant()).toContain(secret)
    office.restart(engineOf({ qdrantUrl: qdrant.url }))
    await pack()
    expect(recordsInQdrant()).toEqual(await currentRecords())
  })

  test('while another daemon reads the log does not stay in what that one read', async () => {
    const secret = await decided('The password is hunter two')
    const indexes = new CodeIndexes(store)
    const repo = (await store.repo(office.repo as RepoId))!
    const begun = indexes.of(repo.id)
    await begun.catchUp(repo.position)
    await office.call('purge', { repo: office.repo, id: secret })
    const index = await indexes.current(repo)
    expect(index).not.toBe(begun)
    expect(index.lexical.hasRecord(secret as RecordId)).toBe(false)
    expect(await indexes.current(repo)).toBe(index)
  })

  test('leaves no vector in the store', async () => {
    const server = new EmbeddingServer()
    office.restart(engineOf({ embedUrl: server.url }))
    const secret = await decided('The password is hunter two')
    await pack()
    const hash = [vectorKey('The password is hunter two')]
    const kept = () => store.vectors(office.repo as RepoId, 'http-letters', hash)
    expect((await kept()).length).toBe(1)
    await office.call('purge', { repo: office.repo, id: secret })
    await pack()
    expect(await kept()).toEqual([])
    await server.close()
  })
})

test('vectors that another daemon dropped are missed, and made anew', async () => {
  office.restart(engineOf({ qdrantUrl: qdrant.url }))
  await decided('Passwords are hashed')
  const before = await pack()
  const beside = office.beside(engineOf({ qdrantUrl: qdrant.url }))
  await beside.call('index.drop', { repo: office.repo })
  await send(beside, FILES, FILES)
  expect(await pack()).toEqual(before)
  expect(recordsInQdrant()).toEqual(await currentRecords())
})

test('code that nobody stands on any more makes room for what is searched', async () => {
  const embedder = await loadBuiltinEmbedder()
  const full = new MemoryVectors(7 * 256)
  office.restart(async () => ({ embedder, vectors: () => full, isRemote: false }))
  expect((await pack()).degraded).toEqual([])
  const ticket = { path: 'src/ticket.ts', text: 'export function printTicket() {}\n' }
  await send(office, FILES, [ticket])
  const overlay = [{ path: ticket.path, blob: keyOf(ticket), gone: false }]
  await decided('Tickets are printed twice')
  await decided('Passwords are hashed')
  const { degraded, text } = await pack(office, true, overlay)
  expect(degraded).toEqual([])
  expect(text).toContain('printTicket')
  expect(text).toBe((await pack(office.beside(), true, overlay)).text)
})

const SUMMARIES = [
  ...['Passwords are hashed', 'Sessions end after a day', 'Paint dries slowly', 'Users sign in'],
  ...['Tokens are signed', 'Colours are mixed by weight', 'Retry logins thrice', 'Log nothing'],
]

test('whatever was recorded, replaced, purged and restarted, all daemons give one pack', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('record'), n: fc.nat(1_000) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('supersede'), n: fc.nat(1_000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('purge'), n: fc.nat(1_000) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restart', 'lost'), n: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('pack'), n: fc.nat(9) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      store = (await freshStore()).store
      office = await Office.open(store)
      ;({ task, owner } = await office.task('Check login credentials', ADA))
      await send(office, FILES, FILES)
      for (const { points } of qdrant.collections.values()) points.clear()
      const onQdrant = office.beside(engineOf({ qdrantUrl: qdrant.url }))
      const ids: string[] = []
      for (const { do: what, n } of steps) {
        const summary = SUMMARIES[n % SUMMARIES.length]!
        if (what === 'record') ids.push(await decided(summary))
        if (what === 'supersede' && ids.length > 0) {
          const [old] = ids.splice(n % ids.length, 1)
          ids.push(await decided(`No longer: ${summary}`, [old!]))
        }
        if (what === 'purge' && ids.length > 0) {
          const [secret] = ids.splice(n % ids.length, 1)
          await [office, onQdrant][n % 2]!.call('purge', { repo: office.repo, id: secret! })
        }
        if (what === 'restart') onQdrant.restart(engineOf({ qdrantUrl: qdrant.url }))
        if (what === 'lost') for (const { points } of qdrant.collections.values()) points.clear()
        if (what === 'pack') await pack([office, onQdrant][n % 2])
      }
      const [memory, remote] = [await pack(office, false), await pack(onQdrant, false)]
      expect(remote.text).toBe(memory.text)
      expect((await pack(office.beside(), false)).text).toBe(memory.text)
      expect(recordsInQdrant()).toEqual(await currentRecords())
    }),
    { seed: 12, numRuns: 8 },
  )
})

describe('where only some records are compared', () => {
  let index: RepoIndex
  let records: SemanticRecords
  let vectors: MemoryVectors
  let embedder: BuiltinEmbedder
  const repo = () => office.repo as RepoId
  const engine = () => ({ embedder, vectors: () => vectors, isRemote: false })
  async function closest(asked: readonly string[] | null): Promise<readonly string[]> {
    const row = (await store.repo(repo()))!
    index = await indexes.current(row)
    const compared = { repo: repo(), asked: asked as readonly RecordId[] | null }
    await records.put(engine(), vectors, index, compared)
    const query = embedder.vectorOf('hash of a password')!
    return records.search(vectors, index, compared, query)
  }
  let indexes: CodeIndexes
  beforeEach(async () => {
    indexes = new CodeIndexes(store)
    records = new SemanticRecords(store, new SemanticTexts(store))
    vectors = new MemoryVectors()
    embedder = await loadBuiltinEmbedder()
  })

  test('those, in the order in which all would come', async () => {
    const ids: string[] = []
    for (const summary of SUMMARIES) ids.push(await decided(summary))
    const asked = ids.filter((_, at) => at % 2 === 0)
    const some = await closest(asked)
    expect([...some].sort()).toEqual(asked.toSorted())
    const all = await closest(null)
    expect(all.filter((id) => asked.includes(id))).toEqual([...some])
  })

  test('one that is superseded leaves, and all when one is purged', async () => {
    const [a, b, c] = [await decided('One'), await decided('Two'), await decided('Three')]
    const held = async () => {
      const keys = [a, b, c].map((id) => recordKey(id as RecordId))
      const missing = await vectors.missing(shelvesOf(repo())[2]!, keys)
      return [a, b, c].filter((id) => !missing.includes(recordKey(id as RecordId)))
    }
    await closest([a, b, c])
    expect(await held()).toEqual([a, b, c])
    await decided('Zwei', [b])
    expect(await closest([a])).toEqual([a])
    expect(await held()).toEqual([a, c])
    await office.call('purge', { repo: repo(), id: c })
    await closest([a])
    expect(await held()).toEqual([a])
  })

  test('what was compared before with all of them is let go', async () => {
    const id = await decided('One')
    await closest(null)
    await closest([id])
    expect(await vectors.count(shelvesOf(repo())[1]!)).toBe(0)
    await closest(null)
    expect(await vectors.count(shelvesOf(repo())[2]!)).toBe(0)
  })
})
