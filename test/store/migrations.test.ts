import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Glob } from 'bun'
import { type Migration, migrate } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { faultOf } from '../support/faults.ts'
import { BACKENDS, type EmptySchema, onEach } from '../support/stores.ts'

setDefaultTimeout(60_000)

const FOLDER = join(import.meta.dir, '../../migrations')

test('the list embedded in the program is the folder', async () => {
  const files = (await Array.fromAsync(new Glob('*.sql').scan(FOLDER))).sort()
  const texts = await Promise.all(files.map((file) => Bun.file(`${FOLDER}/${file}`).text()))
  const folder = files.map((file, at) => ({ name: file.replace(/\.sql$/, ''), sql: texts[at]! }))
  expect(MIGRATIONS).toEqual(folder)
})

test('the journal of drizzle-kit tells the same migrations, in order', async () => {
  const { entries }: { entries: { idx: number; when: number; tag: string }[] } = await Bun.file(
    `${FOLDER}/meta/_journal.json`,
  ).json()
  expect(entries.map(({ tag }) => tag)).toEqual(MIGRATIONS.map(({ name }) => name))
  expect(entries.map(({ idx }) => idx)).toEqual(entries.map((_, at) => at))
  const whens = entries.map(({ when }) => when)
  expect(whens).toEqual([...new Set(whens)].sort((a, b) => a - b))
})

test('migrations name no schema: strike `"public".` from what drizzle-kit wrote', () => {
  expect(MIGRATIONS.filter(({ sql }) => /"?public"?\./.test(sql)).map(({ name }) => name)).toEqual(
    [],
  )
})

test('migrations are what the schema says: run `bunx drizzle-kit generate`', async () => {
  const out = mkdtempSync(join(tmpdir(), 'av-migrations-'))
  cpSync(FOLDER, out, { recursive: true })
  const root = join(FOLDER, '..')
  const kit = Bun.spawn(
    [
      process.execPath,
      'node_modules/drizzle-kit/bin.cjs',
      'generate',
      '--dialect',
      'postgresql',
    ].concat(['--schema', './src/store/schema*.ts', '--out', relative(root, out)]),
    { cwd: root, stdout: 'pipe', stderr: 'pipe' },
  )
  const said = await new Response(kit.stdout).text()
  const files = await Array.fromAsync(new Glob('*.sql').scan(out))
  rmSync(out, { recursive: true })
  expect(said).toContain('No schema changes')
  expect(files.length).toBe(MIGRATIONS.length)
})

onEach('the schema', BACKENDS, ({ open }) => {
  test('sorts every text by its bytes, and needs no name of a schema', async () => {
    const opened = await open()
    const other = await opened.query(
      `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_schema = current_schema() AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
    )
    const all = await opened.query(
      `SELECT count(*)::int AS n FROM information_schema.columns
       WHERE table_schema = current_schema() AND data_type = 'text'`,
    )
    await opened.close()
    expect(other).toEqual([])
    expect(Number(all[0]?.n)).toBeGreaterThan(80)
  })
})

onEach('the migrator', BACKENDS, ({ openEmpty }) => {
  let schema: EmptySchema
  beforeEach(async () => {
    schema = await openEmpty()
  })
  afterEach(() => schema.close())

  const step = (name: string, sql = `CREATE TABLE t_${name} (i int)`): Migration => ({ name, sql })
  const run = (migrations: readonly Migration[], version = '1.0.0') =>
    migrate(schema.link, migrations, version)
  const tables = async () => {
    const rows = await schema.link.query(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }

  test('applies what is missing, once, and says what', async () => {
    expect(await run([step('0000')])).toEqual({ newest: '0000', applied: ['0000'] })
    expect(await run([step('0000'), step('0001')])).toEqual({ newest: '0001', applied: ['0001'] })
    expect(await run([step('0000'), step('0001')])).toEqual({ newest: '0001', applied: [] })
    expect(await tables()).toEqual(['schema_migration', 't_0000', 't_0001'])
  })

  test('does not pass over one that was merged late', async () => {
    await run([step('0000'), step('0002')])
    const late = await run([step('0000'), step('0001'), step('0002')])
    expect(late).toEqual({ newest: '0002', applied: ['0001'] })
    expect(await tables()).toContain('t_0001')
  })

  test('leaves a schema alone that a newer av migrated, and says which av that was', async () => {
    await run([step('0000'), step('0001')], '2.5.0')
    const fault = await faultOf(run([step('0000')], '2.4.0'))
    expect([fault.code, fault.detail.reason]).toEqual(['store_unavailable', 'newer_schema'])
    expect(fault.message).toContain('av 2.5.0')
    expect(fault.message).toContain('0001')
    const both = await faultOf(run([step('0000'), step('0000_b')], '2.4.0'))
    expect(both.detail.reason).toBe('newer_schema')
    expect(await tables()).toEqual(['schema_migration', 't_0000', 't_0001'])
  })

  test('refuses a schema whose migration of that name was another', async () => {
    await run([step('0000')])
    const fault = await faultOf(run([step('0000', 'SELECT 1'), step('0001')]))
    expect(fault.detail.reason).toBe('schema_differs')
    expect(await tables()).toEqual(['schema_migration', 't_0000'])
  })

  test('applies a migration whole or not at all', async () => {
    const broken = step('0001', 'CREATE TABLE half (i int); SELECT 1/0')
    const failure = await run([step('0000'), broken]).catch((error: Error) => error.message)
    expect(String(failure)).toContain('division by zero')
    expect(await tables()).toEqual(['schema_migration', 't_0000'])
    expect(await run([step('0000'), step('0001')])).toMatchObject({ applied: ['0001'] })
  })

  test('keeps the bytes of receipts that were text before 0006', async () => {
    await run(MIGRATIONS.slice(0, 6))
    await schema.link.query('ALTER TABLE receipt DROP CONSTRAINT receipt_repo_task_task_repo_id_fk')
    const manifest = '{"goal":"\\u0000 ü \u{1f600}","at":1.50}'
    await schema.link.query(
      `INSERT INTO receipt (repo, id, task, actor, manifest, at) VALUES ('r', 'rcp:1', 't', 'ada', $1, now())`,
      [manifest],
    )
    expect((await run(MIGRATIONS)).applied).toContain('0006_packed_receipts')
    const [row] = await schema.link.query('SELECT manifest FROM receipt')
    expect(Buffer.from(row?.manifest as Uint8Array).toString()).toBe(manifest)
  })

  test('does not touch a schema that holds something else of that name', async () => {
    await schema.link.transact([{ text: 'CREATE TABLE t_0000 (mine text)' }])
    expect((await faultOf(run([step('0000')]))).detail.reason).toBe('schema_occupied')
    expect(await tables()).toEqual(['t_0000'])
  })
})
