import type { SQL } from 'drizzle-orm'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { QueryResult } from 'pg'
import { Fault } from '../domain/fault.ts'
import { databaseFault, isRetryable } from './database-fault.ts'

/**
 * What statements run on: the database itself or an open transaction. Whoever is given one uses only that one: on
 * PGlite a second way to the database, taken inside a transaction, would wait for its end for ever.
 */
export type Queries = PgDatabase<PgQueryResultHKT>

export type Work<T> = (queries: Queries) => Promise<T>

/** What a statement gives, as both drivers hand it over: values of types they do not know stay text. */
export async function rowsOf(
  queries: Queries,
  statement: SQL,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { rows } = (await queries.execute(statement)) as Pick<QueryResult, 'rows'>
  return rows
}

/** A database in use. Everything it throws is a `Fault`, or our own bug. */
export type Database = {
  readonly backend: 'pglite' | 'postgres'
  /** Statements that each stand for themselves. */
  read<T>(work: Work<T>): Promise<T>
  /**
   * One transaction, READ COMMITTED. `work` is run again, at most three times, when the server gave it up for a
   * deadlock or a serialisation failure (40P01, 40001), and for no other reason: a connection lost while committing
   * leaves the outcome unknown, which is said and never tried again.
   */
  write<T>(work: Work<T>): Promise<T>
  maintain(): Promise<void>
  close(): Promise<void>
}

/** The same database for the migrator, before the tables are there: plain SQL, one connection. */
export type SchemaLink = {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Several statements, all or nothing. */
  transact(statements: readonly Statement[]): Promise<void>
  /** Keeps other migrators out until the link is closed. */
  lock(): Promise<void>
  close(): Promise<void>
}

/** Without values it may be several statements in one text. */
export type Statement = { readonly text: string; readonly values?: readonly unknown[] }

const RETRIES_MAX = 3

/** Runs `attempt` as `Database.write` promises. */
export async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (isRetryable(thrown) && retries < RETRIES_MAX) continue
      throw databaseFault(thrown)
    }
  }
}

/** Runs `attempt` once; what the driver throws comes out as a fault. */
export async function withFaults<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (thrown) {
    throw databaseFault(thrown)
  }
}

/** Lets nothing begin after `close`, and says of what was under way that the store was closed. */
export class OpenState {
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** True the first time. */
  close(): boolean {
    const isFirst = !this.#isClosed
    this.#isClosed = true
    return isFirst
  }

  async during<T>(attempt: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedFault()
    try {
      return await attempt()
    } catch (thrown) {
      throw this.#isClosed && !(thrown instanceof Fault) ? closedFault() : thrown
    }
  }
}

function closedFault(): Fault {
  return new Fault('store_unavailable', 'The store is closed.', 'Run the command again.', {
    detail: { reason: 'closed' },
  })
}
