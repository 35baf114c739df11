import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'

/** Where client and daemon meet: the files of `AV_HOME` that both know. */
export type Home = {
  readonly folder: string
  /** The daemon's Unix socket, 0600. */
  readonly socket: string
  /** Held by the daemon as long as it lives. */
  readonly daemonLock: string
  /** Held by the one client that starts a daemon. */
  readonly spawnLock: string
  /** What runs here: a `DaemonFile`; gone when the daemon ended in order. */
  readonly daemonFile: string
  /** Why the last daemon could not start: a `StartError`. */
  readonly startError: string
  readonly log: string
  /** What the daemon's process printed besides its log: normally nothing, the trace of a crash. */
  readonly stderr: string
  /** The bearer token for TCP, 0600. */
  readonly token: string
  readonly config: string
}

export function homeAt(folder: string): Home {
  const at = (name: string) => join(folder, name)
  return {
    folder,
    socket: at('daemon.sock'),
    daemonLock: at('daemon.lock'),
    spawnLock: at('spawn.lock'),
    daemonFile: at('daemon.json'),
    startError: at('daemon.start-error.json'),
    log: at('daemon.log'),
    stderr: at('daemon.stderr'),
    token: at('token'),
    config: at('config.toml'),
  }
}

/**
 * The fault behind a failed write into `AV_HOME`, in words.
 * Codes that say nothing about the folder come back as they are.
 */
export function homeFault(folder: string, thrown: unknown): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const why = HOME_FAILURES[code]
  if (why === undefined) return thrown
  return new Fault(
    'store_unavailable',
    `AV_HOME ${folder} ${why.text} (${code}).`,
    why.reason === 'disk_full'
      ? 'Free some space, then repeat the command.'
      : 'Make the folder writable for you, or set AV_HOME to a folder of your own.',
    { cause: thrown, detail: { reason: why.reason, home: folder } },
  )
}

const unwritable = { reason: 'home_unwritable', text: 'cannot be written' } as const
const notFolder = { reason: 'home_unwritable', text: 'is not a folder' } as const
const full = { reason: 'disk_full', text: 'lies on a full disk' } as const

const HOME_FAILURES: Readonly<Record<string, { readonly reason: string; readonly text: string }>> =
  {
    EACCES: unwritable,
    EPERM: unwritable,
    EROFS: unwritable,
    ENOENT: unwritable,
    SQLITE_CANTOPEN: unwritable,
    SQLITE_READONLY: unwritable,
    SQLITE_PERM: unwritable,
    ENOTDIR: notFolder,
    EEXIST: notFolder,
    ENOSPC: full,
    EDQUOT: full,
    SQLITE_FULL: full,
  }
