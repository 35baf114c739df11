/**
 * Opens the store in the folder given and writes until the disk is full; then says as JSON what it saw. Run as a process
 * of its own: a database that died of it blocks whoever asks it once more.
 *
 *   disk-filler.ts HOME rows   fills tables: the database refuses a row
 *   disk-filler.ts HOME wal    fills the write-ahead log: the database dies
 *   disk-filler.ts HOME look   only counts
 */
import { Fault } from '../../src/domain/fault.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import { migrate } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { openPGlite } from '../../src/store/pglite.ts'
import { sqlStore } from '../../src/store/sql-store.ts'
import { ada, newRecord, newRepo, newTask } from './store-facts.ts'

export type FillReport = {
  /** Records that were there when it opened. */
  readonly records: number
  /** Records acknowledged since. */
  readonly acked: number
  /** How the writing ended, and three calls after that. */
  readonly reasons: readonly unknown[]
  /** How often the end of the database was announced. */
  readonly fatal: number
}

const repo = 'repo-full' as RepoId
const task = 'filling' as TaskId

if (import.meta.main) {
  const [home = '', mode = ''] = process.argv.slice(2)
  const reasons: unknown[] = []
  const report = await fill(home, mode, reasons).catch((thrown: unknown) => {
    reasons.push(reasonOf(thrown))
    return { records: 0, acked: 0, reasons, fatal: 0 }
  })
  process.stdout.write(JSON.stringify(report))
  process.exit()
}

async function fill(home: string, mode: string, reasons: unknown[]): Promise<FillReport> {
  let fatal = 0
  let acked = 0
  const { database, link } = await openPGlite(`${home}/pgdata`, { onFatal: () => fatal++ })
  await migrate(link, MIGRATIONS, '0.0.0-test')
  const store = sqlStore(database)
  if ((await store.repo(repo)) === null) {
    await store.createRepo(newRepo({ id: repo }), ada)
    await store.createTask(repo, newTask({ id: task }), ada)
  }
  const records = (await store.listRecords(repo, { all: true }, 100_000)).items.length
  const write = async () => {
    await store.addRecord(repo, newRecord(task, { body: noise(200_000) }), ada, 'owner')
    acked++
  }
  const log = () =>
    link.query('SELECT pg_logical_emit_message(true, $1, $2)', ['av', noise(500_000)])
  if (mode === 'wal') await write()
  for (const step of mode === 'look' ? [] : [mode === 'wal' ? log : write, write, log, write]) {
    const isFirst = reasons.length === 0
    const end = isFirst ? await repeat(step) : await step().then(() => null, reasonOf)
    reasons.push(end)
  }
  await store.close()
  return { records, acked, reasons, fatal }
}

async function repeat(step: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    const end = await step().then(() => null, reasonOf)
    if (end !== null) return end
  }
}

function reasonOf(thrown: unknown): unknown {
  if (thrown instanceof Fault) return `${thrown.code}/${thrown.detail.reason}`
  throw thrown
}

/** Text that Postgres does not get smaller. */
function noise(length: number): string {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)))
  return bytes.toString('base64').slice(0, length)
}
