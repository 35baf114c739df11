import { describe, expect, test } from 'bun:test'
import { clientHeaders, sharedSettings } from '../../src/api/identity.ts'
import type { Input } from '../../src/api/routes.ts'
import { callerHeaders } from '../../src/api/wire.ts'
import { createServer, type HandlersOn } from '../../src/daemon/server.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { Fault } from '../../src/domain/fault.ts'
import { seededWorld } from '../../src/world.ts'
import { handlersWith } from './parts.ts'

const NOTHING = { databaseUrl: '', leaseSecs: 1800, idleSecs: 900 }
const BUILD = { id: '0.2.0+aaaa', writtenAtMs: 1_000, program: '/opt/av' }
const MEI: Caller = { actor: 'Mei 芽', kind: 'human', session: 'chat 1', generation: 3 }

function setUp(given: Partial<HandlersOn<object>> = {}, token: string | null = null) {
  const logged: string[] = []
  const stopped: string[] = []
  const server = createServer({
    deps: {},
    handlers: handlersWith({ 'repo.list': async () => ({ items: [] }), ...given }),
    world: seededWorld(7),
    log: (line) => logged.push(line),
    shared: sharedSettings(NOTHING, {}),
    health: () => ({
      ...{ running: true, pid: 41, version: '0.2.0', home: '/home/mei/av', store: 'pglite' },
      ...{ rssBytes: 1, startedAt: null, build: BUILD, protocol: 1, port: null },
    }),
    stop: (why) => stopped.push(why),
    stopping: () => stopped.length > 0,
    token,
  })
  return { server, logged, stopped }
}

type Sent = { readonly body?: string; readonly headers?: Readonly<Record<string, string>> }

function post(route: string, { body = '{}', headers = {} }: Sent = {}): Request {
  const own = { 'content-type': 'application/json', 'av-actor': 'mei' }
  return new Request(`http://av/v1/${route}`, {
    method: 'POST',
    headers: { ...own, ...headers },
    body,
  })
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Request(`http://av${path}`, { headers })

async function refusal(response: Response) {
  const body = (await response.json()) as {
    readonly ok: boolean
    readonly error: {
      readonly code: string
      readonly message: string
      readonly remediation: string
      readonly detail: { readonly reason?: string }
    }
  }
  return { status: response.status, ...body.error, reason: body.error.detail.reason }
}

describe('a call', () => {
  test('is answered with data and warnings', async () => {
    const { server, logged } = setUp()
    const response = await server(post('repo.list'))
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ ok: true, data: { items: [] }, warnings: [] })
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatch(/^repo\.list 200 \d+\.\d ms$/)
  })

  test('reaches its handler with defaults filled in, and the caller as sent', async () => {
    const seen: [Input<'log'>, Caller][] = []
    const { server } = setUp({
      log: async (_, input, caller) => {
        seen.push([input, caller])
        return { items: [], more: false }
      },
    })
    const body = JSON.stringify({ repo: 'ab', path: null, view: null })
    await server(post('log', { body, headers: callerHeaders(MEI) }))
    expect(seen).toEqual([[{ repo: 'ab', path: null, view: null, all: false, limit: 50 }, MEI]])
  })

  test('with a field that is not known is refused, and the log keeps nothing of it', async () => {
    const { server, logged } = setUp()
    const refused = await refusal(await server(post('repo.list', { body: '{"hunter2":1}' })))
    expect(refused.status).toBe(400)
    expect(refused.code).toBe('bad_input')
    expect(refused.message).toContain('hunter2')
    expect(logged.join()).not.toContain('hunter2')
  })

  test('without a name is refused; without a kind it is an agent', async () => {
    const kinds: string[] = []
    const { server } = setUp({
      'repo.list': async (_deps, _input, caller) => {
        kinds.push(caller.kind)
        return { items: [] }
      },
    })
    await server(post('repo.list'))
    expect(kinds).toEqual(['agent'])
    const nameless = await server(post('repo.list', { headers: { 'av-actor': '' } }))
    expect((await refusal(nameless)).reason).toBe('bad_header')
  })

  for (const [what, headers] of Object.entries({
    'a name over two lines': { 'av-actor': 'a%0Ab' },
    'a name of 65 characters': { 'av-actor': 'a'.repeat(65) },
    'a name that is no UTF-8': { 'av-actor': '%ff' },
    'an unknown kind': { 'av-actor-kind': 'root' },
    'a generation that is no number': { 'av-generation': '1e3' },
  })) {
    test(`with ${what} is refused`, async () => {
      const { server } = setUp()
      const refused = await refusal(await server(post('repo.list', { headers })))
      expect([refused.status, refused.reason]).toEqual([400, 'bad_header'])
    })
  }

  test('that a handler refuses carries the fault as it was thrown', async () => {
    const { server } = setUp({
      'task.show': async () => {
        throw new Fault('claim_lost', 'Kai owns it.', 'Ask Kai.', { detail: { owner: 'Kai' } })
      },
    })
    const response = await server(post('task.show', { body: '{"repo":"ab"}' }))
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      ok: false,
      error: {
        code: 'claim_lost',
        message: 'Kai owns it.',
        remediation: 'Ask Kai.',
        detail: { owner: 'Kai' },
      },
    })
  })

  test('that hits a defect names a reference which the log explains, without contents', async () => {
    const { server, logged } = setUp({
      'repo.list': async () => {
        throw new Error('Failed query: select 1\nparams: the secret plan', {
          cause: new TypeError('x is not a function'),
        })
      },
    })
    const refused = await refusal(await server(post('repo.list')))
    expect([refused.status, refused.code]).toEqual([500, 'internal'])
    const reference = /reference ([0-9a-f]{8})/.exec(refused.message)?.[1] ?? 'none'
    const line = logged.find((text) => text.startsWith(reference)) ?? ''
    expect(line).toContain('repo.list broke: Error: Failed query: select 1')
    expect(line).toContain('TypeError: x is not a function')
    expect(line).toContain('server.test.ts')
    expect(logged.join()).not.toContain('secret plan')
    expect(JSON.stringify(refused)).not.toContain('select')
  })
})

