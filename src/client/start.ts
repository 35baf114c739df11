import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { askHealth } from '../api/health.ts'
import { type Home, homeFault } from '../api/home.ts'
import { isObject, readFault } from '../api/wire.ts'
import { Fault } from '../domain/fault.ts'
import { redact } from '../domain/redact.ts'
import { type Lock, tryLock } from '../kernel-lock.ts'
import type { DaemonAccess } from './daemon-access.ts'

const START_WAIT_MS = 60_000
/** Longer than a daemon takes for requests under way. */
const END_WAIT_MS = 20_000
const POLL_FIRST_MS = 5
const POLL_MAX_MS = 100
const HEALTH_WAIT_MS = 1_000
const LAST_LINES = 5
const LAST_CHARS = 1_000

/**
 * Starts the daemon and waits until it answers. Of any number of callers at once, in any number of
 * processes, the holder of the spawn lock starts it; the others wait for the same daemon.
 * @throws Fault what kept the daemon from starting, as it said it; `daemon_unreachable`:
 * `start_failed` when it died without a word, `start_slow` when it is not ready in a minute
 */
export async function startDaemon(access: DaemonAccess): Promise<void> {
  const { home, world } = access
  const beganAt = world.now()
  let own: { readonly lock: Lock; readonly child: Child } | null = null
  makeHome(access)
  try {
    for (const delayMs of polls(START_WAIT_MS)) {
      // Asked first: what a daemon left before it ended is then certainly there to be read.
      const ended = own?.child.exitCode ?? own?.child.signalCode ?? null
      if (await askHealth(home.socket, HEALTH_WAIT_MS)) return
      const failure = readStartError(access, beganAt)
      if (failure) throw failure
      if (own && ended !== null) throw await lastWord(access, own.child, ended)
      own ??= await spawnUnderLock(access)
      await Bun.sleep(delayMs)
    }
    throw new Fault(
      'daemon_unreachable',
      `The daemon was not ready in ${START_WAIT_MS / 1000} s. ${lastLines(access)}`.trim(),
      'It may still come up: see `av daemon status` and `av daemon logs`.',
      { detail: { reason: 'start_slow' } },
    )
  } finally {
    own?.lock.release()
  }
}

/** Null when another process is at it, or a daemon came up meanwhile. */
async function spawnUnderLock(access: DaemonAccess) {
  const lock = takeSpawnLock(access)
  if (lock === null) return null
  try {
    if (!(await askHealth(access.home.socket, HEALTH_WAIT_MS))) {
      return { lock, child: spawnDaemon(access) }
    }
  } catch (thrown) {
    lock.release()
    throw thrown
  }
  lock.release()
  return null
}

type Child = Bun.Subprocess<'ignore', 'pipe', number>

/** A process of its own session: no terminal that closes, and no Ctrl-C, ends it. */
function spawnDaemon({ home, launch }: DaemonAccess): Child {
  const output = openOutput(home)
  try {
    const child = Bun.spawn([...launch.command], {
      cwd: '/',
      env: { ...launch.env },
      // A pipe for why it cannot start: on a full disk no file would hold it.
      stdio: ['ignore', 'pipe', output],
      detached: true,
    })
    child.unref()
    return child
  } catch (cause) {
    throw new Fault(
      'daemon_unreachable',
      `The daemon's process could not be made: ${launch.command[0]}.`,
      'Check that this program is still there and may run, then repeat the command.',
      { cause, detail: { reason: 'start_failed' } },
    )
  } finally {
    closeSync(output)
  }
}

/** What the process prints begins anew with each start, so that it cannot grow. */
function openOutput(home: Home): number {
  try {
    return openSync(home.stderr, 'w', 0o600)
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

function takeSpawnLock({ home }: DaemonAccess): Lock | null {
  try {
    return tryLock(home.spawnLock)
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

function makeHome({ home }: DaemonAccess): void {
  try {
    mkdirSync(home.folder, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

/** The fault of a start that failed since `beganAt`, whoever began it. */
function readStartError({ home }: DaemonAccess, beganAt: number): Fault | null {
  const note = parseJson(readText(home.startError))
  if (!isObject(note) || typeof note.at !== 'number' || note.at < beganAt) return null
  return readFault(note.error)
}

/** Why the daemon ended: in its own words, or in what its process printed last. */
async function lastWord(
  access: DaemonAccess,
  child: Child,
  ended: number | string,
): Promise<Fault> {
  const said = parseJson(await new Response(child.stdout).text())
  if (isObject(said) && said.ok === false) return readFault(said.error)
  return new Fault(
    'daemon_unreachable',
    `The daemon ended while it started (${ended}). ${lastLines(access)}`.trim(),
    'See `av daemon logs`, then repeat the command.',
    { detail: { reason: 'start_failed' } },
  )
}

/** The end of what the daemon's process printed. */
function lastLines({ home }: DaemonAccess): string {
  const lines = readText(home.stderr).trimEnd().split('\n').slice(-LAST_LINES)
  return redact(lines.join('\n').slice(-LAST_CHARS)).text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Nothing, or something of another version: it tells nothing.
    return null
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Asks an older daemon, and no other one, to end, and waits until it let its socket go. */
export async function replaceDaemon(access: DaemonAccess, pid: number): Promise<void> {
  await askToStop(access, pid)
  await waitForEnd(access, pid)
}

/** Asks the daemon to end; with a `pid`, only that one. Nobody there is as good as ended. */
export async function askToStop({ home }: DaemonAccess, pid: number | null): Promise<void> {
  await fetch('http://av/v1/stop', {
    unix: home.socket,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(pid === null ? {} : { pid }),
    keepalive: false,
    signal: AbortSignal.timeout(END_WAIT_MS),
  }).catch(() => null)
}

/** Waits until nobody answers on the socket, or another process than `pid` does. */
export async function waitForEnd({ home }: DaemonAccess, pid?: number): Promise<void> {
  for (const delayMs of polls(END_WAIT_MS)) {
    const health = await askHealth(home.socket, HEALTH_WAIT_MS)
    if (health === null || (pid !== undefined && health.pid !== pid)) return
    await Bun.sleep(delayMs)
  }
  throw new Fault(
    'daemon_unreachable',
    `The daemon${pid === undefined ? '' : ` (process ${pid})`} was asked to end and still answers after ${END_WAIT_MS / 1000} s.`,
    'See `av daemon logs`; end the process if it hangs.',
    { detail: { reason: 'daemon_hangs' } },
  )
}

/** Growing waits, for as long as `maxMs` altogether. */
function* polls(maxMs: number): Generator<number> {
  const startMs = performance.now()
  for (let delayMs = POLL_FIRST_MS; performance.now() - startMs < maxMs; delayMs *= 1.5) {
    yield Math.min(delayMs, POLL_MAX_MS)
  }
}
