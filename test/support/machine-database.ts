import { join } from 'node:path'
import { openPGlite } from '../../src/store/pglite.ts'
import type { Machine } from './machine.ts'

export type Row = Readonly<Record<string, unknown>>
export type Query = (statement: string) => Promise<readonly Row[]>

/**
 * Looks into a machine's embedded database by its own modules, or brings about what no command
 * offers. No daemon may have it meanwhile: PGlite takes no lock.
 */
export async function inDatabase<T>(
  machine: Machine,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const { database, link } = await openPGlite(join(machine.home.folder, 'pgdata'), {})
  try {
    return await work((statement) => link.query(statement))
  } finally {
    await database.close()
  }
}

/** The tables that hold this text in any column, however it is stored. */
export function tablesHolding(machine: Machine, texts: readonly string[]): Promise<string[]> {
  return inDatabase(machine, async (query) => {
    const tables = await query(`SELECT quote_ident(table_name) AS name
      FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name`)
    const holding: string[] = []
    for (const { name } of tables) {
      const like = texts.map((text) => `position('${text}' in each::text) > 0`).join(' OR ')
      const [found] = await query(`SELECT count(*) AS rows FROM ${name} AS each WHERE ${like}`)
      if (Number(found?.rows) > 0) holding.push(String(name))
    }
    return holding
  })
}
