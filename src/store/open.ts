import { join } from 'node:path'
import type { Fault } from '../domain/fault.ts'
import { migrate, type SchemaState } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { sqlStore } from './sql-store.ts'
import type { Store } from './store.ts'

export type StoreOptions = {
  /** A Postgres server; null for PGlite in `home`. */
  readonly databaseUrl: string | null
  /** `AV_HOME`. The caller holds its lock: PGlite takes none. */
  readonly home: string
  /** Of this program; kept with the migrations it applies. */
  readonly version: string
  /** The database is of no use until it is opened anew; every call from here on throws this fault. Called once. */
  readonly onFatal?: (fault: Fault) => void
  /** A line of PGlite's log. */
  readonly onLog?: (line: string) => void
}

export type OpenedStore = { readonly store: Store; readonly schema: SchemaState }

/**
 * Opens the store and brings its schema up to date.
 * @throws Fault `store_unavailable`, `bad_input` for an AV_DATABASE_URL that is none.
 */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  return options.databaseUrl === null
    ? openEmbedded(options)
    : openServer(options.databaseUrl, options)
}

async function openEmbedded({ home, version, onFatal, onLog }: StoreOptions): Promise<OpenedStore> {
  const { openPGlite } = await import('./pglite.ts')
  const { database, link } = await openPGlite(join(home, 'pgdata'), { onFatal, onLog })
  try {
    const schema = await migrate(link, MIGRATIONS, version)
    return { store: sqlStore(database), schema }
  } catch (thrown) {
    await database.close()
    throw thrown
  }
}

async function openServer(url: string, { version }: StoreOptions): Promise<OpenedStore> {
  const { linkPostgres, openPostgres } = await import('./postgres.ts')
  const database = await openPostgres(url)
  try {
    const link = await linkPostgres(url)
    try {
      return { store: sqlStore(database), schema: await migrate(link, MIGRATIONS, version) }
    } finally {
      await link.close()
    }
  } catch (thrown) {
    await database.close()
    throw thrown
  }
}
