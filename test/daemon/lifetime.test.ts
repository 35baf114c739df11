import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askHealth } from '../../src/api/health.ts'
import { sendOver } from '../../src/client/connect.ts'
import type { Caller } from '../../src/domain/actor.ts'
import type { Fault } from '../../src/domain/fault.ts'
import { Household, isAlive, until } from './household.ts'

// Real processes: slow on a busy machine, and never a matter of the time they take.
setDefaultTimeout(60_000)

const MEI: Caller = { actor: 'mei', kind: 'human', session: null, generation: null }
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const show = (ms: number) => ({ repo: 'ab', task: String(ms) })

describe('a daemon', () => {
  test('answers on a socket that its owner alone may open', async () => {
    await using house = new Household()
    await house.run()
    const { home } = house
    expect(modeOf(home.folder)).toBe('700')
    expect(modeOf(home.socket)).toBe('600')
    expect(modeOf(home.log)).toBe('600')
    expect(modeOf(home.daemonFile)).toBe('600')
    const health = await askHealth(home.socket)
    expect(health).toMatchObject({ running: true, home: home.folder, store: 'pglite', port: null })
    const note: unknown = JSON.parse(readFileSync(home.daemonFile, 'utf8'))
    expect(note).toMatchObject({ pid: health?.pid, build: { id: '0.2.0+test' }, protocol: 1 })
  })

  test('closes a folder of its own, and leaves one that others use as it is', async () => {
    await using ours = new Household()
    mkdirSync(ours.home.folder, { mode: 0o755 })
    await sendOver(ours.access())('repo.list', {}, MEI, 10_000)
    expect(modeOf(ours.home.folder)).toBe('700')
    expect(modeOf(ours.home.spawnLock)).toBe('600')

    await using theirs = new Household()
    mkdirSync(theirs.home.folder, { mode: 0o755 })
    writeFileSync(join(theirs.home.folder, 'letters.txt'), 'dear')
    await sendOver(theirs.access())('repo.list', {}, MEI, 10_000)
    expect(modeOf(theirs.home.folder)).toBe('755')
    expect(modeOf(theirs.home.socket)).toBe('600')
  })

  test('works below a path that is longer than a socket address', async () => {
    await using house = new Household(`${'d'.repeat(90)}/${'e'.repeat(90)}`)
    await house.run()
    expect(await askHealth(house.home.socket)).toMatchObject({ running: true })
  })

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`ends in order on ${signal}`, async () => {
      await using house = new Household()
      const { child, ended } = await house.run()
      child.kill(signal)
      expect(await ended).toBe(0)
      expect(existsSync(house.home.socket)).toBe(false)
      expect(existsSync(house.home.daemonFile)).toBe(false)
      expect(house.log()).toContain(`ends: ${signal}`)
      expect(house.log()).toContain('store closed')
    })
  }

  test('answers what is under way before it ends', async () => {
    await using house = new Household()
    const { child, ended } = await house.run()
    const send = sendOver(house.access())
    const calls = [300, 350, 400].map((ms) => send('task.show', show(ms), MEI, 5_000))
    await until(async () => (await askHealth(house.home.socket)) !== null)
    await Bun.sleep(100)
    child.kill('SIGTERM')
    const outcomes = await Promise.allSettled(calls)
    expect(
      outcomes.map((each) => each.status === 'rejected' && String(each.reason.message)),
    ).toEqual(['Slept for 300 ms.', 'Slept for 350 ms.', 'Slept for 400 ms.'])
    expect(await ended).toBe(0)
  })

  test('ends when nobody used it for a while, after it saw to its store', async () => {
    await using house = new Household()
    const { ended } = await house.run({ idleSecs: 1 })
    await sendOver(house.access({ idleSecs: 1 }))('repo.list', {}, MEI, 5_000)
    expect(await ended).toBe(0)
    const [maintained, ends] = ['maintained', 'ends: idle for 1 s'].map((w) =>
      house.log().indexOf(w),
    )
    expect(maintained).toBeGreaterThan(0)
    expect(ends).toBeGreaterThan(maintained ?? 0)
  })

  test('gives memory back in the pause after a call, once', async () => {
    await using house = new Household()
    const { ended } = await house.run({ idleSecs: 2 })
    await sendOver(house.access({ idleSecs: 2 }))('repo.list', {}, MEI, 5_000)
    expect(await ended).toBe(0)
    const lines = house.log().match(/repo\.list|tidied|maintained/g)
    expect(lines).toEqual(['repo.list', 'tidied', 'maintained'])
  })

  test('ends when its store is dead, and the next call finds another', async () => {
    await using house = new Household()
    const { child, ended } = await house.run()
    const send = sendOver(house.access())
    const failed = send('task.list', { repo: 'ab' }, MEI, 5_000)
    await expect(failed).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(await ended).toBe(0)
    expect(house.log()).toContain('ends: the store is dead: PANIC')
    await send('repo.list', {}, MEI, 5_000)
    expect((await askHealth(house.home.socket))?.pid).not.toBe(child.pid)
  })

  test('ends in order on a defect that nobody caught, and logs where it was', async () => {
    await using house = new Household()
    const { ended } = await house.run()
    const args = { repo: 'ab', path: null, view: null }
    await sendOver(house.access())('log', args, MEI, 5_000)
    expect(await ended).toBe(0)
    expect(house.log()).toMatch(/nobody caught: Error: left behind at [^\n]*child\.ts/)
    expect(house.log()).toContain('ends: a defect')
  })

  test('that is the second one says so, and leaves the first alone', async () => {
    await using house = new Household()
    const { child } = await house.run()
    const second = await house.run()
    expect(await second.ended).toBe(6)
    expect(await second.stderr()).toBe(
      `A daemon already runs for AV_HOME ${house.home.folder} (process ${child.pid}).\n`,
    )
    expect((await askHealth(house.home.socket))?.pid).toBe(child.pid)
    expect(existsSync(house.home.startError)).toBe(false)
  })

  test('takes over from one that is just ending', async () => {
    await using house = new Household()
    const first = await house.run()
    const slow = sendOver(house.access())('task.show', show(400), MEI, 5_000).catch(() => null)
    await Bun.sleep(100)
    first.child.kill('SIGTERM')
    await until(() => !existsSync(house.home.socket))
    const second = await house.run()
    expect((await askHealth(house.home.socket))?.pid).toBe(second.child.pid)
    expect(await first.ended).toBe(0)
    await slow
  })

  test('ends when its AV_HOME was taken away, and leaves its successor alone', async () => {
    await using house = new Household()
    const first = await house.run()
    rmSync(house.home.folder, { recursive: true })
    const second = await house.run()
    expect(await first.ended).toBe(0)
    expect((await askHealth(house.home.socket))?.pid).toBe(second.child.pid)
    expect(existsSync(house.home.daemonFile)).toBe(true)
  })

  test('takes over the socket of one that was killed', async () => {
    await using house = new Household()
    const first = await house.run()
    first.child.kill('SIGKILL')
    await first.ended
    expect(existsSync(house.home.socket)).toBe(true)
    const second = await house.run()
    expect((await askHealth(house.home.socket))?.pid).toBe(second.child.pid)
  })
})

