import { type Home, homeFault } from '../api/home.ts'
import { clientHeaders } from '../api/identity.ts'
import { type Build, compareBuilds } from '../api/version.ts'
import { BODY_BYTES_MAX, callerHeaders, isObject, readBody } from '../api/wire.ts'
import type { Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'
import type { DaemonAccess } from './daemon-access.ts'

export type Answered = { readonly data: unknown; readonly warnings: readonly string[] }
export type Send = (
  route: string,
  args: object,
  caller: Caller,
  timeoutMs: number,
) => Promise<Answered>

/** A daemon may be starting, stopping or of an older build, each of which costs one turn. */
const TURNS_MAX = 5

/**
 * Sends calls to the daemon of an `AV_HOME`: starts one where none answers, and replaces an older
 * one. A call is sent again only where it certainly was not begun: nobody listened, or the daemon
 * refused it unread.
 * @throws Fault the daemon's own; `too_large`; `conflict`: `version_skew`, `other_settings`;
 * `daemon_unreachable`: `outcome_unknown` when it went away in the middle
 */
export function sendOver(access: DaemonAccess): Send {
  const said = clientHeaders(access.build, access.shared)
  return async (route, args, caller, timeoutMs) => {
    const body = JSON.stringify(args)
    if (Buffer.byteLength(body) > BODY_BYTES_MAX) throw tooLarge(route)
    const headers = { ...said, ...callerHeaders(caller) }
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      const reply = await post(access.home, route, body, headers, timeoutMs)
      if (reply === null) {
        const { startDaemon } = await import('./start.ts')
        await startDaemon(access)
        continue
      }
      try {
        return readBody(reply.body)
      } catch (thrown) {
        await makeWay(access, thrown)
      }
    }
    throw new Fault(
      'daemon_unreachable',
      `The daemon ended ${TURNS_MAX} times before it took the call.`,
      'See `av daemon logs`, then repeat the command.',
      { detail: { reason: 'unstable' } },
    )
  }
}

/** Resolves where the call may be sent again: it was refused unread by a daemon that is leaving. */
async function makeWay(access: DaemonAccess, thrown: unknown): Promise<void> {
  if (!(thrown instanceof Fault)) throw thrown
  const { reason, build, pid } = thrown.detail
  if (reason !== 'stopping' && reason !== 'version_skew') throw thrown
  const { replaceDaemon, waitForEnd } = await import('./start.ts')
  if (reason === 'stopping') return waitForEnd(access)
  if (!isBuild(build) || typeof pid !== 'number') throw thrown
  if (compareBuilds(access.build, build) <= 0) throw olderThan(access.build, build)
  await replaceDaemon(access, pid)
}

/** The reply, or null when nobody was there to take the call. */
async function post(
  home: Home,
  route: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<{ readonly body: unknown } | null> {
  try {
    const response = await fetch(`http://av/v1/${route}`, {
      unix: home.socket,
      method: 'POST',
      headers,
      body,
      // A kept connection may be dead by the next call, and then nobody knows what was done.
      keepalive: false,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { body: parseJson(await response.text()) }
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return null
    if (code === 'ENOTDIR' || code === 'EACCES') throw homeFault(home.folder, thrown)
    const isLate = thrown instanceof Error && thrown.name === 'TimeoutError'
    throw outcomeUnknown(route, isLate ? `did not answer in ${timeoutMs / 1000} s` : 'went away', {
      cause: thrown,
    })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not from a daemon of ours: `readBody` says so.
    return undefined
  }
}

function isBuild(value: unknown): value is Build {
  return isObject(value) && typeof value.id === 'string' && typeof value.writtenAtMs === 'number'
}

export function olderThan(own: Build, daemon: Build): Fault {
  return new Fault(
    'conflict',
    `This av (${own.id}, ${own.program}) is older than the daemon that runs (${daemon.id}, ${daemon.program}).`,
    'Use the newer av; to go back to this one, run `av daemon stop` first.',
    { detail: { reason: 'version_skew', client: own.id, daemon: daemon.id } },
  )
}

const outcomeUnknown = (route: string, what: string, options: ErrorOptions): Fault =>
  new Fault(
    'daemon_unreachable',
    `The daemon ${what} while it worked on \`${route}\`: whether that was done is not known.`,
    'Look before you repeat it: `av status`, `av log` and `av task list` show what was kept.',
    { ...options, detail: { reason: 'outcome_unknown', route } },
  )

const tooLarge = (route: string): Fault =>
  new Fault(
    'too_large',
    `The call of \`${route}\` would take more than ${BODY_BYTES_MAX} bytes.`,
    'Send less at once: a shorter body, fewer anchors, fewer changed files.',
    { detail: { reason: 'body', bytesMax: BODY_BYTES_MAX } },
  )
