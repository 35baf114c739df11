import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { askHealth } from '../api/health.ts'
import { homeFault } from '../api/home.ts'
import { otherSettings } from '../api/identity.ts'
import { compareBuilds } from '../api/version.ts'
import type { DaemonView } from '../api/views.ts'
import { isObject, viewOf } from '../api/wire.ts'
import { Fault } from '../domain/fault.ts'
import { tryLock } from '../kernel-lock.ts'
import { olderThan } from './connect.ts'
import type { DaemonAccess } from './daemon-access.ts'
import { askToStop, replaceDaemon, startDaemon } from './start.ts'

const END_WAIT_MS = 20_000
const POLL_MS = 20
const LOG_BYTES_MAX = 4 * 1024 * 1024

/**
 * Makes sure that this program's daemon runs.
 * @throws Fault as any call: `version_skew`, `other_settings`, what kept it from starting
 */
export async function daemonStart(access: DaemonAccess): Promise<DaemonView> {
  const running = await askHealth(access.home.socket)
  const order = running === null ? 0 : compareBuilds(access.build, running.build)
  if (running !== null && order < 0) throw olderThan(access.build, running.build)
  if (running !== null && order > 0) await replaceDaemon(access, running.pid ?? 0)
  await startDaemon(access)
  const health = await askHealth(access.home.socket)
  if (health === null) throw hangs(access)
  const store = access.shared.find(({ name }) => name === 'AV_DATABASE_URL')
  if (store && health.store !== null && store.shown !== health.store) {
    const differs = `${store.shown}, not ${health.store}`
    throw otherSettings(store.name, differs, access.home.folder)
  }
  return viewOf(health)
}

/** Ends the daemon, whatever its version and settings, and waits until it let everything go. */
export async function daemonStop(access: DaemonAccess): Promise<DaemonView> {
  let asked: number | null = null
  for (let waitedMs = 0; waitedMs < END_WAIT_MS; waitedMs += POLL_MS) {
    const health = await askHealth(access.home.socket)
    if (health === null && !isHeld(access)) return notRunning(access)
    if (health !== null && asked === null) {
      asked = health.pid
      await askToStop(access, asked)
    } else if (health !== null && health.pid !== asked) {
      return viewOf(health) // Another command started its successor meanwhile.
    }
    await Bun.sleep(POLL_MS)
  }
  throw hangs(access)
}

/** What runs, without starting anything. A daemon that holds its lock but answers nobody runs too. */
export async function daemonStatus(access: DaemonAccess): Promise<DaemonView> {
  const health = await askHealth(access.home.socket)
  if (health !== null) return viewOf(health)
  if (!isHeld(access)) return notRunning(access)
  return { ...notRunning(access), running: true, pid: pidNoted(access) }
}

/** The last `lines` lines of the log. */
export async function daemonLogs(
  { home }: DaemonAccess,
  { lines }: { readonly lines: number },
): Promise<{ readonly path: string; readonly text: string }> {
  const text = [`${home.log}.1`, home.log].map(readTail).join('')
  const last = text.split('\n').slice(-lines - 1)
  return { path: home.log, text: last.join('\n') }
}

/** Whether a process holds the daemon's lock. Makes nothing where there is no `AV_HOME`. */
function isHeld({ home }: DaemonAccess): boolean {
  if (!existsSync(home.daemonLock)) return false
  try {
    const lock = tryLock(home.daemonLock)
    lock?.release()
    return lock === null
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

function notRunning({ home }: DaemonAccess): DaemonView {
  return {
    running: false,
    pid: null,
    version: null,
    home: home.folder,
    store: null,
    rssBytes: null,
    startedAt: null,
  }
}

function pidNoted({ home }: DaemonAccess): number | null {
  try {
    const note: unknown = JSON.parse(readFileSync(home.daemonFile, 'utf8'))
    return isObject(note) && typeof note.pid === 'number' ? note.pid : null
  } catch {
    // It is starting, or was killed: nothing is noted.
    return null
  }
}

function readTail(path: string): string {
  if (!existsSync(path)) return ''
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, LOG_BYTES_MAX))
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
    return bytes.subarray(0, read).toString('utf8')
  } finally {
    closeSync(file)
  }
}

function hangs(access: DaemonAccess): Fault {
  const pid = pidNoted(access)
  return new Fault(
    'daemon_unreachable',
    `The daemon of AV_HOME ${access.home.folder}${pid === null ? '' : ` (process ${pid})`} does not answer, and does not end.`,
    'See `av daemon logs`; end the process if it hangs.',
    { detail: { reason: 'daemon_hangs', pid } },
  )
}
