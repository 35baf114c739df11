import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, BEN, Machine, makeRepo, type RunOptions } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'
import { SHOP } from './shop.ts'

const LONG_MS = 120_000
const LARGE = ['--budget', '60000']
/** What a pipe takes though nobody reads it. */
const PIPE_BYTES = 65_536

describe('the ledger of a session', () => {
  let machine: Machine
  let cwd: string
  let id: string
  const pack = (words: readonly string[] = [], options: RunOptions = {}) =>
    machine.text(['pack', ...words], { cwd, as: ADA, ...options })
  const reset = () => machine.data('session.reset', ['ada-1'], { cwd })
  const sessions = async () => (await machine.data('session.list', [], { cwd })).items
  beforeAll(async () => {
    machine = new Machine()
    const root = makeRepo(machine.box, 'plain', SHOP)
    await machine.data('init', [], { cwd: root })
    const task = await machine.data('task.start', ['Refresh sessions'], { cwd: root, as: ADA })
    cwd = task.workspace ?? ''
    const at = ['--at', 'src/session.ts:Session.refresh']
    const words = ['decision', 'Refresh sessions 30 s early', ...at]
    id = (await machine.data('record', words, { cwd, as: ADA })).id
    const names = Array.from({ length: 900 }, (_, at) => `refreshSession${at}WithItsTokenAndMore`)
    const body = names.map((name) => `export function ${name}(): void {}\n`)
    const parts = Array.from({ length: 90 }, (_, at) => [
      `src/sessions/refresh-${at}.ts`,
      body.slice(at * 10, at * 10 + 10).join(''),
    ])
    edit(cwd, Object.fromEntries(parts))
  }, LONG_MS)
  afterAll(() => machine[Symbol.asyncDispose]())

  test('refers back to what was printed, to whoever read it and nobody else', async () => {
    const first = await pack()
    expect(first).toContain(`- ${id} decision: Refresh sessions 30 s early`)
    // Not each is named in the line, which costs tokens; the answer to programs names them all.
    const second = await machine.data('pack', [], { cwd, as: ADA })
    expect(second.text).not.toContain(`- ${id} decision`)
    expect(second.text).toMatch(/^sent before: [^\n]+, \d+ more$/m)
    expect(second.sentBefore).toContain(id)
    for (const as of [BEN, { ...ADA, AV_SESSION: 'ada-1/agent-7' }, { AV_ACTOR: 'ada' }]) {
      expect(await pack([], { as })).toContain(`- ${id} decision`)
    }
    expect(await pack(['--fresh'])).toContain(`- ${id} decision`)
    const shown = await machine.data('session.show', [], { cwd, as: ADA })
    expect(shown.sent.map((sent) => sent.id)).toContain(id)
  })

  test('opens whatever a pack refers to', async () => {
    const line = /^sent before: (.*)$/m.exec(await pack(['--focus', 'refresh']))?.[1] ?? ''
    const names = line.split(', ').filter((name) => !/^\d+ more$/.test(name))
    expect(names.length).toBeGreaterThan(2)
    const { items } = await machine.data('expand', names, { cwd, as: ADA })
    for (const { text } of items) expect(text.trim()).not.toBe('')
  })

  test('is empty again when the session lost its context', async () => {
    await reset()
    const first = await pack()
    expect(first).toContain(`- ${id} decision`)
    await reset()
    expect(await pack()).toBe(first)
  })

  test(
    'outlives a daemon that was killed',
    async () => {
      await reset()
      await pack()
      await machine.killDaemon()
      expect(await pack()).not.toContain(`- ${id} decision`)
    },
    LONG_MS,
  )

  test('counts nothing of a pack that nobody read to its end', async () => {
    await reset()
    const words = machine.command(['pack', ...LARGE, '--explain', '--json'])
    const whole = await machine.text(['pack', ...LARGE, '--explain', '--json', '--session', 'x'], {
      ...{ cwd, as: ADA },
    })
    expect(whole.length).toBeGreaterThan(2 * PIPE_BYTES)
    const env = machine.environment(ADA)
    const piped = ['sh', '-c', '"$@" | head -c 100', 'sh', ...words]
    const child = Bun.spawn(piped, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect([out.length, err]).toEqual([100, ''])
    expect(await pack()).toContain(`- ${id} decision`)
  })

  test('counts nothing of a pack that could not be written', async () => {
    await reset()
    const full = openSync('/dev/full', 'w')
    const words = machine.command(['pack', ...LARGE])
    const env = machine.environment(ADA)
    const child = Bun.spawn(words, { cwd, env, stdin: 'ignore', stdout: full, stderr: 'pipe' })
    expect(await child.exited).toBe(70)
    closeSync(full)
    expect(await pack()).toContain(`- ${id} decision`)
  })

  test('counts what went to a file, and as JSON', async () => {
    await reset()
    const path = join(machine.box.dir, 'pack.txt')
    const file = openSync(path, 'w')
    const env = machine.environment(ADA)
    const child = Bun.spawn(machine.command(['pack']), { cwd, env, stdout: file, stderr: 'ignore' })
    expect(await child.exited).toBe(0)
    closeSync(file)
    expect(readFileSync(path, 'utf8')).toContain(`- ${id} decision`)
    expect(await pack()).not.toContain(`- ${id} decision`)
    await reset()
    await machine.data('pack', [], { cwd, as: ADA })
    expect(await pack()).not.toContain(`- ${id} decision`)
  })

  test('knows of no session that was told nothing', async () => {
    const named = (await sessions()).map(({ session }) => session)
    expect(named.toSorted()).toEqual(['ada-1', 'ada-1/agent-7', 'ben-1', 'x'])
    expect(await machine.refusal(['session', 'show', 'nobody'], { cwd })).toMatchObject({
      ...{ code: 'not_found', exit: 4 },
    })
  })
})
