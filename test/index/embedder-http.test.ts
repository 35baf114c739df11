import { afterAll, beforeEach, expect, test } from 'bun:test'
import { quantise } from '../../src/domain/vector.ts'
import { departureWarning, HttpEmbedder } from '../../src/index/embedder-http.ts'
import { isSemanticFault } from '../../src/index/semantic-fault.ts'

/** Speaks OpenAI's embeddings format: a vector is the counts of a, b, c and d in its text. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const body: unknown = await request.json()
    requests.push({
      path: new URL(request.url).pathname,
      key: request.headers.get('authorization'),
      body,
    })
    return answer(body as Asked)
  },
})
afterAll(() => server.stop(true))

type Asked = { readonly model: string; readonly input: readonly string[] }
let requests: { readonly path: string; readonly key: string | null; readonly body: unknown }[] = []
let answer: (asked: Asked) => Response | Promise<Response>
beforeEach(() => {
  requests = []
  answer = ({ input }) => embeddings(input.map(counts))
})

const counts = (text: string) => ['a', 'b', 'c', 'd'].map((letter) => text.split(letter).length - 1)
const embeddings = (rows: readonly (readonly number[])[]) =>
  Response.json({
    object: 'list',
    model: 'letters',
    data: rows.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  })

function embedder(path = '/v1', key = 'secret', timeoutMs = 5_000): HttpEmbedder {
  const url = `http://127.0.0.1:${server.port}${path}`
  return new HttpEmbedder({ url, model: 'letters', key, timeoutMs })
}

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  return isSemanticFault(thrown) ? thrown.detail.reason : thrown
}

test('texts go out as OpenAI has them, and come back as int8 in their order', async () => {
  answer = ({ input }) =>
    Response.json({
      data: input.map((text, index) => ({ index, embedding: counts(text) })).reverse(),
    })
  const vectors = await embedder().embed(['aab', 'dcd'])
  expect(vectors).toEqual([quantise([2, 1, 0, 0]), quantise([0, 0, 1, 2])])
  const body = { model: 'letters', input: ['aab', 'dcd'], encoding_format: 'float' }
  expect(requests).toEqual([{ path: '/v1/embeddings', key: 'Bearer secret', body }])
})

test('the address may be that of the server, of its /v1, or of the route', async () => {
  for (const path of ['', '/', '/v1', '/v1/', '/v1/embeddings']) await embedder(path).embed(['a'])
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['/v1/embeddings']))
})

test('without a key no header is sent', async () => {
  await embedder('/v1', '').embed(['a'])
  expect(requests[0]!.key).toBeNull()
})

test('many texts go in batches of at most 64 and 64,000 characters', async () => {
  const texts = Array.from({ length: 150 }, (_, at) => 'abcd'.slice(0, 1 + (at % 4)))
  const long = 'a'.repeat(40_000)
  const vectors = await embedder().embed([...texts, long, long])
  expect(vectors).toEqual([...texts, long, long].map((text) => quantise(counts(text))))
  const sizes = requests.map(({ body }) => (body as Asked).input.length)
  expect(sizes).toEqual([64, 64, 23, 1])
})

test('an empty text is not sent and has no vector; nor has a text of no direction', async () => {
  expect(await embedder().embed(['', ' \n', 'zzz', 'b'])).toEqual([
    null,
    null,
    null,
    quantise([0, 1, 0, 0]),
  ])
  expect(requests.map(({ body }) => (body as Asked).input)).toEqual([['zzz', 'b']])
  expect(await embedder().embed([])).toEqual([])
})

test('a refused key, an unknown model and a broken server are told apart', async () => {
  const reasons = []
  for (const status of [401, 403, 400, 404, 429, 500]) {
    answer = () => Response.json({ error: { message: 'no' } }, { status })
    reasons.push(await reasonOf(embedder().embed(['a'])))
  }
  expect(reasons).toEqual([
    ...['embedder_refused', 'embedder_refused', 'embedder_bad_answer', 'embedder_bad_answer'],
    ...['embedder_unreachable', 'embedder_unreachable'],
  ])
})

test('an answer that is no list of vectors is refused', async () => {
  const data = (rows: unknown) => () => Response.json({ data: rows })
  const bad = [
    () => new Response('<html>'),
    data(undefined),
    data([]),
    data([{ index: 0, embedding: [1] }]),
    data([
      { index: 0, embedding: [1, 2] },
      { index: 0, embedding: [1, 2] },
    ]),
    data([
      { index: 0, embedding: [1, 2] },
      { index: 1, embedding: [1] },
    ]),
    data([
      { index: 0, embedding: ['1'] },
      { index: 1, embedding: [null] },
    ]),
    data([
      { index: 0, embedding: [] },
      { index: 1, embedding: [] },
    ]),
  ]
  for (const each of bad) {
    answer = each
    expect(await reasonOf(embedder().embed(['a', 'b']))).toBe('embedder_bad_answer')
  }
})

test('an answer without end is cut off', async () => {
  const chunk = new Uint8Array(1_000_000).fill(0x20)
  let chunks = 0
  answer = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          if (chunks++ < 60) controller.enqueue(chunk)
          else controller.close()
        },
      }),
    )
  expect(await reasonOf(embedder().embed(['a']))).toBe('embedder_bad_answer')
  expect(chunks).toBeLessThan(60)
})

test('texts follow no redirect', async () => {
  answer = () => Response.redirect(`http://127.0.0.1:${server.port}/elsewhere`, 307)
  expect(await reasonOf(embedder().embed(['a']))).toBe('embedder_unreachable')
  expect(requests.map(({ path }) => path)).toEqual(['/v1/embeddings'])
})

test('a server that says nothing is given up; so is one that is not there', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = () => promise
  expect(await reasonOf(embedder('/v1', '', 50).embed(['a']))).toBe('embedder_unreachable')
  resolve(embeddings([[1]]))
  const nobody = new HttpEmbedder({ url: 'http://127.0.0.1:1', model: 'm', key: '' })
  expect(await reasonOf(nobody.embed(['a']))).toBe('embedder_unreachable')
})

test('whoever asked may stop it', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const stop = new AbortController()
  answer = () => {
    stop.abort()
    return promise
  }
  const thrown = await reasonOf(embedder().embed(['a'], stop.signal))
  expect(thrown).toHaveProperty('name', 'AbortError')
  resolve(embeddings([[1]]))
})

test('no message names the host or the key', async () => {
  answer = () => new Response('', { status: 401 })
  const thrown = await embedder()
    .embed(['a'])
    .catch((error: unknown) => error)
  expect(JSON.stringify(thrown) + String(thrown)).not.toMatch(/127\.0\.0\.1|secret/)
})

test('that texts leave the machine is said, unless the address is this machine', () => {
  const here = [
    'http://localhost:11434',
    'http://127.0.0.1:1/v1',
    'http://127.8.0.1',
    'http://[::1]',
  ]
  expect(here.map(departureWarning)).toEqual([null, null, null, null])
  expect(departureWarning('https://user:pass@api.example.com/v1')).toBe(
    'AV_EMBED_URL is another machine: the texts of goals, records and code outlines go to api.example.com.',
  )
  for (const away of ['http://localhost.example.com', 'http://127.0.0.1.example.com']) {
    expect(departureWarning(away)).not.toBeNull()
  }
})

test('the id names the model and no host', () => {
  expect(embedder().id).toBe('http-letters')
})
