import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDatabase } from '../support/stores.ts'
import { isAlive, until } from './household.ts'
import { Program } from './program.ts'

// Real processes and databases: slow on a busy machine, and never a matter of the time they take.
setDefaultTimeout(120_000)

const MIGRATED = { ok: true, data: { store: 'pglite', schema: expect.any(String) } }
const SERVER = process.env.AV_TEST_POSTGRES_URL ?? ''

describe('the first command', () => {
  test('of twenty at once starts one daemon, and all are answered, three times over', async () => {
    for (let round = 0; round < 3; round++) {
      await using program = new Program()
      const commands = Array.from({ length: 20 }, () => program.av(['migrate', '--json']))
      const ran = await Promise.all(commands)
      expect(ran.map(({ exit, err }) => [exit, err])).toEqual(ran.map(() => [0, '']))
      for (const { out } of ran) expect(JSON.parse(out)).toMatchObject(MIGRATED)
      expect(readFileSync(program.home.log, 'utf8').match(/ready in/g)).toHaveLength(1)
    }
  })

  test('after the daemon was killed starts another', async () => {
    await using program = new Program()
    await program.av(['migrate'])
    const pid = (await program.pid()) ?? 0
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    const { exit, out } = await program.av(['migrate', '--json'])
    expect([exit, JSON.parse(out).data.applied]).toEqual([0, []])
    expect(await program.pid()).not.toBe(pid)
  })

  test('leaves a daemon that ends when it is idle, and the next one starts another', async () => {
    await using program = new Program({ AV_IDLE_SECS: '1' })
    await program.av(['migrate'])
    await until(async () => (await program.pid()) === null)
    expect((await program.av(['migrate'])).exit).toBe(0)
    expect(readFileSync(program.home.log, 'utf8')).toContain('ends: idle for 1 s')
  })
})

test('nothing that was acknowledged is lost when the daemon is killed, time after time', async () => {
  await using program = new Program()
  const acknowledged: string[] = []
  for (let round = 0; round < 10; round++) {
    expect((await program.av(['daemon', 'start'])).err).toBe('')
    const pid = (await program.pid()) ?? 0
    const writers = [0, 1, 2].map((writer) => writeUntilDead(program, `${round}-${writer}`))
    await Bun.sleep(100 + 15 * round)
    process.kill(pid, 'SIGKILL')
    acknowledged.push(...(await Promise.all(writers)).flat())
  }
  await program.av(['daemon', 'start'])
  const { data } = await post(program, 'repo.list', {})
  const kept = new Set((data.items as { readonly repo: string }[]).map(({ repo }) => repo))
  expect(acknowledged.length).toBeGreaterThan(0)
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([])
})

/** Makes one repo after another until nobody answers; gives the names that were acknowledged. */
async function writeUntilDead(program: Program, prefix: string): Promise<string[]> {
  const acknowledged: string[] = []
  for (let at = 0; at < 30; at++) {
    const name = `${prefix}-${at}`
    const remotes = { origin: `https://example.org/${name}` }
    const trunk = { trunkName: 'main', trunkCommit: null, clone: 'here' }
    const where = { folder: name, rootCommits: [], remotes, ...trunk }
    const answered = await post(program, 'init', { name, known: null, ...where }).catch(() => null)
    if (answered === null) break
    expect(answered).toMatchObject({ ok: true, data: { repo: name } })
    acknowledged.push(name)
  }
  return acknowledged
}

/** A call as any program may make it, without av's own client. */
async function post(program: Program, route: string, args: object) {
  const response = await fetch(`http://av/v1/${route}`, {
    unix: program.home.socket,
    method: 'POST',
    keepalive: false,
    headers: { 'content-type': 'application/json', 'av-actor': 'mei' },
    body: JSON.stringify(args),
  })
  return (await response.json()) as { readonly ok: boolean; readonly data: Record<string, unknown> }
}

