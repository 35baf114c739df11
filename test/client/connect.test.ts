import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { askHealth } from '../../src/api/health.ts'
import { type Answered, sendOver } from '../../src/client/connect.ts'
import {
  daemonLogs,
  daemonStart,
  daemonStatus,
  daemonStop,
} from '../../src/client/daemon-commands.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { tryLock } from '../../src/kernel-lock.ts'
import { BUILD, Household } from '../daemon/household.ts'

// Real processes: slow on a busy machine, and never a matter of the time they take.
setDefaultTimeout(60_000)

const MEI: Caller = { actor: 'mei', kind: 'human', session: null, generation: null }
const EMPTY: Answered = { data: { items: [] }, warnings: [] }
const older = { ...BUILD, id: '0.1.9+test' }
const newer = { ...BUILD, id: '0.10.0+test' }
const rebuilt = { ...BUILD, id: '0.2.0+later', writtenAtMs: 3_000 }

const list = (house: Household, given: Parameters<Household['access']>[0] = {}) =>
  sendOver(house.access(given))('repo.list', {}, MEI, 20_000)
const pidOf = async (house: Household) => (await askHealth(house.home.socket))?.pid ?? null

describe('a call', () => {
  test('starts the daemon, and the next one uses it', async () => {
    await using house = new Household()
    expect(await list(house)).toEqual(EMPTY)
    const pid = await pidOf(house)
    expect(await list(house)).toEqual(EMPTY)
    expect(await pidOf(house)).toBe(pid)
  })

  test('finds its way after the daemon was killed', async () => {
    await using house = new Household()
    const { child } = await house.run()
    child.kill('SIGKILL')
    await child.exited
    expect(await list(house)).toEqual(EMPTY)
  })

  test('of twenty at once that find no daemon makes one', async () => {
    for (let round = 0; round < 3; round++) {
      await using house = new Household()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => list(house, { opensInMs: 200 })),
      )
      expect(answers).toEqual(Array.from({ length: 20 }, () => EMPTY))
      expect(house.log().match(/ready in/g)).toHaveLength(1)
    }
  })

  test('is not sent again when the daemon goes away in the middle: the outcome is not known', async () => {
    await using house = new Household()
    const { child } = await house.run()
    const send = sendOver(house.access())
    const cut = send('task.show', { repo: 'ab', task: '20000' }, MEI, 25_000)
    await Bun.sleep(300)
    child.kill('SIGKILL')
    await expect(cut).rejects.toMatchObject({
      code: 'daemon_unreachable',
      detail: { reason: 'outcome_unknown', route: 'task.show' },
      remediation: expect.stringContaining('av log'),
    })
    expect(await pidOf(house)).toBe(null)
  })

  test('that is not answered in time says that the outcome is not known', async () => {
    await using house = new Household()
    await house.run()
    const late = sendOver(house.access())('task.show', { repo: 'ab', task: '2000' }, MEI, 200)
    await expect(late).rejects.toMatchObject({
      detail: { reason: 'outcome_unknown' },
      message: expect.stringContaining('did not answer in 0.2 s'),
    })
  })

  test('over 8 MiB is refused before it is sent', async () => {
    await using house = new Household()
    const body = 'x'.repeat(8 * 1024 * 1024)
    const large = sendOver(house.access())('record', { body }, MEI, 5_000)
    await expect(large).rejects.toMatchObject({ code: 'too_large', detail: { reason: 'body' } })
    expect(existsSync(house.home.folder)).toBe(false)
  })

  test('reaches the daemon from under a proxy', async () => {
    await using house = new Household()
    await house.run()
    const script = `
      import { askHealth } from ${JSON.stringify(join(import.meta.dir, '../../src/api/health.ts'))}
      process.stdout.write(String((await askHealth(process.argv[1])) !== null))`
    const proxy = 'http://127.0.0.1:9'
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script, house.home.socket], {
      env: { HTTP_PROXY: proxy, http_proxy: proxy, HTTPS_PROXY: proxy },
    })
    expect(stdout.toString()).toBe('true')
  })
})

