import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { Fault } from '../domain/fault.ts'
import {
  type Database,
  OpenState,
  type SchemaLink,
  type Work,
  withFaults,
  withRetries,
} from './database.ts'
import {
  databaseFault,
  innermost,
  isConnectionLoss,
  reasonOf,
  sqlState,
  unavailable,
} from './database-fault.ts'

/**
 * A Postgres server by URL (`postgres://user:password@host:port/database?sslmode=require&options=…`).
 * No message of this file holds the URL: it may carry a password.
 *
 * @throws Fault `store_unavailable` when the server does not let us in; `bad_input` for what is no such URL.
 */
export async function openPostgres(url: string): Promise<Database> {
  const pool = new pg.Pool({ ...connectionOf(url), max: CONNECTIONS_MAX, onConnect: prepare })
  // A connection that dies while idle is replaced by the next call; without a listener it would end the process.
  pool.on('error', () => {})
  try {
    await checkServer(pool, url)
  } catch (thrown) {
    await pool.end()
    throw thrown
  }
  const database = drizzle(pool)
  const state = new OpenState()
  return {
    backend: 'postgres',
    read: (work) => withFaults(() => state.during(() => work(database))),
    write: (work) =>
      withRetries(() => state.during(() => transact(() => connect(pool, url), work))),
    maintain: async () => {},
    close: async () => {
      if (state.close()) await pool.end()
    },
  }
}

/** A connection of its own for the migrator: an advisory lock belongs to the connection that took it. */
export async function linkPostgres(url: string): Promise<SchemaLink> {
  const client = new pg.Client({
    ...connectionOf(url),
    statement_timeout: 0,
    query_timeout: 0,
    lock_timeout: 60_000,
  })
  // Whoever asks next is told; without a listener the end of the connection would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (thrown) {
    throw unreachable(thrown, url)
  }
  return {
    query: (text, values) =>
      withFaults(
        async () => (await client.query(text, values === undefined ? [] : [...values])).rows,
      ),
    transact: async (statements) => {
      await client.query('BEGIN')
      try {
        for (const { text, values } of statements)
          await client.query(text, values === undefined ? undefined : [...values])
        await client.query('COMMIT')
      } catch (thrown) {
        // Where this fails too, the connection is gone, and the transaction with it.
        await client.query('ROLLBACK').catch(() => {})
        throw thrown
      }
    },
    lock: () =>
      withFaults(
        async () => void (await client.query('SELECT pg_advisory_lock($1)', [MIGRATOR_LOCK])),
      ),
    close: () => client.end(),
  }
}

/** Host, port and database for people, without credentials; `a Postgres server` for what cannot be read. */
export function serverAddress(url: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url)
    const host = hostname || searchParams.get('host') || 'localhost'
    return `postgres://${host}${port ? `:${port}` : ''}${pathname}`
  } catch {
    return 'a Postgres server'
  }
}

const CONNECTIONS_MAX = 8
/** `av_migr` in ASCII: any number that no other program takes. */
const MIGRATOR_LOCK = '27433224970528626'
const VERSION_MIN = 15

function connectionOf(url: string): pg.ClientConfig {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Fault(
      'bad_input',
      'AV_DATABASE_URL is not a Postgres URL.',
      'Write it like postgres://user:password@host:5432/database',
      { detail: { reason: 'bad_database_url' } },
    )
  }
  return {
    connectionString: url,
    application_name: 'av',
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    lock_timeout: 20_000,
    idle_in_transaction_session_timeout: 30_000,
    // The last resort, for a network that swallows everything: longer than whatever the server ends by itself.
    query_timeout: 60_000,
    keepAlive: true,
  }
}

/** What the statements rely on, whatever the role's or the database's own settings are. */
async function prepare(client: pg.ClientBase): Promise<void> {
  await client.query(
    "SET datestyle = 'ISO'; SET timezone = 'UTC'; SET standard_conforming_strings = on",
  )
}

async function checkServer(pool: pg.Pool, url: string): Promise<void> {
  const client = await connect(pool, url)
  try {
    const { rows } = await client.query(
      `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding`,
    )
    const { major, encoding } = rows[0]
    if (major < VERSION_MIN)
      throw unavailable(
        'server_too_old',
        `The database server is PostgreSQL ${major}; av needs ${VERSION_MIN} or newer.`,
        'Point AV_DATABASE_URL to a newer server.',
      )
    if (encoding !== 'UTF8')
      throw unavailable(
        'not_utf8',
        `The database stores text as ${encoding}; av needs UTF8.`,
        "Create a database with ENCODING 'UTF8' and point AV_DATABASE_URL to it.",
      )
  } finally {
    client.release()
  }
}

async function connect(pool: pg.Pool, url: string): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (thrown) {
    throw unreachable(thrown, url)
  }
}

function unreachable(thrown: unknown, url: string): Error {
  const error = innermost(thrown)
  if (error instanceof Fault || sqlState(error) !== null) return databaseFault(error)
  return unavailable(
    'unreachable',
    `The database server at ${serverAddress(url)} cannot be reached: ${reasonOf(error)}`,
    'Start the server, or correct AV_DATABASE_URL. Nothing was stored.',
    error,
  )
}

async function transact<T>(checkOut: () => Promise<pg.PoolClient>, work: Work<T>): Promise<T> {
  const client = await checkOut()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    return await runTransaction(client, work)
  } catch (thrown) {
    if (isConnectionLoss(innermost(thrown))) broken = innermost(thrown)
    throw thrown
  } finally {
    client.removeListener('error', onError)
    client.release(broken)
  }
}

async function runTransaction<T>(client: pg.PoolClient, work: Work<T>): Promise<T> {
  let isCommitting = false
  try {
    return await drizzle(client).transaction(
      async (queries) => {
        const result = await work(queries)
        isCommitting = true
        return result
      },
      { isolationLevel: 'read committed' },
    )
  } catch (thrown) {
    const error = innermost(thrown)
    throw isCommitting && isConnectionLoss(error) ? outcomeUnknown(error) : thrown
  }
}

function outcomeUnknown(cause: Error): Fault {
  return unavailable(
    'outcome_unknown',
    'The connection to the database was lost while it was storing: whether it did is not known.',
    'When the server is back, look with `av log` or `av task show` before you repeat it.',
    cause,
  )
}
