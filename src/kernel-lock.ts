import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'

export type Lock = { readonly release: () => void }

/** A database that nobody refers to is collected, and its lock with it: each lock held is kept here. */
const held = new Set<Database>()

/**
 * Takes the lock `file`, or gives null when another process has it. It is a lock of the kernel: it
 * ends with its holder, also by kill -9, so a file left behind means nothing.
 */
export function tryLock(file: string): Lock | null {
  makePrivate(file)
  const database = new Database(file, { create: true })
  try {
    database.run('PRAGMA busy_timeout=0')
    database.run('PRAGMA journal_mode=MEMORY')
    database.run('BEGIN EXCLUSIVE')
  } catch (thrown) {
    database.close()
    if (isBusy(thrown)) return null
    throw thrown
  }
  held.add(database)
  return {
    release() {
      if (held.delete(database)) database.close()
    },
  }
}

/** Only where there is no file yet: opening and closing one that this process has locked unlocks it. */
function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

function isBusy(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY')
}