describe('what kept the daemon from starting', () => {
  test('is what the command says: a server that is not there', async () => {
    await using program = new Program()
    const env = { AV_DATABASE_URL: 'postgres://mei:hunter2@127.0.0.1:1/av' }
    const { exit, out } = await program.av(['migrate', '--json'], env)
    expect(exit).toBe(7)
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'store_unavailable' } })
    expect(out).not.toContain('hunter2')
    expect(readFileSync(program.home.log, 'utf8')).not.toContain('hunter2')
  })

  test('is what the command says: an AV_HOME that cannot be used', async () => {
    await using program = new Program()
    writeFileSync(program.home.folder, '')
    const { exit, err } = await program.av(['migrate'])
    expect(exit).toBe(7)
    expect(err).toStartWith(`Error: AV_HOME ${program.home.folder} is not a folder`)
    expect(err).toContain('\nHint: ')
  })
})

describe('other settings', () => {
  test('than the daemon has are refused, but stop and status are not', async () => {
    await using program = new Program()
    await program.av(['migrate'])
    const pid = await program.pid()
    const env = { AV_DATABASE_URL: 'postgres://mei:hunter2@127.0.0.1:1/av' }
    const refused = await program.av(['migrate', '--json'], env)
    expect(refused.exit).toBe(6)
    expect(JSON.parse(refused.out)).toMatchObject({
      error: { code: 'conflict', detail: { reason: 'other_settings' } },
    })
    expect(refused.out).not.toContain('hunter2')
    const status = await program.av(['daemon', 'status', '--json'], env)
    expect(JSON.parse(status.out).data).toMatchObject({ running: true, pid, store: 'pglite' })
    const stopped = await program.av(['daemon', 'stop', '--json'], env)
    expect([stopped.exit, JSON.parse(stopped.out).data.running]).toEqual([0, false])
    await until(() => !isAlive(pid ?? 0))
  })

  test.skipIf(!SERVER)('lead to a server, which a killed daemon leaves as it was', async () => {
    const database = await scratchDatabase(SERVER)
    {
      await using program = new Program({ AV_DATABASE_URL: database.url })
      const first = await program.av(['migrate', '--json'])
      expect([first.exit, JSON.parse(first.out).data.store]).toEqual([
        0,
        expect.stringMatching(/^postgres:/),
      ])
      const pid = (await program.pid()) ?? 0
      process.kill(pid, 'SIGKILL')
      await until(() => !isAlive(pid))
      const second = await program.av(['migrate', '--json'])
      expect([second.exit, JSON.parse(second.out).data.applied]).toEqual([0, []])
      expect(existsSync(join(program.home.folder, 'pgdata'))).toBe(false)
    }
    await database.drop()
  })
})

describe('a daemon by hand', () => {
  test('runs in the foreground, with a port, until Ctrl-C; a second one is told so', async () => {
    await using program = new Program()
    const child = program.start(['daemon', 'run', '--port', '0'])
    const err = child.stderr.getReader()
    const said = new TextDecoder().decode((await err.read()).value)
    const port = /and on 127\.0\.0\.1:(\d+)\n$/.exec(said)?.[1] ?? 'none'
    const token = readFileSync(program.home.token, 'utf8').trim()
    const answer = await fetch(`http://127.0.0.1:${port}/v1/openapi.json`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(((await answer.json()) as { readonly openapi: string }).openapi).toBe('3.1.0')
    const second = await program.av(['daemon', 'run'])
    expect(second.exit).toBe(6)
    expect(second.err).toContain(`(process ${child.pid})`)
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
  })
})

describe('output that nobody reads to its end', () => {
  test('ends quietly', async () => {
    await using program = new Program()
    const av = program.start(['config'])
    await av.stdout.cancel()
    expect([await av.exited, await new Response(av.stderr).text()]).toEqual([0, ''])
  })
})

test('the version needs neither settings nor a home', async () => {
  await using program = new Program({ AV_LEASE_SECS: 'nonsense' })
  const { exit, out, err } = await program.av(['--version'])
  expect([exit, err]).toEqual([0, ''])
  expect(out).toMatch(/^av \d+\.\d+\.\d+\+\w+\n$/)
  expect(existsSync(program.home.folder)).toBe(false)
  expect((await program.av(['migrate'])).exit).toBe(2)
})
