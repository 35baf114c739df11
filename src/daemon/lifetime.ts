import { rmSync } from 'node:fs'
import { askHealth } from '../api/health.ts'
import { type Home, homeFault } from '../api/home.ts'
import type { SharedSetting } from '../api/identity.ts'
import { type Build, PROTOCOL, VERSION } from '../api/version.ts'
import type { DaemonView } from '../api/views.ts'
import { type Health, viewOf } from '../api/wire.ts'
import { asFault, Fault } from '../domain/fault.ts'
import { type Lock, tryLock } from '../kernel-lock.ts'
import type { World } from '../world.ts'
import { describeThrown } from './failure.ts'
import { keepHouse } from './housekeeping.ts'
import { bearerToken, type Listener, listenOnPort, listenOnSocket } from './listen.ts'
import { type Log, openLog } from './log.ts'
import { prepareHome, removeTraces, writeNote, writeStartError } from './notes.ts'
import { createServer, type HandlersOn } from './server.ts'
import { Traffic } from './traffic.ts'

/** What a daemon needs of the process it is. */
export type Host = {
  readonly pid: number
  readonly rssBytes: () => number
  /** Calls back with the signal's name when the process is asked to end. */
  readonly onSignal: (end: (signal: string) => void) => void
  /** Calls back with what was thrown where nobody caught it. */
  readonly onDefect: (report: (thrown: unknown) => void) => void
}

/** What is opened once no other daemon can be there. */
export type Opened<D> = {
  readonly deps: D
  readonly handlers: HandlersOn<D>
  /** Care of the store: now and then, and before an idle daemon ends. */
  readonly maintain: () => Promise<void>
  /** Gives memory back, in a pause between two calls. */
  readonly tidy: () => void
  readonly close: () => Promise<void>
}

export type DaemonOptions<D> = {
  readonly home: Home
  readonly build: Build
  readonly shared: readonly SharedSetting[]
  /** 0: never. */
  readonly idleSecs: number
  /** Listen on 127.0.0.1 too; 0 takes a free port. */
  readonly port: number | null
  readonly world: World
  readonly host: Host
  readonly open: (around: {
    readonly daemon: () => DaemonView
    readonly log: Log
    /** The store is of no use any more: the daemon ends, the next command starts another. */
    readonly onFatal: (why: string) => void
  }) => Promise<Opened<D>>
  /** Called once it answers. */
  readonly onReady: (health: Health) => void
}

/** How long a new daemon waits for one that is about to end. */
const LOCK_WAIT_MS = 15_000
const LOCK_POLL_MS = 20
/** How long requests under way may take once the end was asked for. */
const DRAIN_MS = 10_000
/** Connections the kernel took before the socket's name went away are still answered. */
const GRACE_MS = 50

/**
 * Is the one daemon of an `AV_HOME`: holds its lock, answers on its socket, and ends on a signal,
 * on request, when idle, or when the store is dead. Gives the reason for the end.
 * @throws Fault `conflict`, reason `already_running`, when another daemon is there; else why it
 * could not start, which is also left in `AV_HOME` for the clients that wait for it
 */
export async function runDaemon<D>(options: DaemonOptions<D>): Promise<string> {
  const { home } = options
  prepareHome(home)
  const lock = await takeLock(home)
  try {
    const { log, close } = takeOver(options)
    try {
      return await live(options, log)
    } catch (thrown) {
      log(`could not start: ${describeThrown(thrown)}`)
      tellWaiting(options, log, thrown)
      throw thrown
    } finally {
      close()
    }
  } finally {
    lock.release()
  }
}

function tellWaiting(
  { home, host, world }: Pick<DaemonOptions<unknown>, 'home' | 'host' | 'world'>,
  log: Log,
  thrown: unknown,
): void {
  try {
    writeStartError(home, host.pid, world.now(), asFault(thrown))
  } catch (second) {
    log(`could not say so: ${describeThrown(second)}`)
  }
}

