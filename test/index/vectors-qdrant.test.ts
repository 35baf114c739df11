import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { isSemanticFault } from '../../src/index/semantic-fault.ts'
import { type QdrantSettings, QdrantVectors } from '../../src/index/vectors-qdrant.ts'
import { QdrantStandIn } from './qdrant-stand-in.ts'
import { randomEntries, randomVector, SUITE_DIMS, vectorSuite } from './vector-suite.ts'

const REAL = process.env.AV_TEST_QDRANT_URL ?? ''
const whyNot = REAL === '' ? ' (left out: AV_TEST_QDRANT_URL is not set)' : ''
const settings = (url: string, more: Partial<QdrantSettings> = {}): QdrantSettings => ({
  ...{ url, apiKey: '', embedder: 'test', dims: SUITE_DIMS },
  ...more,
})

describe('vectors in a stand-in for Qdrant', () => {
  const standIn = new QdrantStandIn()
  afterAll(() => standIn.close())
  vectorSuite(
    () => new QdrantVectors(settings(standIn.url)),
    (name) => name,
  )
})

describe.skipIf(REAL === '')(`vectors in a real Qdrant${whyNot}`, () => {
  const run = randomUUID()
  const index = new QdrantVectors(
    settings(REAL, { apiKey: process.env.AV_TEST_QDRANT_API_KEY ?? '' }),
  )
  const names = new Set<string>()
  afterAll(async () => {
    for (const name of names) await index.clear(name)
  })
  vectorSuite(
    () => index,
    (name) => {
      names.add(`${run} ${name}`)
      return `${run} ${name}`
    },
  )
})

