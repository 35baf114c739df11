import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'
import { SHOP } from './shop.ts'

const LONG_MS = 120_000
const SESSION = String(SHOP['src/session.ts'])

describe('code that is moved and renamed, several times', () => {
  let machine: Machine
  let root: string
  let cwd: string
  let task: string
  let early: string
  let typed: string
  beforeAll(async () => {
    machine = new Machine()
    root = makeRepo(machine.box, 'plain', SHOP)
    await machine.data('init', [], { cwd: root })
    const started = await machine.data('task.start', ['Prolong sessions'], { cwd: root, as: ADA })
    task = started.id
    cwd = started.workspace ?? ''
    const keep = async (summary: string, at: string) =>
      (await machine.data('record', ['decision', summary, '--at', at], { cwd, as: ADA })).id
    early = await keep('Refresh before the hour', 'src/session.ts:Session.refresh')
    typed = await keep('Login signs in by name', 'src/api/login.ts')
    renameSync(join(cwd, 'src'), join(cwd, 'lib'))
    const renamed = SESSION.replace('class Session', 'class Visit').replace('refresh(', 'prolong(')
    edit(cwd, { 'lib/session.ts': renamed })
    await machine.data('checkpoint', [], { cwd, as: ADA })
    const again = renamed.replace('prolong(', 'renew(')
    edit(cwd, { 'lib/session.ts': null, 'lib/visit.ts': again })
  }, LONG_MS)
  afterAll(() => machine[Symbol.asyncDispose]())

  const told = () => `${early} decision, ada, just now, ${task}
  Refresh before the hour
  at lib/visit.ts:Visit.renew (moved from src/session.ts:Session.refresh)
`

  test('is found by its new name, its new file, its class and its line', async () => {
    for (const target of ['visit.ts:Visit.renew', 'visit.ts', 'visit.ts:Visit', 'visit.ts:10']) {
      expect(await machine.text(['why', target], { cwd: join(cwd, 'lib') })).toBe(told())
    }
  })

  test('is told at its old name and its old file; of a folder that is gone, all of it', async () => {
    expect(await machine.text(['why', 'src/session.ts:Session.refresh'], { cwd })).toBe(told())
    expect(await machine.text(['why', 'src/session.ts'], { cwd })).toBe(told())
    const both = `${typed} decision, ada, just now, ${task}
  Login signs in by name
  at lib/api/login.ts (moved from src/api/login.ts)
${told()}`
    expect(await machine.text(['why', 'src'], { cwd })).toBe(both)
    expect(await machine.text(['log', '--at', 'src'], { cwd })).toBe(both)
    expect(await machine.text(['log', '--at', 'lib'], { cwd })).toBe(both)
  })

  test('is where it was for whoever stands where it was not moved', async () => {
    const text = await machine.text(['why', 'src/session.ts'], { cwd: root })
    expect(text).toEndWith('\n  at src/session.ts:Session.refresh\n')
  })

  test('its JSON keeps what was recorded, and holds the new place', async () => {
    const { items } = await machine.data('search', ['before', 'hour'], { cwd })
    expect(items.find(({ id }) => id === early)?.anchors).toMatchObject([
      {
        ...{ path: 'src/session.ts', symbol: 'Session.refresh', mark: 'moved since recorded' },
        movedTo: { path: 'lib/visit.ts', symbol: 'Visit.renew' },
      },
    ])
  })
})
