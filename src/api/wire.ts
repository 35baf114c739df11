import { ACTOR_KINDS, ACTOR_NAME_MAX, type Caller } from '../domain/actor.ts'
import { FAULTS, Fault, type FaultCode } from '../domain/fault.ts'
import type { Build } from './version.ts'
import type { DaemonView } from './views.ts'

/** How answers, refusals and callers travel. The body is the same object that `--json` prints. */

export const BODY_BYTES_MAX = 8 * 1024 * 1024

export type Answer<T> = {
  readonly ok: true
  readonly data: T
  readonly warnings: readonly string[]
}

export type Refusal = {
  readonly ok: false
  readonly error: Pick<Fault, 'code' | 'message' | 'remediation' | 'detail'>
}

/** What `GET /v1/health` tells a client of any version: fields are added, never changed. */
export type Health = DaemonView & {
  readonly build: Build
  readonly protocol: number
  /** The TCP port, when it listens on one. */
  readonly port: number | null
}

/** What a daemon that could not start leaves in `AV_HOME`. */
export type StartError = Refusal & {
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Of health, what commands show. */
export function viewOf({ running, pid, version, home, store, rssBytes, startedAt }: DaemonView) {
  return { running, pid, version, home, store, rssBytes, startedAt } satisfies DaemonView
}

export function answerOf<T>(data: T, warnings: readonly string[] = []): Answer<T> {
  return { ok: true, data, warnings }
}

export function refusalOf({ code, message, remediation, detail }: Fault): Refusal {
  return { ok: false, error: { code, message, remediation, detail } }
}

/**
 * The data and warnings of a body, whatever HTTP said.
 * @throws Fault the daemon's own; `internal` for a body that is neither answer nor refusal
 */
export function readBody(body: unknown): {
  readonly data: unknown
  readonly warnings: readonly string[]
} {
  if (isObject(body) && body.ok === true) {
    const warnings = Array.isArray(body.warnings) ? body.warnings.map(String) : []
    return { data: body.data, warnings }
  }
  throw readFault(isObject(body) ? body.error : undefined)
}

/** A fault from its JSON, which may come from a file or a daemon of another version. */
export function readFault(error: unknown): Fault {
  if (isObject(error) && isFaultCode(error.code)) {
    return new Fault(error.code, String(error.message), String(error.remediation), {
      detail: isObject(error.detail) ? error.detail : {},
    })
  }
  return new Fault(
    'internal',
    'The daemon answered with something that is no answer.',
    'Run `av daemon stop`, then repeat the command.',
  )
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFaultCode = (code: unknown): code is FaultCode =>
  typeof code === 'string' && Object.hasOwn(FAULTS, code)

/** Who calls, as headers. Names are percent-encoded: a header holds no more than Latin-1. */
export function callerHeaders(caller: Caller): Record<string, string> {
  const { actor, kind, session, generation } = caller
  return {
    'av-actor': encodeURIComponent(actor),
    'av-actor-kind': kind,
    ...(session === null ? {} : { 'av-session': encodeURIComponent(session) }),
    ...(generation === null ? {} : { 'av-generation': String(generation) }),
  }
}

/**
 * Who calls. Without `av-actor-kind` the caller is an agent: what is left to humans is not for
 * whoever does not say.
 */
export function readCaller(headers: Headers): Caller {
  const actor = readName(headers, 'av-actor', ACTOR_NAME_MAX)
  if (actor === null) throw badHeader('av-actor', 'missing: who calls?')
  const kind = headers.get('av-actor-kind') ?? 'agent'
  const known = ACTOR_KINDS.find((each) => each === kind)
  if (!known) throw badHeader('av-actor-kind', `not one of ${ACTOR_KINDS.join(', ')}`)
  const generation = headers.get('av-generation')
  if (generation !== null && !/^\d{1,9}$/.test(generation)) {
    throw badHeader('av-generation', 'no whole number')
  }
  return {
    actor,
    kind: known,
    session: readName(headers, 'av-session', SESSION_CHARS_MAX),
    generation: generation === null ? null : Number(generation),
  }
}

const SESSION_CHARS_MAX = 200

function readName(headers: Headers, name: string, charsMax: number): string | null {
  const value = headers.get(name)
  if (value === null) return null
  const text = decodeHeader(name, value)
  if (text.length >= 1 && text.length <= charsMax && !/\p{Cc}/u.test(text)) return text
  throw badHeader(name, `not a line of 1 to ${charsMax} characters`)
}

export function decodeHeader(name: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw badHeader(name, 'not percent-encoded UTF-8')
  }
}

export const badHeader = (name: string, what: string): Fault =>
  new Fault('bad_input', `The header ${name} is ${what}.`, 'See `GET /v1/openapi.json`.', {
    detail: { reason: 'bad_header', header: name },
  })
