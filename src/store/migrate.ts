import { createHash } from 'node:crypto'
import type { Fault } from '../domain/fault.ts'
import type { SchemaLink, Statement } from './database.ts'
import { databaseFault, innermost, sqlState, unavailable } from './database-fault.ts'

/** One file of `migrations/`: its name without `.sql`, which begins with its number, and its content. */
export type Migration = { readonly name: string; readonly sql: string }

export type SchemaState = {
  /** The newest migration this program knows. */
  readonly newest: string
  /** Those that this call applied, in order. */
  readonly applied: readonly string[]
}

/**
 * Brings the schema of the connection up to date: every migration that its table does not list is applied, in order,
 * each in a transaction of its own; so one that was merged late is not passed over. Only one migrator works at a time.
 * Nothing is written, and no right to write is asked for, when nothing is missing.
 *
 * @param version of this program; kept with what it applies, so that an older one can say which it lacks.
 * @throws Fault `store_unavailable`, the schema untouched: `newer_schema` (it holds migrations this program does not
 *   know), `schema_differs` (a known one has another content there), `no_rights`, `schema_occupied`, `no_schema`.
 */
export async function migrate(
  link: SchemaLink,
  migrations: readonly Migration[],
  version: string,
): Promise<SchemaState> {
  const newest = migrations.at(-1)?.name ?? ''
  if (missingFrom(await readApplied(link), migrations, version).length === 0)
    return { newest, applied: [] }
  await assertMayCreate(link)
  await link.lock()
  const before = await readApplied(link)
  const missing = missingFrom(before, migrations, version)
  for (const [at, migration] of missing.entries()) {
    const isFirst = at === 0 && before.length === 0
    await apply(link, migration, version, isFirst ? [{ text: CREATE_LEDGER }] : [])
  }
  return { newest, applied: missing.map(({ name }) => name) }
}

const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS schema_migration (
  name text COLLATE "C" PRIMARY KEY,
  hash text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  applied_at timestamp with time zone NOT NULL
)`

type Applied = { readonly name: string; readonly hash: string; readonly version: string }

async function readApplied(link: SchemaLink): Promise<readonly Applied[]> {
  const [found] = await link.query(
    `SELECT current_schema() AS schema, to_regclass(quote_ident(current_schema()) || '.schema_migration') AS ledger`,
  )
  if (typeof found?.schema !== 'string') throw noSchema()
  if (found.ledger === null) return []
  const rows = await link.query('SELECT name, hash, version FROM schema_migration ORDER BY name')
  return rows.map((row) => ({
    name: String(row.name),
    hash: String(row.hash),
    version: String(row.version),
  }))
}

function missingFrom(
  applied: readonly Applied[],
  migrations: readonly Migration[],
  version: string,
): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const strange = applied.filter(({ name }) => !known.has(name))
  const last = strange.at(-1)
  if (last !== undefined) throw newerSchema(strange, last.version, version)
  const other = applied.find(({ name, hash }) => hash !== hashOf(known.get(name)!))
  if (other !== undefined) throw schemaDiffers(other)
  const done = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !done.has(name))
}

async function apply(
  link: SchemaLink,
  migration: Migration,
  version: string,
  first: readonly Statement[],
): Promise<void> {
  const note: Statement = {
    text: 'INSERT INTO schema_migration (name, hash, version, applied_at) VALUES ($1, $2, $3, now())',
    values: [migration.name, hashOf(migration), version],
  }
  try {
    await link.transact([...first, { text: migration.sql }, note])
  } catch (thrown) {
    const error = innermost(thrown)
    const state = sqlState(error)
    if (state === '42501') throw noRights(error.message, error)
    if (state !== null && ALREADY_EXISTS.includes(state)) throw schemaOccupied(error)
    throw databaseFault(thrown)
  }
}

/** Of a table, a function, a trigger or index, a schema. */
const ALREADY_EXISTS: readonly string[] = ['42P07', '42723', '42710', '42P06']

async function assertMayCreate(link: SchemaLink): Promise<void> {
  const [found] = await link.query(
    `SELECT has_schema_privilege(current_schema(), 'CREATE') AS may, quote_ident(current_user) AS role,
       quote_ident(current_schema()) AS schema, quote_ident(current_database()) AS database`,
  )
  if (found?.may === true) return
  throw noRights(
    `the role ${found?.role} lacks CREATE on schema ${found?.schema} of database ${found?.database}`,
  )
}

function hashOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex')
}

function newerSchema(strange: readonly Applied[], needed: string, version: string): Fault {
  const names = strange.map(({ name }) => name).join(', ')
  return unavailable(
    'newer_schema',
    `The store was migrated by av ${needed}; this is av ${version}, which does not know ${names}.`,
    `Use av ${needed} or newer. The store was left untouched.`,
  )
}

function schemaDiffers({ name, version }: Applied): Fault {
  return unavailable(
    'schema_differs',
    `The store's migration ${name}, applied by av ${version}, is not the one this av holds.`,
    `Use a released av, or a database of its own for a development build. The store was left untouched.`,
  )
}

function noRights(missing: string, cause?: Error): Fault {
  return unavailable(
    'no_rights',
    `The schema cannot be brought up to date: ${missing}.`,
    'Have the database owner grant that right, or run `av migrate` once as a role that has it.',
    cause,
  )
}

function schemaOccupied(cause: Error): Fault {
  return unavailable(
    'schema_occupied',
    `The schema already holds something else of that name: ${cause.message}.`,
    'Give av a database of its own, or a schema: add ?options=-csearch_path%3Dav to AV_DATABASE_URL.',
    cause,
  )
}

function noSchema(): Fault {
  return unavailable(
    'no_schema',
    "The connection's search_path names no schema that exists.",
    'Have the schema created, or correct AV_DATABASE_URL.',
  )
}
