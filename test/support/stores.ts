import { describe, expect } from 'bun:test'
import pg from 'pg'
import type { Database, SchemaLink } from '../../src/store/database.ts'
import { migrate, type SchemaState } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import { openPGlite } from '../../src/store/pglite.ts'
import { linkPostgres } from '../../src/store/postgres.ts'
import { sqlStore } from '../../src/store/sql-store.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from './faults.ts'

/** A store with a way beside it, to look at what it wrote and to bring about what it does not offer. */
export type TestStore = {
  readonly store: Store
  readonly schema: SchemaState
  readonly query: SchemaLink['query']
  readonly close: () => Promise<void>
}

export type Backend = {
  readonly name: string
  /** Why it cannot be tried here, or null. */
  readonly missing: string | null
  /** Of the server; '' for PGlite, and where it is missing. */
  readonly url: string
  readonly open: () => Promise<TestStore>
  /** A schema with nothing in it. */
  readonly openEmpty: () => Promise<EmptySchema>
}

export type EmptySchema = {
  readonly link: SchemaLink
  /** Another connection, where the backend has more than one. */
  readonly linkAgain: () => Promise<SchemaLink>
  readonly close: () => Promise<void>
}

/**
 * An empty store in memory, in some 100 ms: all of a process share one PGlite, whose schema is made anew. So only the
 * newest one is of use; who needs two at a time takes `separateStore`.
 */
export async function freshStore(): Promise<TestStore> {
  const { database, link } = await wipedPGlite()
  return testStore(database, link, async () => {})
}

/** An empty store in memory of its own: half a second and 150 MB. */
export async function separateStore(): Promise<TestStore> {
  const { database, link } = await openPGlite(null, {})
  return testStore(database, link, () => database.close())
}

/** An empty store in a database of its own, which is dropped when it is closed. */
export async function serverStore(serverUrl: string): Promise<TestStore> {
  const scratch = await scratchDatabase(serverUrl)
  const { store, schema } = await openStore({
    databaseUrl: scratch.url,
    home: 'unused',
    version: '0.0.0-test',
  })
  const link = await linkPostgres(scratch.url)
  return {
    store,
    schema,
    query: link.query,
    close: async () => {
      await store.close()
      await link.close()
      await scratch.drop()
    },
  }
}

export const BACKENDS: readonly Backend[] = [
  {
    name: 'PGlite',
    missing: null,
    url: '',
    open: freshStore,
    openEmpty: async () => {
      const { link } = await wipedPGlite()
      return { link, linkAgain: async () => link, close: async () => {} }
    },
  },
  serverBackend('Postgres', 'AV_TEST_POSTGRES_URL'),
  serverBackend('Postgres in en_US.UTF-8', 'AV_TEST_POSTGRES_EN_URL'),
]

/** The real servers that there are to test with. */
export const SERVERS: readonly Backend[] = BACKENDS.slice(1)

/** One suite, run on each of `backends`; one that is missing is skipped, and its name says why. */
export function onEach(
  subject: string,
  backends: readonly Backend[],
  suite: (backend: Backend) => void,
): void {
  for (const backend of backends) {
    const reason = backend.missing === null ? '' : ` (skipped: ${backend.missing})`
    describe.skipIf(backend.missing !== null)(`${subject} on ${backend.name}${reason}`, () =>
      suite(backend),
    )
  }
}

/** A database made for one test. */
export async function scratchDatabase(
  serverUrl: string,
): Promise<{ readonly url: string; readonly name: string; readonly drop: () => Promise<void> }> {
  const name = `av_test_${process.pid}_${(scratchCount++).toString()}`
  await administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await administer(serverUrl, `CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.toString(),
    name,
    drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

/** What every table holds, as `count hash`: equal before and after what was to change nothing. */
export async function countRows(
  query: SchemaLink['query'],
): Promise<Readonly<Record<string, string>>> {
  const tables = await query(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`,
  )
  const counts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS rows FROM "${name}" t`,
  )
  const rows = await query(counts.join(' UNION ALL '))
  return Object.fromEntries(rows.map(({ name, rows }) => [String(name), String(rows)]))
}

/** How `work` is refused; fails the test when any table holds something else after it. */
export async function refusedWhole(
  query: SchemaLink['query'],
  work: () => Promise<unknown>,
): Promise<string> {
  const before = await countRows(query)
  const refusal = await refusalOf(work())
  expect(await countRows(query)).toEqual(before)
  return refusal
}

/** The same store by a pool of its own, as another daemon has it; on PGlite, which has one connection, itself. */
export async function anotherPool(
  { store, query }: TestStore,
  backend: Backend,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  if (backend.url === '') return { store, close: async () => {} }
  const [row] = await query('SELECT current_database() AS name')
  const url = new URL(backend.url)
  url.pathname = `/${row?.name}`
  const opened = await openStore({
    databaseUrl: url.toString(),
    home: 'unused',
    version: '0.0.0-test',
  })
  return { store: opened.store, close: () => opened.store.close() }
}

/** Moves the database's clock by so many seconds, from where it is without. */
export async function shiftClock(query: SchemaLink['query'], secs: number): Promise<void> {
  await query('UPDATE clock_shift SET millis = $1', [secs * 1000])
}

/** Runs one statement on the server, outside any store. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

let scratchCount = 0

async function testStore(
  database: Database,
  link: SchemaLink,
  close: () => Promise<void>,
): Promise<TestStore> {
  const schema = await migrate(link, MIGRATIONS, '0.0.0-test')
  return { store: sqlStore(database), schema, query: link.query, close }
}

type Shared = typeof globalThis & { avTestPGlite?: ReturnType<typeof openPGlite> }

/** On the global object: every test file has its own copy of this module. */
function sharedPGlite(): ReturnType<typeof openPGlite> {
  const shared: Shared = globalThis
  shared.avTestPGlite ??= openPGlite(null, {})
  return shared.avTestPGlite
}

async function wipedPGlite(): ReturnType<typeof openPGlite> {
  const opened = await sharedPGlite()
  await opened.link.transact([{ text: 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' }])
  return opened
}

function serverBackend(name: string, variable: string): Backend {
  const url = process.env[variable] ?? ''
  return {
    name,
    missing: url === '' ? `${variable} is not set` : null,
    url,
    open: () => serverStore(url),
    openEmpty: async () => {
      const scratch = await scratchDatabase(url)
      const linkAgain = () => linkPostgres(scratch.url)
      const link = await linkAgain()
      const close = async () => {
        await link.close()
        await scratch.drop()
      }
      return { link, linkAgain, close }
    },
  }
}
