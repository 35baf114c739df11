import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fault } from '../../src/domain/fault.ts'
import { migrate } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import { openPGlite } from '../../src/store/pglite.ts'
import { sqlStore } from '../../src/store/sql-store.ts'
import type { FillReport } from '../support/disk-filler.ts'
import { faultOf, refusalOf } from '../support/faults.ts'
import { ada, newRecord, repoWithTask } from '../support/store-facts.ts'

setDefaultTimeout(60_000)

const FILLER = join(import.meta.dir, '../support/disk-filler.ts')

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'av-store-'))
})
afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

const open = () => openStore({ databaseUrl: null, home, version: '0.0.0-test' })

describe('PGlite in a folder', () => {
  test('keeps what it was given', async () => {
    const first = await open()
    expect(first.schema.applied).toEqual(MIGRATIONS.map(({ name }) => name))
    const { repo, task } = await repoWithTask(first.store)
    await first.store.close()
    const second = await open()
    expect(second.schema).toEqual({ newest: MIGRATIONS.at(-1)!.name, applied: [] })
    expect(await second.store.task(repo, task.id)).toEqual(task)
    await second.store.close()
    expect(await refusalOf(second.store.repos())).toBe('store_unavailable/closed')
  })

  test('syncs every acknowledged write to the disk, and can be looked after', async () => {
    const { database, link, fsyncs } = await openPGlite(join(home, 'pgdata'), {})
    await migrate(link, MIGRATIONS, '0.0.0-test')
    const store = sqlStore(database)
    const { repo, task } = await repoWithTask(store)
    for (let n = 0; n < 10; n++) {
      const before = fsyncs()
      await store.addRecord(repo, newRecord(task.id), ada, 'owner')
      expect(fsyncs()).toBeGreaterThan(before)
    }
    const reading = fsyncs()
    await store.listRecords(repo, { all: true }, 10)
    expect(fsyncs()).toBe(reading)
    await store.maintain()
    const [row] = await link.query(
      `SELECT reltuples AS rows FROM pg_class WHERE oid = 'record'::regclass`,
    )
    expect(row?.rows).toBe(10)
    await store.close()
  })

  test('finishes or refuses what is under way when it is closed', async () => {
    const { store } = await open()
    const { repo, task } = await repoWithTask(store)
    const writes = Array.from({ length: 10 }, () =>
      store.addRecord(repo, newRecord(task.id), ada, 'owner').then(
        ({ id }) => id,
        (fault: Fault) => fault.detail.reason,
      ),
    )
    const care = store.maintain()
    await store.close()
    const ends = await Promise.all(writes)
    await care.catch((fault: Fault) => expect(fault.detail.reason).toBe('closed'))
    const again = await open()
    const { items } = await again.store.listRecords(repo, { all: true }, 100)
    await again.store.close()
    const acked = ends.filter((end) => end !== 'closed')
    expect(new Set(acked)).toEqual(new Set(items.map(({ id }) => id)))
  })

  test('leaves a folder of another PostgreSQL alone', async () => {
    const folder = join(home, 'pgdata')
    mkdirSync(folder)
    writeFileSync(join(folder, 'PG_VERSION'), '17\n')
    const fault = await faultOf(open())
    expect([fault.code, fault.detail.reason]).toEqual(['store_unavailable', 'other_major'])
    expect(fault.message).toContain('PostgreSQL 17')
    expect(readdirSync(folder)).toEqual(['PG_VERSION'])
  })

  test('leaves a folder alone that holds no database', async () => {
    const folder = join(home, 'pgdata')
    mkdirSync(folder)
    writeFileSync(join(folder, 'photo.jpg'), '')
    expect((await faultOf(open())).detail.reason).toBe('not_a_store')
    expect(readdirSync(home)).toEqual(['pgdata'])
    expect(readdirSync(folder)).toEqual(['photo.jpg'])
  })

  test('makes it whole when it was cut off while it was made', async () => {
    mkdirSync(join(home, 'pgdata.init/base'), { recursive: true })
    writeFileSync(join(home, 'pgdata.init/PG_VERSION'), '18')
    mkdirSync(join(home, 'pgdata'))
    const { store } = await open()
    await repoWithTask(store)
    await store.close()
    expect(existsSync(join(home, 'pgdata.init'))).toBe(false)
  })

  test('says which folder cannot be written', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    const opening = openStore({ databaseUrl: null, home: join(file, 'sub'), version: '0' })
    const fault = await faultOf(opening)
    expect(fault.detail.reason).toBe('home_unwritable')
    expect(fault.message).toContain(join(file, 'sub'))
  })

  test('says so when its files are damaged', async () => {
    const { store } = await open()
    await store.close()
    writeFileSync(join(home, 'pgdata/global/pg_control'), 'no')
    expect((await faultOf(open())).detail.reason).toBe('cannot_open')
  })
})

/** A file system of its own that is soon full takes the rights to mount one. */
const canMount = tryMount()

describe.skipIf(!canMount)(
  `PGlite on a full disk${canMount ? '' : ' (skipped: no right to mount a small file system)'}`,
  () => {
    let disk: string
    beforeEach(() => {
      disk = join(home, 'disk')
      mkdirSync(disk)
      expect(mount(disk, 72).exitCode).toBe(0)
    })
    afterEach(() => {
      Bun.spawnSync(['umount', disk])
    })

    test.each(['rows', 'wal'])(
      'ends in one clear fault, and loses nothing (%s)',
      async (mode) => {
        const ballast = join(disk, 'ballast')
        writeFileSync(ballast, Buffer.alloc(8 << 20))
        const full = await runFiller(disk, mode)
        expect(full.reasons).toEqual(Array(4).fill('store_unavailable/disk_full'))
        expect(full.fatal).toBe(1)
        expect(full.acked).toBeGreaterThan(0)
        const still = await runFiller(disk, 'look')
        if (still.reasons.length > 0) expect(still.reasons).toEqual(['store_unavailable/disk_full'])
        rmSync(ballast)
        const freed = await runFiller(disk, 'look')
        expect([freed.reasons, freed.records]).toEqual([[], full.acked])
      },
      60_000,
    )

    test('cannot be made there, and says so', async () => {
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(50 << 20))
      expect((await runFiller(disk, 'look')).reasons).toEqual(['store_unavailable/disk_full'])
      rmSync(join(disk, 'ballast'))
      expect(await runFiller(disk, 'look')).toMatchObject({ reasons: [], records: 0 })
    })
  },
)

async function runFiller(folder: string, mode: string): Promise<FillReport> {
  const child = Bun.spawn([process.execPath, FILLER, folder, mode], {
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: 40_000,
    killSignal: 'SIGKILL',
  })
  return JSON.parse(await new Response(child.stdout).text())
}

function mount(folder: string, megabytes: number): Bun.SyncSubprocess {
  return Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
}

function tryMount(): boolean {
  if (process.platform !== 'linux') return false
  const folder = mkdtempSync(join(tmpdir(), 'av-mount-'))
  const isMounted = mount(folder, 1).exitCode === 0
  if (isMounted) Bun.spawnSync(['umount', folder])
  rmSync(folder, { recursive: true })
  return isMounted
}