describe('a daemon of another build', () => {
  for (const [what, build] of Object.entries({ version: newer, build: rebuilt })) {
    test(`gives way to a client of a later ${what}`, async () => {
      await using house = new Household()
      const { child, ended } = await house.run()
      expect(await list(house, { build })).toEqual(EMPTY)
      expect(await ended).toBe(0)
      const health = await askHealth(house.home.socket)
      expect(health?.build.id).toBe(build.id)
      expect(health?.pid).not.toBe(child.pid)
    })
  }

  test('is replaced once by many clients of a later version', async () => {
    await using house = new Household()
    await house.run()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => list(house, { build: newer })),
    )
    expect(answers).toEqual(Array.from({ length: 8 }, () => EMPTY))
    expect(house.log().match(/ready in/g)).toHaveLength(2)
  })

  for (const [what, build] of Object.entries({
    version: older,
    build: { ...BUILD, id: '0.2.0+before', writtenAtMs: 1_000 },
    'of which nobody can tell which is newer': { ...BUILD, id: '0.2.0+same' },
  })) {
    test(`refuses a client of an older ${what}, and stays`, async () => {
      await using house = new Household()
      const { child } = await house.run()
      await expect(list(house, { build })).rejects.toMatchObject({
        code: 'conflict',
        message: `This av (${build.id}, /opt/av) is older than the daemon that runs (0.2.0+test, /opt/av).`,
        detail: { reason: 'version_skew' },
      })
      expect(await pidOf(house)).toBe(child.pid)
    })
  }

  test('can be stopped by an older client', async () => {
    await using house = new Household()
    const { ended } = await house.run()
    expect(await daemonStop(house.access({ build: older }))).toMatchObject({ running: false })
    expect(await ended).toBe(0)
  })
})

describe('a daemon with other settings', () => {
  const databaseUrl = 'postgres://mei:hunter2@db.example/av'

  test('refuses the call by name, and is stopped and asked all the same', async () => {
    await using house = new Household()
    const { child } = await house.run()
    const refused = {
      code: 'conflict',
      detail: { reason: 'other_settings', setting: 'AV_DATABASE_URL' },
      message: expect.stringContaining('postgres://mei@db.example/av, not pglite'),
    }
    await expect(list(house, { databaseUrl })).rejects.toMatchObject(refused)
    const access = house.access({ databaseUrl })
    await expect(daemonStart(access)).rejects.toMatchObject(refused)
    expect(await daemonStatus(access)).toMatchObject({ pid: child.pid, store: 'pglite' })
    expect(await daemonStop(access)).toMatchObject({ running: false })
  })

  test('tells another password of the same server apart', async () => {
    await using house = new Household()
    await house.run({ databaseUrl })
    const other = databaseUrl.replace('hunter2', 'hunter3')
    await expect(list(house, { databaseUrl: other })).rejects.toMatchObject({
      detail: { reason: 'other_settings' },
      message: expect.not.stringContaining('hunter'),
    })
    expect(await list(house, { databaseUrl })).toEqual(EMPTY)
  })
})

describe('a daemon that cannot start', () => {
  test('tells why, to everybody who waited for it, after one try', async () => {
    await using house = new Household()
    const failsWith = 'Postgres at db.example does not answer.'
    const calls = Array.from({ length: 10 }, () => list(house, { failsWith, opensInMs: 300 }))
    const outcomes = await Promise.allSettled(calls)
    const faults = outcomes.map((each) => (each.status === 'rejected' ? each.reason : null))
    expect(faults.map((fault) => [fault?.code, fault?.message, fault?.detail.reason])).toEqual(
      Array.from({ length: 10 }, () => ['store_unavailable', failsWith, 'unreachable']),
    )
    expect(house.log().match(/could not start/g)).toHaveLength(1)
  })

  test('tells why, also where no file will hold it', async () => {
    await using house = new Household()
    mkdirSync(`${house.home.startError}.new`, { recursive: true })
    await expect(list(house, { failsWith: 'The disk is full.' })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The disk is full.',
    })
    expect(house.log()).toContain('could not say so')
  })

  test('is tried again by the next call, and what it said before is forgotten', async () => {
    await using house = new Household()
    await expect(list(house, { failsWith: 'No.' })).rejects.toMatchObject({ message: 'No.' })
    expect(await list(house)).toEqual(EMPTY)
    expect(existsSync(house.home.startError)).toBe(false)
  })

  test('and dies without a word is quoted with its last lines, less secrets', async () => {
    await using house = new Household()
    await expect(list(house, { dies: true })).rejects.toMatchObject({
      code: 'daemon_unreachable',
      detail: { reason: 'start_failed' },
      message: expect.stringMatching(
        /ended while it started \(1\)[\s\S]*password=\[redacted:secret\]/,
      ),
    })
  })

  test('because its program is gone is told so', async () => {
    await using house = new Household()
    const access = house.access()
    const launch = { ...access.launch, command: [join(house.root, 'gone')] }
    const call = sendOver({ ...access, launch })('repo.list', {}, MEI, 5_000)
    await expect(call).rejects.toMatchObject({
      code: 'daemon_unreachable',
      detail: { reason: 'start_failed' },
    })
  })
})