describe('over TCP', () => {
  test('it wants the token, which its owner alone may read', async () => {
    await using house = new Household()
    await house.run({ port: 0 })
    const health = await askHealth(house.home.socket)
    const url = `http://127.0.0.1:${health?.port}/v1/health`
    expect((await fetch(url)).status).toBe(401)
    expect(modeOf(house.home.token)).toBe('600')
    const token = readFileSync(house.home.token, 'utf8').trim()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    const authorization = `Bearer ${token}`
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200)
    const rebound = await fetch(url, { headers: { authorization, host: 'rebound.example' } })
    expect(rebound.status).toBe(401)
  })

  test('it keeps the token from one start to the next', async () => {
    await using house = new Household()
    const first = await house.run({ port: 0 })
    const token = readFileSync(house.home.token, 'utf8')
    first.child.kill('SIGTERM')
    await first.ended
    await house.run({ port: 0 })
    expect(readFileSync(house.home.token, 'utf8')).toBe(token)
  })

  test('a port that is taken is named, and nothing stays behind', async () => {
    await using house = new Household()
    const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
    const { ended, stderr } = await house.run({ port: taken.port ?? 0 })
    expect(await ended).toBe(6)
    expect(await stderr()).toBe(`Port ${taken.port} of 127.0.0.1 cannot be listened on.\n`)
    expect(existsSync(house.home.socket)).toBe(false)
    await taken.stop(true)
  })
})

test('an AV_HOME that is a file is told apart from a daemon that is down', async () => {
  await using house = new Household()
  writeFileSync(house.home.folder, '')
  const { ended, stderr } = await house.run()
  expect(await ended).toBe(7)
  expect(await stderr()).toBe(`AV_HOME ${house.home.folder} is not a folder (EEXIST).\n`)
})

test('a request that is larger than any memory is refused in words', async () => {
  await using house = new Household()
  await house.run()
  const body = `{"x":"${'x'.repeat(40 * 1024 * 1024)}"}`
  const response = await fetch('http://av/v1/repo.list', {
    unix: house.home.socket,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'av-actor': 'mei' },
    body,
  })
  expect(response.status).toBe(413)
  const refused = (await response.json()) as { readonly error: Pick<Fault, 'code'> }
  expect(refused.error.code).toBe('too_large')
  expect(isAlive((await askHealth(house.home.socket))?.pid ?? 0)).toBe(true)
})
