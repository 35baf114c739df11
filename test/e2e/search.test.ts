import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'
import { SHOP } from './shop.ts'

const LONG_MS = 120_000

describe('av search', () => {
  let machine: Machine
  let cwd: string
  let task: string
  let decision: string
  beforeAll(async () => {
    machine = new Machine()
    const root = makeRepo(machine.box, 'plain', SHOP)
    await machine.data('init', [], { cwd: root })
    const started = await machine.data('task.start', ['Prolong sessions'], { cwd: root, as: ADA })
    task = started.id
    cwd = started.workspace ?? ''
    const words = ['decision', 'Refresh before the hour', '--at', 'src/session.ts:Session.refresh']
    decision = (await machine.data('record', words, { cwd, as: ADA })).id
  }, LONG_MS)
  afterAll(() => machine[Symbol.asyncDispose]())

  test('finds records, code and tasks from any folder, ids first', async () => {
    const text = await machine.text(['search', 'refresh', 'session'], { cwd: join(cwd, 'src') })
    const lines = text.split('\n').filter((line) => /^\S/.test(line))
    expect(lines[0]).toBe(`${decision} decision, ${task}`)
    expect(lines[1]).toMatch(/^s:[0-9a-f]{8} src\/session\.ts:9 Session\.refresh, method$/)
    expect(lines[2]).toBe(`${task} task, open`)
    expect(text).toContain('  at src/session.ts:Session.refresh\n')
  })

  test('its JSON holds items and more; an id of it can be expanded', async () => {
    const words = ['refresh', '--kind', 'code', '--limit', '1']
    const { items, more, degraded } = await machine.data('search', words, { cwd })
    expect([items.length, more, degraded]).toEqual([1, true, []])
    const [item] = items
    expect(item).toMatchObject({ kind: 'code', path: 'src/session.ts', symbol: 'Session.refresh' })
    const shown = await machine.text(['expand', item?.id ?? ''], { cwd })
    expect(shown).toContain('refresh(now: number): boolean')
  })

  test('finds what was written on disk a moment ago', async () => {
    edit(cwd, { 'src/pigeon.ts': 'export function countPigeons(): number {\n  return 3\n}\n' })
    const { items } = await machine.data('search', ['countPigeons'], { cwd })
    expect(items[0]).toMatchObject({ path: 'src/pigeon.ts', symbol: 'countPigeons', line: 1 })
  })

  test('says that nothing was found, and prints nothing', async () => {
    const ran = await machine.run(['search', 'xylophone'], { cwd })
    expect(ran).toEqual({ code: 0, out: '', err: 'Nothing was found.\n' })
  })

  test('refuses a kind there is not, and no words', async () => {
    const kind = await machine.refusal(['search', 'x', '--kind', 'file'], { cwd })
    expect([kind.exit, kind.code]).toEqual([2, 'bad_input'])
    expect((await machine.refusal(['search'], { cwd })).exit).toBe(2)
  })
})