/** @throws Fault `conflict`: `already_running`, or `daemon_hangs` when its holder answers nobody */
async function takeLock(home: Home): Promise<Lock> {
  for (let waitedMs = 0; waitedMs < LOCK_WAIT_MS; waitedMs += LOCK_POLL_MS) {
    const lock = tryLockIn(home)
    if (lock !== null) return lock
    const other = await askHealth(home.socket)
    if (other !== null) {
      throw new Fault(
        'conflict',
        `A daemon already runs for AV_HOME ${home.folder} (process ${other.pid}).`,
        'Use that one, set another AV_HOME, or run `av daemon stop` first.',
        { detail: { reason: 'already_running', pid: other.pid } },
      )
    }
    await Bun.sleep(LOCK_POLL_MS)
  }
  throw new Fault(
    'conflict',
    `Another process holds ${home.daemonLock} but answers no request.`,
    'See `av daemon logs`, and end that process if it hangs.',
    { detail: { reason: 'daemon_hangs', lock: home.daemonLock } },
  )
}

function tryLockIn(home: Home): Lock | null {
  try {
    return tryLock(home.daemonLock)
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

/** Clears away what a killed daemon left, which only the holder of the lock may, and opens the log. */
function takeOver({ home, host, world }: Pick<DaemonOptions<unknown>, 'home' | 'host' | 'world'>) {
  try {
    rmSync(home.startError, { force: true })
    removeTraces(home)
    return openLog(home.log, host.pid, world)
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

async function live<D>(options: DaemonOptions<D>, log: Log): Promise<string> {
  const { home, world, host, build, shared } = options
  const startedMs = performance.now()
  const end = Promise.withResolvers<string>()
  const traffic = new Traffic()
  const stop = (why: string) => {
    traffic.stopping = true
    end.resolve(why)
  }
  host.onSignal(stop)
  host.onDefect((thrown) => {
    log(`nobody caught: ${describeThrown(thrown)}`)
    stop('a defect')
  })
  const facts = { startedAt: new Date(world.now()).toISOString(), port: null as number | null }
  const health = () => healthOf(options, facts)
  const opened = await options.open({
    daemon: () => viewOf(health()),
    log,
    onFatal: (why) => stop(`the store is dead: ${why}`),
  })
  const listeners: Listener[] = []
  try {
    const { deps, handlers, maintain, tidy } = opened
    const stopping = () => traffic.stopping
    const serve = (token: string | null) =>
      traffic.counting(
        createServer({ deps, handlers, world, log, health, shared, stop, stopping, token }),
      )
    if (options.port !== null) {
      const onPort = listenOnPort(options.port, serve(bearerToken(home, world)))
      listeners.push(onPort)
      facts.port = onPort.port
    }
    const onSocket = listenOnSocket(home, serve(null))
    listeners.push(onSocket)
    writeNote(home, health())
    const ms = (performance.now() - startedMs).toFixed(0)
    log(`ready in ${ms} ms: av ${build.id}, ${health().store}`)
    options.onReady(health())
    const { isThere } = onSocket
    const { idleSecs } = options
    const rest = keepHouse({ idleSecs, log, maintain, tidy, isThere, stop }, traffic)
    const why = await end.promise.finally(rest)
    log(`ends: ${why}`)
    return why
  } finally {
    traffic.stopping = true
    // What stands there in place of a socket that was taken away is another daemon's.
    const isOurs = listeners.every((listener) => listener.isThere())
    if (isOurs) removeTraces(home)
    await traffic.drained(GRACE_MS, DRAIN_MS)
    for (const part of [...(isOurs ? listeners : []), opened]) {
      // A store that died may not close: that is no reason why the next daemon should not start.
      await part.close().catch((thrown) => log(`did not close: ${describeThrown(thrown)}`))
    }
  }
}

function healthOf(
  { home, host, build, shared }: Pick<DaemonOptions<unknown>, 'home' | 'host' | 'build' | 'shared'>,
  facts: Pick<Health, 'startedAt' | 'port'>,
): Health {
  return {
    running: true,
    pid: host.pid,
    version: VERSION,
    home: home.folder,
    store: shared.find(({ name }) => name === 'AV_DATABASE_URL')?.shown ?? null,
    rssBytes: host.rssBytes(),
    build,
    protocol: PROTOCOL,
    ...facts,
  }
}
