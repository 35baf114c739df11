import { readFileSync } from 'node:fs'
import { PGlite, types } from '@electric-sql/pglite'
import pgliteData from '@electric-sql/pglite/pglite.data' with { type: 'file' }
import pgliteWasm from '@electric-sql/pglite/pglite.wasm' with { type: 'file' }
import { drizzle } from 'drizzle-orm/pglite'
import type { Fault } from '../domain/fault.ts'
import { diskFull, prepareDataFolder, templateTar } from './data-folder.ts'
import { type Database, OpenState, type SchemaLink, withFaults, withRetries } from './database.ts'
import { innermost, sqlState, unavailable } from './database-fault.ts'
import { DurableNodeFS, durableParams } from './durable-fs.ts'
import { isDeathLine, isFullDisk, MortalPGlite } from './mortal-pglite.ts'

export type PGliteHooks = {
  /** The database is of no use until it is opened anew: from here on every call throws this fault. Called once. */
  readonly onFatal?: ((fault: Fault) => void) | undefined
  /** A line of Postgres's log. */
  readonly onLog?: ((line: string) => void) | undefined
}

export type OpenPGlite = {
  readonly database: Database
  readonly link: SchemaLink
  /** How often a file was synced to disk so far. */
  readonly fsyncs: () => number
}

/**
 * PGlite on a folder, or in memory when that is null. PGlite takes no lock: the caller holds one that keeps every other
 * process off the folder.
 * @throws Fault `store_unavailable`: see `prepareDataFolder`; `disk_full` or `cannot_open` when Postgres does not start.
 */
export async function openPGlite(folder: string | null, hooks: PGliteHooks): Promise<OpenPGlite> {
  if (folder !== null) await prepareDataFolder(folder)
  const files = folder === null ? null : new DurableNodeFS(folder)
  const lines: string[] = []
  const pglite = new MortalPGlite({
    ...(files === null ? { loadDataDir: new Blob([templateTar()]) } : { fs: files }),
    startParams: [...durableParams(PGlite.defaultStartParams), ...SIZES],
    pgliteWasmModule: await WebAssembly.compile(readFileSync(pgliteWasm)),
    fsBundle: new Blob([readFileSync(pgliteData)]),
    parsers: { [types.BYTEA]: (hex) => Buffer.from(hex.slice(2), 'hex'), [types.INT8]: Number },
    serializers: {
      [types.BYTEA]: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`,
    },
    onStderr: (line) => {
      if (isDeathLine(line)) pglite.die(line)
      if (lines.push(line) > LINES_KEPT) lines.shift()
      hooks.onLog?.(line)
      return false
    },
  })
  const place = folder ?? 'the database in memory'
  await waitUntilReady(pglite, place, lines)
  const watch = new Watch(pglite, place, hooks.onFatal)
  return {
    database: databaseOn(pglite, watch),
    link: linkOn(pglite, watch),
    fsyncs: () => files?.fsyncs ?? 0,
  }
}

const SIZES = ['shared_buffers=32MB', 'max_wal_size=64MB', 'min_wal_size=32MB'].flatMap((size) => [
  '-c',
  size,
])
const LINES_KEPT = 20
const START_MS_MAX = 120_000

/** Postgres that cannot start says why in its log only; one that gets too little memory never comes back at all. */
async function waitUntilReady(
  pglite: MortalPGlite,
  place: string,
  lines: readonly string[],
): Promise<void> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(
    () => timer.reject(new Error(`it did not start within ${START_MS_MAX / 1000} s`)),
    START_MS_MAX,
  )
  try {
    await Promise.race([pglite.waitReady, timer.promise])
    pglite.watchForTraps()
  } catch (thrown) {
    const error = innermost(thrown)
    const why = pglite.deadBy ?? lines.findLast(isDeathLine) ?? error.message
    if (isFullDisk(why)) throw diskFull(place, error)
    throw unavailable(
      'cannot_open',
      `The database in ${place} does not open: ${why}`,
      'Run the command again; when it stays so, put a backup in its place. Nothing was changed.',
      error,
    )
  } finally {
    clearTimeout(timeout)
  }
}

/** Notices that the database died or its disk filled up, and answers every later call with that. */
class Watch {
  #fault: Fault | null = null
  readonly state = new OpenState()

  constructor(
    readonly pglite: MortalPGlite,
    readonly place: string,
    readonly onFatal: PGliteHooks['onFatal'],
  ) {}

  get isUsable(): boolean {
    return this.#fault === null
  }

  async over<T>(attempt: () => Promise<T>): Promise<T> {
    if (this.#fault !== null) throw this.#fault
    let result: T
    try {
      result = await this.state.during(attempt)
    } catch (thrown) {
      throw this.#judge(innermost(thrown)) ?? thrown
    }
    // What a dying database answered is no acknowledgement.
    const fault = this.#judge()
    if (fault !== null) throw fault
    return result
  }

  #judge(error?: Error): Fault | null {
    const death = this.pglite.deadBy
    const isFull =
      (error !== undefined && sqlState(error) === '53100') || (death !== null && isFullDisk(death))
    if (death === null && !isFull) return null
    if (this.#fault === null) {
      this.#fault = isFull ? diskFull(this.place, error) : died(death ?? '', error)
      this.onFatal?.(this.#fault)
    }
    return this.#fault
  }
}

function died(line: string, cause: Error | undefined): Fault {
  return unavailable(
    'database_died',
    `The embedded database stopped: ${line}`,
    'Run the command again: a new daemon recovers what was acknowledged.',
    cause,
  )
}

function databaseOn(pglite: MortalPGlite, watch: Watch): Database {
  const database = drizzle(pglite)
  return {
    backend: 'pglite',
    read: (work) => withFaults(() => watch.over(() => work(database))),
    write: (work) => withRetries(() => watch.over(() => database.transaction(work))),
    maintain: () => withFaults(() => watch.over(() => maintain(pglite, watch.state))),
    close: async () => {
      // A dead instance would never come back; its folder is recovered when it is opened next.
      if (watch.state.close() && watch.isUsable) await pglite.close()
    },
  }
}

/** PGlite does none of this by itself. A query blocks the process, so others get their turn between two tables. */
async function maintain(pglite: PGlite, state: OpenState): Promise<void> {
  const { rows } = await pglite.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname LIMIT 100`,
  )
  for (const { name } of rows) {
    if (state.isClosed) return
    await pglite.exec(`VACUUM (ANALYZE) ${name}`)
    await new Promise((resume) => setImmediate(resume))
  }
  if (!state.isClosed) await pglite.exec('CHECKPOINT')
}

function linkOn(pglite: MortalPGlite, watch: Watch): SchemaLink {
  return {
    query: (text, values) =>
      withFaults(() =>
        watch.over(async () => {
          const { rows } = await pglite.query<Record<string, unknown>>(text, [...(values ?? [])])
          return rows
        }),
      ),
    transact: (statements) =>
      watch.over(() =>
        pglite.transaction(async (tx) => {
          for (const { text, values } of statements) {
            if (values === undefined) await tx.exec(text)
            else await tx.query(text, [...values])
          }
        }),
      ),
    // One process, one connection: there is no other migrator.
    lock: async () => {},
    close: async () => {},
  }
}
