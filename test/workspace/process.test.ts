import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../src/domain/fault.ts'
import { diagnose } from '../../src/workspace/diagnosis.ts'
import { git } from '../../src/workspace/git.ts'
import { childEnv } from '../../src/workspace/host.ts'
import { jj } from '../../src/workspace/jj.ts'
import { withLock } from '../../src/workspace/lock.ts'
import { run } from '../../src/workspace/run.ts'
import { checkTools } from '../../src/workspace/versions.ts'
import { adopt, edit, gitRepo, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  try {
    await promise
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
  throw new Error('no fault')
}

test('bytes go in and come out as they are', async () => {
  const stdin = Uint8Array.from({ length: 200_000 }, (_, i) => i & 255)
  const ran = await run(box.host, { argv: ['cat'], cwd: '/', stdin })
  expect(ran.stdout.equals(stdin)).toBe(true)
  const failed = await run(box.host, { argv: ['sh', '-c', 'echo no >&2; exit 3'], cwd: '/' })
  expect([failed.exitCode, failed.stderr, failed.stdout.length]).toEqual([3, 'no\n', 0])
})

test('a program that runs too long is stopped, one that prints too much as well', async () => {
  const slow = await faultOf(run(box.host, { argv: ['sleep', '60'], cwd: '/', timeoutMs: 100 }))
  expect([slow.code, slow.detail.reason]).toEqual(['internal', 'killed'])
  const endless = await faultOf(run(box.host, { argv: ['yes'], cwd: '/', stdoutMax: 100_000 }))
  expect([endless.code, endless.detail.reason]).toEqual(['too_large', 'output_too_large'])
})

test('children get no setting of jj, git or av from the caller', () => {
  const env = {
    PATH: '/bin',
    GIT_DIR: '/x',
    JJ_CONFIG: '/y',
    AV_DATABASE_URL: 's3cret',
    GITHUB: '1',
  }
  const child = childEnv({ ...box.host, env }, { GIT_INDEX_FILE: '/z' })
  expect(child).toMatchObject({ PATH: '/bin', GITHUB: '1', JJ_CONFIG: '', GIT_INDEX_FILE: '/z' })
  expect('GIT_DIR' in child || 'AV_DATABASE_URL' in child).toBe(false)
})

test('a missing jj, an old jj and an old git are told with what was found and needed', async () => {
  const absent = await faultOf(checkTools({ ...box.host, jj: join(box.dir, 'nowhere/jj') }))
  expect(absent).toMatchObject({
    code: 'tool_missing',
    detail: { reason: 'jj_missing', found: null, needed: '0.46.0' },
  })
  expect(absent.remediation).toContain('AV_JJ')

  const old = join(box.dir, 'bin')
  edit(old, { jj: '#!/bin/sh\necho jj 0.45.9\n', git: '#!/bin/sh\necho git version 2.38.4\n' })
  for (const name of ['jj', 'git']) edit(old, { [name]: { mode: 0o755 } })
  expect(await faultOf(checkTools({ ...box.host, jj: join(old, 'jj') }))).toMatchObject({
    code: 'tool_missing',
    detail: { reason: 'jj_too_old', found: '0.45.9', needed: '0.46.0' },
  })
  const path = { PATH: `${old}:${box.host.env.PATH}` }
  const withOldGit = { ...box.host, jj: Bun.which('jj') ?? 'jj', env: { ...box.host.env, ...path } }
  expect(await faultOf(checkTools(withOldGit))).toMatchObject({
    detail: { reason: 'git_too_old', found: '2.38.4', needed: '2.39.0' },
  })
  const found = await checkTools(box.host)
  expect(found.jj).toMatch(/^\d+\.\d+\.\d+$/)
})

test('an old jj is named as the cause of a failure nobody has seen', async () => {
  const { clone } = await adopt(box, gitRepo(box, { 'a.txt': 'a\n' }))
  edit(box.dir, {
    'old-jj':
      '#!/bin/sh\ncase "$*" in --version) echo jj 0.40.0;; *) echo "error: unexpected argument" >&2; exit 2;; esac\n',
  })
  edit(box.dir, { 'old-jj': { mode: 0o755 } })
  const host = { ...box.host, jj: join(box.dir, 'old-jj') }
  expect(await faultOf(jj(host, clone, ['workspace', 'list']))).toMatchObject({
    code: 'tool_missing',
    detail: { reason: 'jj_too_old', found: '0.40.0' },
  })
  const unknown = await faultOf(jj(box.host, clone, ['no-such-command']))
  expect([unknown.code, unknown.detail.reason, unknown.detail.exitCode]).toEqual([
    'internal',
    'unknown',
    2,
  ])
})

test('failures of the real programs are recognised', async () => {
  const { clone } = await adopt(box, gitRepo(box, { 'a.txt': 'a\n' }))
  const reason = async (promise: Promise<unknown>) => (await faultOf(promise)).detail.reason
  const inStore = (...args: string[]) => reason(jj(box.host, clone, args))
  expect(await inStore('log', '-r', 'nothing')).toBe('bad_revision')
  expect(await inStore('log', '-r', '@')).toBe('no_wc_commit')
  expect(await reason(jj(box.host, clone, ['log'], { workspace: box.dir }))).toBe('not_a_repo')
  expect(await inStore('describe', '-r', 'main', '-m', 'x')).toBe('immutable')
  const inGit = (...args: string[]) => reason(git(box.host, { gitDir: clone.gitDir }, args))
  expect(await inGit('fetch', clone.gitDir, 'refs/heads/none')).toBe('no_trunk')
  expect(await reason(git(box.host, { folder: box.dir }, ['status']))).toBe('not_git')
})

test.each([
  ['fatal: detected dubious ownership in repository at', 'refused_rule', 'owner'],
  ["fatal: Unable to create '/r/.git/index.lock': File exists.", 'conflict', 'ref_locked'],
  ['Error: The working copy is stale (not updated since operation 1).', 'conflict', 'stale'],
  [
    'x\nInternal error: Failed to snapshot the working copy\nCaused by: p',
    'conflict',
    'snapshot_failed',
  ],
  [
    'Internal error: x\nCaused by: No space left on device (os error 28)',
    'store_unavailable',
    'disk_full',
  ],
])('what the programs say is understood: %j', (stderr, code, reason) => {
  const fault = diagnose({ argv: ['jj'], exitCode: 1, stdout: Buffer.alloc(0), stderr })
  expect([fault.code, fault.detail.reason]).toEqual([code as never, reason])
})

test('a lock lets one caller in at a time, and gives up after its time', async () => {
  const file = join(box.dir, 'locks', 'a.lock')
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 6 }, () =>
      withLock(box.host, file, async () => {
        most = Math.max(most, ++inside)
        await Bun.sleep(15)
        inside--
      }),
    ),
  )
  expect(most).toBe(1)
  await withLock(box.host, file, async () => {
    const busy = await faultOf(withLock(box.host, file, async () => {}, 40))
    expect([busy.code, busy.detail.reason]).toEqual(['conflict', 'busy'])
  })
  // A failure inside gives the lock back.
  await expect(
    withLock(box.host, file, async () => {
      throw new Error('inside')
    }),
  ).rejects.toThrow('inside')
  expect(await withLock(box.host, file, async () => 'free', 0)).toBe('free')
})

test('a child that outlives its killed client still holds the lock', async () => {
  const file = join(box.dir, 'a.lock')
  const done = join(box.dir, 'done')
  const script = `
    import { withLock } from ${JSON.stringify(join(import.meta.dir, '../../src/workspace/lock.ts'))}
    import { run } from ${JSON.stringify(join(import.meta.dir, '../../src/workspace/run.ts'))}
    const host = ${JSON.stringify(box.host)}
    await withLock(host, ${JSON.stringify(file)}, async (held) => {
      const child = run(held, { argv: ['sh', '-c', 'echo > begun; sleep 0.3; echo > done'], cwd: ${JSON.stringify(box.dir)} })
      await child
    })`
  const client = Bun.spawn({
    cmd: [process.execPath, '-e', script],
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!existsSync(join(box.dir, 'begun'))) await Bun.sleep(5)
  client.kill('SIGKILL')
  await client.exited
  expect(existsSync(done)).toBe(false)
  expect(await withLock(box.host, file, async () => existsSync(done))).toBe(true)
})
