import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import type { Fault } from '../../src/domain/fault.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import { linkPostgres, serverAddress } from '../../src/store/postgres.ts'
import { faultOf, refusalOf } from '../support/faults.ts'
import { ada, newRepo, newTask, repoWithTask } from '../support/store-facts.ts'
import { administer, onEach, SERVERS, scratchDatabase, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

const SECRET = 'sesame-open'

function open(databaseUrl: string) {
  return openStore({ databaseUrl, home: 'unused', version: '0.0.0-test' })
}

function said(fault: Fault): string {
  return [fault.message, fault.remediation, JSON.stringify(fault.detail)].join('\n')
}

describe('a server that is not there', () => {
  test('is said to be unreachable, without the password', async () => {
    const fault = await faultOf(open(`postgres://ada:${SECRET}@127.0.0.1:1/shop`))
    expect([fault.code, fault.detail.reason]).toEqual(['store_unavailable', 'unreachable'])
    expect(fault.message).toContain('postgres://127.0.0.1:1/shop')
    expect(said(fault)).not.toContain(SECRET)
  })

  test('has to be named by a URL', async () => {
    for (const url of [`mysql://x:${SECRET}@h/d`, SECRET, `postgres://[${SECRET}`]) {
      const fault = await faultOf(open(url))
      expect([fault.code, fault.detail.reason]).toEqual(['bad_input', 'bad_database_url'])
      expect(said(fault)).not.toContain(SECRET)
    }
  })

  test('is shown to people without credentials', () => {
    expect(serverAddress(`postgres://ada:${SECRET}@db.example:5433/shop?sslmode=require`)).toBe(
      'postgres://db.example:5433/shop',
    )
    expect(serverAddress('postgres:///shop?host=/run/pg')).toBe('postgres:///run/pg/shop')
    expect(serverAddress(SECRET)).toBe('a Postgres server')
  })
})

onEach('a server', SERVERS.slice(0, 1), ({ url: server }) => {
  let scratch: Awaited<ReturnType<typeof scratchDatabase>>
  const role = `av_test_role_${process.pid}`
  beforeEach(async () => {
    scratch = await scratchDatabase(server)
  })
  afterEach(async () => {
    await scratch.drop()
    await administer(server, `DROP ROLE IF EXISTS ${role}`)
  })

  const as = (user: string, options = '') => {
    const url = new URL(scratch.url)
    if (user !== '') url.username = user
    url.password = user === role ? SECRET : url.password
    if (options !== '') url.searchParams.set('options', options)
    return url.toString()
  }

  test('that refuses the login says so', async () => {
    const fault = await faultOf(open(as('nobody_of_that_name')))
    expect(fault.detail.reason).toBe('login_refused')
    const none = new URL(scratch.url)
    none.pathname = '/no_such_database'
    expect((await faultOf(open(none.toString()))).detail.reason).toBe('no_database')
  })

  test('whose database is not UTF-8 is refused', async () => {
    const name = `${scratch.name}_ascii`
    await administer(
      server,
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
    )
    const url = new URL(server)
    url.pathname = `/${name}`
    const fault = await faultOf(open(url.toString()))
    await administer(server, `DROP DATABASE ${name}`)
    expect(fault.detail.reason).toBe('not_utf8')
  })

  test('names the right that a role lacks to migrate; reading needs none of it', async () => {
    await administer(server, `CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`)
    const denied = await faultOf(open(as(role)))
    expect([denied.code, denied.detail.reason]).toEqual(['store_unavailable', 'no_rights'])
    expect(denied.message).toContain(`the role ${role} lacks CREATE on schema public`)
    expect(said(denied)).not.toContain(SECRET)

    const owner = await open(scratch.url)
    const { repo, task } = await repoWithTask(owner.store)
    await owner.store.close()
    await administer(scratch.url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
    const { store, schema } = await open(as(role))
    expect(schema.applied).toEqual([])
    expect((await store.task(repo, task.id))?.goal).toBe('Fix the login')
    expect(await refusalOf(store.createTask(repo, newTask(), ada))).toBe(
      'store_unavailable/no_rights',
    )
    await store.close()
    await administer(scratch.url, `DROP OWNED BY ${role}`)
  })

  test('keeps teams apart that each come first to a schema of their own', async () => {
    await administer(scratch.url, 'CREATE SCHEMA "Team ""1"""')
    await administer(scratch.url, 'CREATE SCHEMA two')
    const one = await open(as('', '-c search_path="Team\\ ""1""",public'))
    const two = await open(as('', '-csearch_path=two,public'))
    expect(two.schema.applied).toEqual(one.schema.applied)
    await repoWithTask(one.store)
    expect([(await one.store.repos()).length, (await two.store.repos()).length]).toEqual([1, 0])
    await one.store.close()
    await two.store.close()
    const nowhere = await faultOf(open(as('', '-csearch_path=three')))
    expect(nowhere.detail.reason).toBe('no_schema')
  })

  test('is migrated by one of many that open it at once', async () => {
    for (let round = 0; round < 5; round++) {
      await administer(scratch.url, 'DROP SCHEMA public CASCADE')
      await administer(scratch.url, 'CREATE SCHEMA public')
      const opened = await Promise.all([1, 2, 3, 4, 5].map(() => open(scratch.url)))
      const applied = opened.map(({ schema }) => schema.applied.length).sort()
      expect(applied).toEqual([0, 0, 0, 0, MIGRATIONS.length])
      for (const { store } of opened) await store.close()
    }
  })

  test('gives types and times that do not depend on its settings', async () => {
    for (const setting of [
      `DateStyle = 'SQL, DMY'`,
      `TimeZone = 'Asia/Kolkata'`,
      `default_transaction_isolation = 'serializable'`,
    ])
      await administer(server, `ALTER DATABASE ${scratch.name} SET ${setting}`)
    const { store } = await open(scratch.url)
    const { repo, task } = await repoWithTask(store)
    expect(Math.abs(Date.parse(task.createdAt) - Date.now())).toBeLessThan(600_000)
    expect(await store.task(repo, task.id)).toEqual(task)
    await store.close()
  })

  test('answers nothing after the store was closed', async () => {
    const { store } = await open(scratch.url)
    await store.close()
    await store.close()
    expect(await refusalOf(store.repos())).toBe('store_unavailable/closed')
    expect(await refusalOf(store.createRepo(newRepo(), ada))).toBe('store_unavailable/closed')
  })
})

onEach('a server on which a newer av has been', SERVERS.slice(0, 1), ({ open: openTest }) => {
  let opened: TestStore
  beforeAll(async () => {
    opened = await openTest()
  })
  afterAll(() => opened.close())

  test('takes no more facts from an older one that still runs', async () => {
    const { repo, task } = await repoWithTask(opened.store)
    await opened.query(
      `INSERT INTO schema_migration (name, hash, version, applied_at) VALUES ('9999_next', '', '9.0.0', now())`,
    )
    expect(await refusalOf(opened.store.createTask(repo, newTask(), ada))).toBe(
      'store_unavailable/newer_schema',
    )
    expect((await opened.store.task(repo, task.id))?.id).toBe(task.id)
    expect<unknown>((await opened.store.repo(repo))?.position).toBe(1)
  })
})

onEach('a link', SERVERS.slice(0, 1), ({ url }) => {
  test('takes several statements, all or nothing', async () => {
    const scratch = await scratchDatabase(url)
    const link = await linkPostgres(scratch.url)
    await link.transact([{ text: 'CREATE TABLE a (i int); CREATE TABLE b (i int)' }])
    const broken = [{ text: 'INSERT INTO a VALUES (1)' }, { text: 'SELECT $1::int', values: ['x'] }]
    expect(await link.transact(broken).catch(() => 'failed')).toBe('failed')
    expect(await link.query('SELECT count(*) AS n FROM a')).toEqual([{ n: 0 }])
    await link.close()
    await scratch.drop()
  })
})
