import { chmodSync, readFileSync, statSync } from 'node:fs'
import { type Home, homeFault } from '../api/home.ts'
import { Fault } from '../domain/fault.ts'
import type { World } from '../world.ts'
import { writeWhole } from './notes.ts'
import type { Server } from './server.ts'

export type Listener = {
  readonly port: number | null
  /** False once somebody took the socket's file away: nobody can come here any more. */
  readonly isThere: () => boolean
  /** Ends every connection; answers under way get a moment to leave. */
  readonly close: () => Promise<void>
}

/** The server has a limit of its own, and says so in words; Bun would only drop the connection. */
const SERVE = { maxRequestBodySize: Number.MAX_SAFE_INTEGER, development: false } as const
const FLUSH_MS = 250

/** Listens on the Unix socket, which its owner alone may open. A file left there is replaced. */
export function listenOnSocket(home: Home, server: Server): Listener {
  try {
    const listening = Bun.serve({ ...SERVE, unix: home.socket, fetch: server })
    chmodSync(home.socket, 0o600)
    const own = signOf(home.socket)
    const isThere = () => signOf(home.socket) === own
    return { port: null, isThere, close: () => close(listening) }
  } catch (thrown) {
    throw homeFault(home.folder, thrown)
  }
}

/** Listens on 127.0.0.1 as well; every request must carry the token. */
export function listenOnPort(port: number, server: Server): Listener {
  try {
    const listening = Bun.serve({
      ...SERVE,
      hostname: '127.0.0.1',
      port,
      // Bun would cut a TCP connection off after 10 s of silence, in the middle of a long call.
      idleTimeout: 0,
      fetch: server,
    })
    return {
      port: listening.port ?? port,
      isThere: () => true,
      close: () => close(listening),
    }
  } catch (thrown) {
    throw new Fault(
      'conflict',
      `Port ${port} of 127.0.0.1 cannot be listened on.`,
      'Give another --port, or 0 to take a free one.',
      { cause: thrown, detail: { reason: 'port_taken', port } },
    )
  }
}

/** The bearer token of this `AV_HOME`; made when first wanted. */
export function bearerToken(home: Home, world: World): string {
  try {
    const token = readFileSync(home.token, 'utf8').trim()
    chmodSync(home.token, 0o600)
    if (/^[0-9a-f]{64}$/.test(token)) return token
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
    if (!isMissing) throw homeFault(home.folder, thrown)
  }
  const token = world.randomHex(32)
  writeWhole(home.token, `${token}\n`)
  return token
}

/** Tells a file from another one of its name; the number alone is given again at once. */
function signOf(path: string): string | null {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts === undefined ? null : `${facts.ino} ${facts.ctimeMs}`
}

async function close(listening: Bun.Server<undefined>): Promise<void> {
  await Promise.race([listening.stop(), Bun.sleep(FLUSH_MS)])
  await listening.stop(true)
}