describe('a body', () => {
  const MIB = 1024 * 1024
  const filled = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`

  test('of exactly 8 MiB is read, one byte more is too large', async () => {
    const { server } = setUp()
    const fits = await refusal(await server(post('repo.list', { body: filled(8 * MIB) })))
    expect([fits.code, fits.message]).toEqual(['bad_input', 'Unknown field x.'])
    const over = await refusal(await server(post('repo.list', { body: filled(8 * MIB + 1) })))
    expect([over.status, over.code, over.reason]).toEqual([413, 'too_large', 'body'])
  })

  test('without a declared length is cut off at the limit', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        if (pulled > 100) controller.close()
        else controller.enqueue(new Uint8Array(MIB).fill(32))
      },
    })
    const request = new Request('http://av/v1/repo.list', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'av-actor': 'mei' },
      body,
    })
    const refused = await refusal(await setUp().server(request))
    expect(refused.code).toBe('too_large')
    expect(pulled).toBeLessThan(20)
  })

  const bodies: Readonly<Record<string, { readonly sent: Sent; readonly reason: string }>> = {
    'of another type': {
      sent: { headers: { 'content-type': 'text/plain' } },
      reason: 'content_type',
    },
    'of a type that only begins alike': {
      sent: { headers: { 'content-type': 'application/jsonp' } },
      reason: 'content_type',
    },
    'that is no JSON': { sent: { body: '{"a":' }, reason: 'not_json' },
    'that is a list': { sent: { body: '[]' }, reason: 'not_an_object' },
    'that is empty': { sent: { body: '' }, reason: 'not_json' },
  }
  for (const [what, { sent, reason }] of Object.entries(bodies)) {
    test(`${what} is refused`, async () => {
      const refused = await refusal(await setUp().server(post('repo.list', sent)))
      expect([refused.status, refused.reason]).toEqual([400, reason])
    })
  }

  test('that is not UTF-8 is refused', async () => {
    const request = new Request('http://av/v1/repo.list', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'av-actor': 'mei' },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    })
    expect((await refusal(await setUp().server(request))).reason).toBe('not_utf8')
  })
})

describe('who is let in', () => {
  test('on the Unix socket: not a page, whatever host it names', async () => {
    const { server } = setUp()
    for (const headers of [{ host: 'evil.example' }, { host: 'av:80' }, { origin: 'http://av' }]) {
      const refused = await refusal(await server(get('/v1/health', headers)))
      expect([refused.status, refused.code]).toEqual([401, 'unauthorized'])
    }
    expect((await server(get('/v1/health', { host: 'localhost' }))).status).toBe(200)
  })

  test('over TCP: only with the token, on every path, from this machine', async () => {
    const { server } = setUp({}, 's3cret')
    const local = { host: '127.0.0.1:8080' }
    const right = { ...local, authorization: 'Bearer s3cret' }
    for (const path of ['/v1/health', '/v1/openapi.json', '/', '/v1/stop']) {
      for (const headers of [
        local,
        { ...local, authorization: 'Bearer s3cre' },
        { ...local, authorization: 's3cret' },
        { host: 'rebound.example:8080', authorization: 'Bearer s3cret' },
        { ...right, origin: 'http://127.0.0.1:8080' },
      ]) {
        expect((await server(get(path, headers))).status).toBe(401)
      }
    }
    expect((await server(get('/v1/health', right))).status).toBe(200)
    expect((await server(post('repo.list', { headers: right }))).status).toBe(200)
  })
})

describe('what is not there', () => {
  for (const [what, request] of Object.entries({
    'an unknown route': post('nothing.here'),
    'a command that runs at the caller': post('config.set'),
    'a call by GET': get('/v1/repo.list'),
    'the root': get('/'),
    'a name every object has': post('constructor'),
  })) {
    test(`${what} is not found`, async () => {
      const refused = await refusal(await setUp().server(request))
      expect([refused.status, refused.reason]).toEqual([404, 'no_route'])
    })
  }
})

describe('a client', () => {
  const as = (id: string, settings: Parameters<typeof sharedSettings>[0] = NOTHING) =>
    clientHeaders({ ...BUILD, id }, sharedSettings(settings, {}))

  test('of the same build and settings is served', async () => {
    const { server } = setUp()
    expect((await server(post('repo.list', { headers: as('0.2.0+aaaa') }))).status).toBe(200)
  })

  test('of another build is refused, on unknown routes too, but health and stop answer it', async () => {
    const { server, stopped } = setUp()
    for (const route of ['repo.list', 'a.route.to.come']) {
      const response = await server(post(route, { headers: as('0.3.0+bbbb') }))
      expect(response.status).toBe(409)
      expect(await response.json()).toMatchObject({
        ok: false,
        error: { code: 'conflict', detail: { reason: 'version_skew', build: BUILD, pid: 41 } },
      })
    }
    expect((await server(get('/v1/health', as('0.3.0+bbbb')))).status).toBe(200)
    expect((await server(post('stop', { headers: as('0.3.0+bbbb') }))).status).toBe(200)
    expect(stopped).toEqual(['asked to'])
  })

  test('with another database is refused, by name and without a password', async () => {
    const { server } = setUp()
    const databaseUrl = 'postgres://mei:hunter2@db.example:5433/av?sslkey=k'
    const headers = as('0.2.0+aaaa', { ...NOTHING, databaseUrl })
    const refused = await refusal(await server(post('repo.list', { headers })))
    expect([refused.status, refused.code, refused.reason]).toEqual([
      409,
      'conflict',
      'other_settings',
    ])
    expect(refused.message).toBe(
      'The daemon of AV_HOME /home/mei/av was started with another AV_DATABASE_URL: this command has postgres://mei@db.example:5433/av, not pglite.',
    )
  })

  test('with another lease is served, and told that it does not count', async () => {
    const { server } = setUp()
    const headers = as('0.2.0+aaaa', { ...NOTHING, leaseSecs: 60 })
    const response = await server(post('repo.list', { headers }))
    expect(await response.json()).toEqual({
      ok: true,
      data: { items: [] },
      warnings: [
        'AV_LEASE_SECS 60 does not count yet: the running daemon has 1800 until `av daemon stop`.',
      ],
    })
  })
})

describe('stop', () => {
  test('meant for another daemon leaves this one alone', async () => {
    const { server, stopped } = setUp()
    const response = await server(post('stop', { body: '{"pid":40}' }))
    expect(await response.json()).toEqual({
      ok: true,
      data: { stopping: false, pid: 41 },
      warnings: [],
    })
    expect(stopped).toEqual([])
  })

  test('once asked for, no call is begun any more', async () => {
    let begun = 0
    const { server } = setUp({
      'repo.list': async () => {
        begun++
        return { items: [] }
      },
    })
    await server(post('stop', { body: '{"pid":41}' }))
    const refused = await refusal(await server(post('repo.list')))
    expect([refused.status, refused.reason, begun]).toEqual([503, 'stopping', 0])
  })
})

test('the OpenAPI document has every call, with its fields and without what only help uses', async () => {
  const response = await setUp().server(get('/v1/openapi.json'))
  const document = (await response.json()) as {
    readonly openapi: string
    readonly paths: Readonly<Record<string, { readonly post: { readonly requestBody: object } }>>
  }
  expect(document.openapi).toBe('3.1.0')
  expect(Object.keys(document.paths)).toContain('/v1/task.start')
  expect(Object.keys(document.paths)).not.toContain('/v1/daemon.stop')
  const schema = JSON.stringify(document.paths['/v1/task.start']?.post.requestBody)
  expect(schema).toContain('What the task is to reach.')
  expect(schema).not.toMatch(/"(?:positional|supplied|short|flag)":/)
})