describe('an AV_HOME that cannot be used', () => {
  test('because it is a file', async () => {
    await using house = new Household()
    writeFileSync(house.home.folder, '')
    await expect(list(house)).rejects.toMatchObject({
      code: 'store_unavailable',
      detail: { reason: 'home_unwritable' },
      remediation: expect.stringContaining('AV_HOME'),
    })
  })

  test.skipIf(process.getuid?.() === 0)('because it may not be written', async () => {
    await using house = new Household()
    mkdirSync(house.home.folder)
    chmodSync(house.home.folder, 0o500)
    await expect(list(house)).rejects.toMatchObject({ detail: { reason: 'home_unwritable' } })
    chmodSync(house.home.folder, 0o700)
  })

  test.skipIf(!existsSync('/sys/kernel'))('because nobody may write there', async () => {
    await using house = new Household()
    const home = { ...house.access().home, folder: '/sys/kernel/av' }
    const call = sendOver({ ...house.access(), home })('repo.list', {}, MEI, 5_000)
    await expect(call).rejects.toMatchObject({ detail: { reason: 'home_unwritable' } })
  })
})

describe('daemon start, status, stop, logs', () => {
  test('go through a life', async () => {
    await using house = new Household()
    const access = house.access()
    const none = {
      ...{ running: false, pid: null, version: null, home: house.home.folder },
      ...{ store: null, rssBytes: null, startedAt: null },
    }
    expect(await daemonStatus(access)).toEqual(none)
    expect(await daemonStop(access)).toEqual(none)
    expect(existsSync(house.home.folder)).toBe(false)
    const started = await daemonStart(access)
    expect(started).toMatchObject({ running: true, store: 'pglite', home: house.home.folder })
    expect(started.pid).toBe(await pidOf(house))
    expect((await daemonStart(access)).pid).toBe(started.pid)
    expect((await daemonStatus(access)).pid).toBe(started.pid)
    expect(await daemonStop(access)).toEqual(none)
    const { path, text } = await daemonLogs(access, { lines: 2 })
    expect(path).toBe(house.home.log)
    expect(text).toMatch(/^\S+ \[\d+\] ends: asked to\n\S+ \[\d+\] store closed\n$/)
  })

  test('see a daemon that is there but answers nobody', async () => {
    await using house = new Household()
    mkdirSync(house.home.folder)
    const lock = tryLock(house.home.daemonLock)
    // The lock is this process's own, so another one has to look.
    const script = `
      import { daemonStatus } from ${JSON.stringify(join(import.meta.dir, '../../src/client/daemon-commands.ts'))}
      import { homeAt } from ${JSON.stringify(join(import.meta.dir, '../../src/api/home.ts'))}
      const view = await daemonStatus({ home: homeAt(process.argv[1]) })
      process.stdout.write(JSON.stringify([view.running, view.pid]))`
    writeFileSync(house.home.daemonFile, JSON.stringify({ pid: 4242 }))
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script, house.home.folder])
    lock?.release()
    expect(stdout.toString()).toBe('[true,4242]')
  })
})

test('what the daemon prints is kept out of the terminal', async () => {
  await using house = new Household()
  await list(house)
  expect(readFileSync(house.home.stderr, 'utf8')).toBe('answers\n')
})

test('a daemon that never answers does not keep a call for ever', async () => {
  await using house = new Household()
  mkdirSync(house.home.folder)
  const mute = net.createServer((socket) => mutes.push(socket))
  const mutes: net.Socket[] = []
  await new Promise<void>((resolve) => mute.listen(house.home.socket, resolve))
  const call = sendOver(house.access())('repo.list', {}, MEI, 300)
  await expect(call).rejects.toMatchObject({ detail: { reason: 'outcome_unknown' } })
  for (const socket of mutes) socket.destroy()
  await new Promise((resolve) => mute.close(resolve))
})
