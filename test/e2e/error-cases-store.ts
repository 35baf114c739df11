import { expect } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askHealth } from '../../src/api/health.ts'
import { isObject } from '../../src/api/wire.ts'
import { isAlive, until } from '../daemon/household.ts'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { inDatabase } from '../support/machine-database.ts'
import { administer, scratchDatabase } from '../support/stores.ts'
import type { Cases } from './error-case.ts'
import { MountedMachine, whyNoMounts } from './mounted-machine.ts'
import { SHOP } from './shop.ts'

const postgresUrl = process.env.AV_TEST_POSTGRES_URL ?? ''
const whyNoPostgres = () => (postgresUrl === '' ? 'AV_TEST_POSTGRES_URL is not set' : null)
const NEWER = '9001_from_the_future'
/** Nobody listens there. */
const NO_SERVER = 'postgres://mei:hunter2-hunter2@127.0.0.1:1/av'

/** The daemon, its home, and the database behind it. */
export const storeCases = {
  'two daemons': {
    is: 'refused',
    code: 'conflict',
    says: [/^A daemon already runs for AV_HOME \S+ \(process \d+\)/],
    next: '`av daemon stop` first',
    provoke: async ({ machine }) => ({ machine, words: ['daemon', 'run'] }),
    after: async ({ machine }) => {
      const { running, pid } = await machine.data('daemon.status')
      expect([running, isAlive(pid ?? 0)]).toEqual([true, true])
    },
  },
  'a daemon of another version': {
    is: 'refused',
    code: 'conflict',
    says: [
      /^This av \(\d+\.\d+\.\d+\+\w+, \S+\) is older than the daemon that runs \(9\.9\.9\+other, /,
    ],
    next: 'Use the newer av',
    provoke: async (_, made) => {
      const machine = made.use(new Machine())
      const root = makeRepo(machine.box, 'plain', SHOP)
      await machine.data('init', [], { cwd: root })
      await machine.data('daemon.stop')
      await runAnother(machine, made, '9.9.9+other')
      return { machine, words: ['log'], options: { cwd: root } }
    },
    after: async (_, { machine, options }) => {
      // The other way round it is the daemon that gives way, and no one is asked.
      await machine.data('daemon.stop')
      await using older = new AsyncDisposableStack()
      const pid = await runAnother(machine, older, '0.0.1+old')
      expect((await machine.data('log', [], options)).items).toEqual([])
      const now = await askHealth(machine.home.socket)
      expect([now?.pid === pid, now?.build.id]).toEqual([false, expect.not.stringMatching(/old$/)])
    },
  },
  'a store of a newer version (refused, untouched)': {
    is: 'refused',
    code: 'store_unavailable',
    says: ['The store was migrated by av 9.9.9', /this is av \d+\.\d+\.\d+/, NEWER],
    next: 'Use av 9.9.9 or newer. The store was left untouched.',
    provoke: async (_, made) => {
      const machine = made.use(new Machine())
      const root = makeRepo(machine.box, 'plain', SHOP)
      const options = { cwd: await startTask(machine, root), as: ADA }
      await machine.data('record', ['note', 'Before the newer one came'], options)
      await machine.data('daemon.stop')
      await inDatabase(machine, (query) =>
        query(`INSERT INTO schema_migration
          VALUES ('${NEWER}', 'a hash nobody knows', '9.9.9', '2031-01-01')`),
      )
      return { machine, words: ['record', 'note', 'By the older one'], options }
    },
    after: async (_, { machine, options }) => {
      expect(await machine.pid()).toBeNull()
      const left = await inDatabase(machine, async (query) => {
        const [row] = await query(`SELECT (SELECT count(*) FROM record) AS records,
          (SELECT max(position) FROM repo) AS position`)
        await query(`DELETE FROM schema_migration WHERE name = '${NEWER}'`)
        return row
      })
      expect(left).toMatchObject({ records: 1 })
      const { items } = await machine.data('log', ['--all'], options)
      expect(items.map(({ summary, position }) => [summary, position])).toEqual([
        ['Before the newer one came', Number(left?.position)],
      ])
    },
  },
  'the disk full (nothing acknowledged is lost)': {
    missing: whyNoMounts,
    is: 'refused',
    code: 'store_unavailable',
    says: [/\bdisk\b.*\bfull\b/],
    next: 'Free some space',
    provoke: async (_, made) => {
      const machine = made.use(await MountedMachine.make('size=64m'))
      const root = makeRepo(machine.box, 'plain', SHOP)
      const options = { cwd: await startTask(machine, root), as: ADA }
      await machine.fill(512)
      const kept = await recordUntilRefused(machine, options.cwd)
      expect(kept.length).toBeGreaterThan(0)
      return { machine, words: ['record', 'note', 'One more', '--body', bulk(0)], options, kept }
    },
    after: async (_, { machine, options, kept = [] }) => {
      if (machine instanceof MountedMachine) await machine.inside('rm "$AV_HOME/ballast"')
      const fresh = await machine.data('record', ['note', 'There is room again'], options)
      const { items } = await machine.data('log', ['--all'], options)
      expect(items.map(({ id }) => id)).toEqual([fresh.id, ...kept])
    },
  },
  'Postgres unreachable (writes refused, never queued silently)': {
    is: 'refused',
    code: 'store_unavailable',
    says: [/^The database server at postgres:\/\/127\.0\.0\.1:1\/av cannot be reached: /],
    next: 'Start the server, or correct AV_DATABASE_URL. Nothing was stored.',
    provoke: async (_, made) => {
      const machine = made.use(new Machine({ AV_DATABASE_URL: NO_SERVER }))
      const root = makeRepo(machine.box, 'plain', SHOP)
      return { machine, words: ['init'], options: { cwd: root } }
    },
    after: async (_, { machine }) => {
      // Nothing waits for the server, and nobody else's store was taken instead.
      expect(await machine.pid()).toBeNull()
      expect(machine.box.attempt('/', 'ls', join(machine.home.folder, 'pgdata')).code).not.toBe(0)
      expect(machine.box.attempt('/', 'grep', '-ra', 'hunter2', machine.home.folder).code).toBe(1)
    },
  },
  'Postgres without rights to migrate': {
    missing: whyNoPostgres,
    is: 'refused',
    code: 'store_unavailable',
    says: [/the role av_guest_\d+ lacks CREATE on schema public of database av_test_\w+/],
    next: /grant that right, or run `av migrate` once as a role that has it/,
    provoke: async (_, made) => {
      const database = await scratchDatabase(postgresUrl)
      const role = `av_guest_${process.pid}`
      await administer(postgresUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'hunter2-hunter2'`)
      const url = new URL(database.url)
      url.username = role
      url.password = 'hunter2-hunter2'
      const machine = new Machine({ AV_DATABASE_URL: url.toString() })
      made.defer(async () => {
        await machine[Symbol.asyncDispose]()
        await database.drop()
        await administer(postgresUrl, `DROP ROLE ${role}`)
      })
      const root = makeRepo(machine.box, 'plain', SHOP)
      return { machine, words: ['init'], options: { cwd: root } }
    },
  },
  'Qdrant down (packs go on, `degraded: semantic`)': {
    is: 'survived',
    prove: async (_, made) => {
      // Nothing listens on port 1.
      const machine = made.use(new Machine({ AV_QDRANT_URL: 'http://127.0.0.1:1' }))
      const root = makeRepo(machine.box, 'plain', SHOP)
      await machine.data('init', [], { cwd: root })
      const words = ['Refresh sessions']
      const { workspace } = await machine.data('task.start', words, { cwd: root, as: ADA })
      const where = { cwd: workspace ?? '', as: ADA }
      const { text, degraded } = await machine.data('pack', [], where)
      expect(degraded).toEqual(['semantic'])
      expect(text).toContain('degraded: semantic\n')
      expect(text).toContain('src/session.ts')
    },
  },
  'an unwritable `AV_HOME`': {
    is: 'refused',
    code: 'store_unavailable',
    says: [/^AV_HOME \S+ is not a folder/],
    next: 'Make the folder writable for you, or set AV_HOME',
    provoke: async (_, made) => {
      const machine = made.use(new Machine())
      writeFileSync(machine.home.folder, 'a file in its place\n')
      const root = makeRepo(machine.box, 'plain', SHOP)
      return { machine, words: ['init'], options: { cwd: root } }
    },
    after: async (_, { machine }) => {
      expect(readFileSync(machine.home.folder, 'utf8')).toBe('a file in its place\n')
      rmSync(machine.home.folder)
    },
  },
} as const satisfies Cases

/** A daemon of another build on this machine's home, as `test/daemon/child.ts` makes them. */
async function runAnother(
  machine: Machine,
  made: AsyncDisposableStack,
  id: string,
): Promise<number> {
  const options = {
    ...{ home: machine.home.folder, build: { id, writtenAtMs: 2_000, program: '/opt/av' } },
    ...{ idleSecs: 0, databaseUrl: '', port: null, failsWith: null, dies: false, opensInMs: 0 },
  }
  const program = join(import.meta.dir, '../daemon/child.ts')
  const child = Bun.spawn([process.execPath, program, JSON.stringify(options)], {
    cwd: machine.box.dir,
    env: machine.environment({}),
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  made.defer(async () => {
    child.kill('SIGKILL')
    await child.exited
  })
  await until(async () => (await machine.pid()) === child.pid)
  return child.pid
}

/** The workspace of a new task of Ada's. */
async function startTask(machine: Machine, root: string): Promise<string> {
  await machine.data('init', [], { cwd: root })
  const task = await machine.data('task.start', ['Begin'], { cwd: root, as: ADA })
  return task.workspace ?? ''
}

/** Records until the disk is full; the ids of those that were acknowledged, newest first. */
async function recordUntilRefused(machine: Machine, cwd: string): Promise<string[]> {
  const kept: string[] = []
  for (let count = 1; count <= 400; count++) {
    const words = ['record', 'note', `Number ${count}`, '--body', bulk(count), '--json']
    const { code, out } = await machine.run(words, { cwd, as: ADA })
    const answer: unknown = JSON.parse(out)
    if (!isObject(answer)) throw new Error(out)
    if (code !== 0) return kept
    if (isObject(answer.data)) kept.unshift(String(answer.data.id))
  }
  throw new Error('the disk never filled up')
}

/** 16,000 bytes that no database compresses. */
function bulk(seed: number): string {
  let state = seed + 1
  let text = ''
  while (text.length < 16_000) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += state.toString(36)
  }
  return text.slice(0, 16_000)
}
