import { checkClient, type SharedSetting } from '../api/identity.ts'
import { parseInput } from '../api/parse.ts'
import { type CallName, type Input, isCall, type Output, routes } from '../api/routes.ts'
import { answerOf, BODY_BYTES_MAX, type Health, readCaller, refusalOf } from '../api/wire.ts'
import type { Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'
import type { World } from '../world.ts'
import { admit } from './admission.ts'
import { bodyOf } from './body.ts'
import { describeThrown, internalFault } from './failure.ts'
import type { Log } from './log.ts'

export type Server = (request: Request) => Promise<Response>

/** What each route does, given what an operation may touch. */
export type HandlersOn<D> = {
  readonly [N in CallName]: (deps: D, input: Input<N>, caller: Caller) => Promise<Output<N>>
}

export type ServerParts<D> = {
  readonly deps: D
  readonly handlers: HandlersOn<D>
  readonly world: World
  readonly log: Log
  readonly health: () => Health
  readonly shared: readonly SharedSetting[]
  /** Asks for the daemon's end; it comes after the answer was sent. */
  readonly stop: (why: string) => void
  /** True once the end was asked for: calls are refused before they do anything. */
  readonly stopping: () => boolean
  /** Wanted of every request; null on the Unix socket, whose file mode guards it. */
  readonly token: string | null
}

/**
 * A request in, a response out; no socket needed. Health and stop are the same for clients of every
 * version; the rest are the rows of the contract.
 */
export function createServer<D>(parts: ServerParts<D>): Server {
  return async (request) => {
    try {
      admit(request, parts.token)
      const name = new URL(request.url).pathname.replace(/^\/v1\//, '')
      switch (`${request.method} ${name}`) {
        case 'GET health':
          return json(answerOf(parts.health()))
        case 'GET openapi.json':
          return json(await openApi(parts.health().build.id))
        case 'POST stop':
          return json(answerOf(await stop(parts, request)))
        default:
          return await answer(parts, name, request)
      }
    } catch (thrown) {
      return refuse(parts, 'request', thrown)
    }
  }
}

async function openApi(version: string) {
  const { openApiDocument } = await import('./openapi.ts')
  return openApiDocument(version)
}

/** Ends this daemon; given a `pid`, only if it is this one, so that nobody stops its successor. */
async function stop<D>(parts: ServerParts<D>, request: Request) {
  const body = await bodyOf(request, BODY_BYTES_MAX)
  const { pid } = parts.health()
  const stopping = body.pid === undefined || body.pid === pid
  if (stopping) parts.stop('asked to')
  return { stopping, pid }
}

async function answer<D>(parts: ServerParts<D>, name: string, request: Request) {
  const startedMs = performance.now()
  const response = await perform(parts, name, request).catch((thrown) =>
    refuse(parts, name, thrown),
  )
  const ms = (performance.now() - startedMs).toFixed(1)
  parts.log(`${isCall(name) ? name : 'no route'} ${response.status} ${ms} ms`)
  return response
}

async function perform<D>(
  parts: ServerParts<D>,
  name: string,
  request: Request,
): Promise<Response> {
  if (parts.stopping()) throw leaving()
  const { shared } = parts
  const { build, pid, home } = parts.health()
  // Before all else: a client of another version may name a route that is not here.
  const warnings = checkClient(request.headers, { build, pid: pid ?? 0, home, shared })
  if (request.method !== 'POST' || !isCall(name)) throw nothingThere(`${request.method} ${name}`)
  const caller = readCaller(request.headers)
  const raw = await bodyOf(request, BODY_BYTES_MAX)
  return json(answerOf(await dispatch(parts, name, raw, caller), warnings))
}

function dispatch<D, N extends CallName>(
  { deps, handlers }: ServerParts<D>,
  name: N,
  raw: unknown,
  caller: Caller,
): Promise<Output<N>> {
  // The row's own schema made it, so its type is the row's input.
  const input = parseInput(schemaOf(name), raw) as Input<N>
  return handlers[name](deps, input, caller)
}

type Schema = ReturnType<(typeof routes)[CallName]['input']>
const schemas = new Map<CallName, Schema>()

function schemaOf(name: CallName): Schema {
  const built = schemas.get(name) ?? routes[name].input()
  schemas.set(name, built)
  return built
}

const nothingThere = (what: string): Fault =>
  new Fault(
    'not_found',
    `Nothing answers ${what.slice(0, 100)}.`,
    'See `GET /v1/openapi.json` for what does.',
    { detail: { reason: 'no_route' } },
  )

const leaving = (): Fault =>
  new Fault('daemon_unreachable', 'The daemon is about to stop.', 'Repeat the command.', {
    detail: { reason: 'stopping' },
  })

function refuse<D>({ log, world }: ServerParts<D>, what: string, thrown: unknown): Response {
  if (thrown instanceof Fault) {
    // What the user did wrong is theirs to know; what failed here, the log must tell as well.
    if (thrown.status >= 500) log(`${what}: ${thrown.code}: ${describeThrown(thrown)}`)
    return json(refusalOf(thrown), thrown.status)
  }
  const reference = world.randomHex(4)
  log(`${reference} ${what} broke: ${describeThrown(thrown)}`)
  const fault = internalFault(what, reference)
  return json(refusalOf(fault), fault.status)
}

function json(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