describe('Qdrant', () => {
  let standIn: QdrantStandIn
  beforeEach(() => {
    standIn = new QdrantStandIn()
  })
  afterEach(() => standIn.close())
  const open = (more: Partial<QdrantSettings> = {}) =>
    new QdrantVectors(settings(standIn.url, more))
  const [one, two] = [randomEntries(3, 31), randomEntries(3, 32)]

  test('gets no text: a point is a vector, its repo and the hash of its text', async () => {
    const index = open()
    await index.upsert('r:shop', one.slice(0, 1), 5)
    expect(index.collection).toBe('av-9f86d081884c-8')
    const stored = JSON.stringify([...standIn.collections.get(index.collection)!.points.values()])
    const [{ key, vector }] = one as [(typeof one)[number]]
    expect(JSON.parse(stored)).toEqual([
      { id: expect.any(String), vector: [...vector], payload: { repo: 'r:shop', key } },
      {
        ...{ id: expect.any(String), vector: [0, 0, 0, 0, 0, 0, 0, 0] },
        payload: { marks: 'r:shop', position: 5 },
      },
    ])
  })

  test('is looked at once, and the collection made once', async () => {
    const index = open()
    await index.upsert('r', one, 1)
    await index.upsert('r', two, 2)
    await open().count('r')
    const made = standIn.requests.filter(
      (request) => request === `PUT /collections/${index.collection}`,
    )
    expect(made).toHaveLength(1)
    expect(standIn.requests.filter((request) => request === 'GET /')).toHaveLength(2)
  })

  test('two that make the collection at once both go on', async () => {
    await Promise.all([open().upsert('r', one, 1), open().upsert('r', two, 2)])
    expect(await open().count('r')).toBe(6)
  })

  test('another embedder, or other dimensions, has another collection', async () => {
    await open().upsert('r', one, 1)
    expect(await open({ embedder: 'other' }).count('r')).toBe(0)
    expect(await open({ dims: 4 }).count('r')).toBe(0)
  })

  test('sends the key, and says when it is refused', async () => {
    standIn.key = 'secret'
    expect(await open({ apiKey: 'secret' }).count('r')).toBe(0)
    expect(await reasonOf(open().count('r'))).toBe('vectors_refused')
  })

  test('is found below a path', async () => {
    await reasonOf(open({ url: `${standIn.url}/vectors/` }).count('r'))
    expect(standIn.requests).toEqual(['GET /vectors/'])
  })

  test('of a version that av does not know is refused', async () => {
    for (const version of ['1.9.7', '2.0.0', '0.11.0']) {
      standIn.version = version
      expect(await reasonOf(open().count('r'))).toBe('vectors_mismatch')
    }
    standIn.version = '1.10.0'
    expect(await open().count('r')).toBe(0)
  })

  test('with a collection of that name that is not ours is refused', async () => {
    for (const vectors of ['{"size":9,"distance":"Dot"}', '{"size":8,"distance":"Cosine"}']) {
      const index = open()
      const body = `{"vectors":${vectors.replace('}', ',"datatype":"float32"}')},"hnsw_config":{"m":0}}`
      await fetch(`${standIn.url}/collections/${index.collection}`, { method: 'PUT', body })
      expect(await reasonOf(index.upsert('r', one, 1))).toBe('vectors_mismatch')
      standIn.collections.clear()
    }
  })

  test('that goes down in between is told, and used again when it is back', async () => {
    const index = open()
    await index.upsert('r', one, 1)
    standIn.trouble = () => new Response('', { status: 503 })
    expect(await reasonOf(index.search('r', randomVector(1), null, 3))).toBe('vectors_unreachable')
    standIn.trouble = null
    expect(await index.search('r', randomVector(1), null, 3)).toHaveLength(3)
  })

  test('that lost its collection in between starts with an empty one', async () => {
    const index = open()
    await index.upsert('r', one, 1)
    standIn.collections.clear()
    expect(await reasonOf(index.search('r', randomVector(1), null, 3))).toBe('vectors_gone')
    expect(await index.position('r')).toBe(-1)
  })

  test('that another daemon cleared, and put other vectors in, is told once', async () => {
    const keys = [...one, ...two].map(({ key }) => key)
    for (const take of [() => open().clear('r'), async () => standIn.collections.clear()]) {
      const index = open()
      await index.upsert('r', [...one, ...two], 1)
      expect(await index.search('r', randomVector(1), keys, 9)).toHaveLength(6)
      await take()
      await open().upsert('r', two, 1)
      expect(await reasonOf(index.search('r', randomVector(1), keys, 9))).toBe('vectors_gone')
      await index.upsert('r', await missingOf(index), 1)
      expect(await index.search('r', randomVector(1), keys, 9)).toHaveLength(6)
    }
    async function missingOf(index: QdrantVectors) {
      const missing = await index.missing('r', keys)
      return [...one, ...two].filter(({ key }) => missing.includes(key))
    }
  })

  test('what this daemon took out itself is not missed', async () => {
    const keys = [...one, ...two].map(({ key }) => key)
    const index = open()
    await index.upsert('r', [...one, ...two], 1)
    await index.search('r', randomVector(1), keys, 9)
    await index.delete('r', [keys[0]!])
    expect(await index.search('r', randomVector(1), keys, 9)).toHaveLength(5)
    await index.clear('r')
    expect(await index.search('r', randomVector(1), keys, 9)).toEqual([])
  })

  test('that is not there, or says nothing, holds nobody up', async () => {
    const nobody = new QdrantVectors(settings('http://127.0.0.1:1'))
    expect(await reasonOf(nobody.count('r'))).toBe('vectors_unreachable')
    const index = open({ searchTimeoutMs: 50 })
    await index.upsert('r', one, 1)
    const { promise, resolve } = Promise.withResolvers<Response>()
    standIn.trouble = () => promise
    expect(await reasonOf(index.search('r', randomVector(1), null, 3))).toBe('vectors_unreachable')
    resolve(new Response())
  })

  test('that refuses what is asked is told, with its reason on one line', async () => {
    const index = open()
    await index.upsert('r', one, 1)
    const error = 'Bad request:\nExact search is not allowed!\u001b[31m'
    standIn.trouble = () => Response.json({ status: { error }, time: 0 }, { status: 400 })
    const thrown = await index.search('r', randomVector(1), null, 3).catch((fault) => fault)
    expect(await reasonOf(Promise.reject(thrown))).toBe('vectors_bad_answer')
    expect(thrown.message).toBe(
      'Qdrant at AV_QDRANT_URL refused what av asked (HTTP 400: Bad request: Exact search is not allowed![31m).',
    )
  })

  test('that is another server is told', async () => {
    for (const answer of ['{"hello":1}', '<html>', '{"version":7}']) {
      standIn.trouble = () =>
        new Response(answer, { headers: { 'content-type': 'application/json' } })
      expect(await reasonOf(open().count('r'))).toBe('vectors_bad_answer')
    }
  })

  test('whose vectors are not as we stored them is told', async () => {
    const index = open()
    await index.upsert('r', one, 1)
    const points = standIn.collections.get(index.collection)!.points
    for (const point of points.values()) point.vector[0]! += 0.5
    expect(await reasonOf(index.search('r', randomVector(1), null, 3))).toBe('vectors_bad_answer')
  })
})

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  return isSemanticFault(thrown) ? thrown.detail.reason : thrown
}
