import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, BEN, Machine, makeRepo } from '../support/machine.ts'

setDefaultTimeout(120_000)

let machine: Machine
let first: string
let second: string
beforeAll(async () => {
  machine = new Machine()
  const { box } = machine
  first = makeRepo(box, 'plain', { 'src/total.ts': 'export const total = 1\n' })
  await machine.text(['init'], { cwd: first })
  second = join(box.dir, 'second')
  box.sh(box.dir, 'git', 'clone', '-q', first, second)
  const { repo } = await machine.data('status', [], { cwd: first })
  await machine.text(['init', '--name', repo], { cwd: second })
})
afterAll(() => machine[Symbol.asyncDispose]())

test('what was made in one clone of a machine is reviewed from another, and merged where trunk is', async () => {
  const { workspace } = await machine.data('task.start', ['Sweep', '--id', 'sweep'], {
    ...{ as: ADA, cwd: first },
  })
  const cwd = workspace ?? ''
  writeFileSync(join(cwd, 'sweep.ts'), 'export function sweep() {}\n')
  await machine.text(['record', 'decision', 'Once a minute'], { as: ADA, cwd })
  await machine.text(['submit'], { as: ADA, cwd })
  expect(await machine.text(['diff', 'sweep'], { cwd: second })).toContain('+export function sweep')
  await machine.text(['approve', 'sweep'], { cwd: second })
  expect(await machine.refusal(['merge', 'sweep'], { cwd: second })).toMatchObject({
    exit: 5,
    code: 'refused_rule',
    detail: { reason: 'trunk_elsewhere' },
  })
  expect((await machine.data('merge', ['sweep'], { cwd: first })).state).toBe('merged')
})

test('what a refused command had warned of is told all the same', async () => {
  const start = (id: string, ...more: string[]) =>
    machine.data('task.start', [id, '--id', id, ...more], { as: BEN, cwd: first })
  const parent = await start('parent')
  writeFileSync(join(parent.workspace ?? '', 'a.ts'), 'export const a = 1\n')
  await machine.text(['record', 'note', 'One'], { as: BEN, cwd: parent.workspace ?? '' })
  await machine.text(['submit'], { as: BEN, cwd: parent.workspace ?? '' })
  const child = await start('child', '--parent', 'parent')
  await machine.text(['approve', 'parent'], { cwd: first })
  await machine.text(['merge', 'parent'], { cwd: first })
  // No record says why: the submit is refused, after the folder was moved.
  writeFileSync(join(child.workspace ?? '', 'b.ts'), 'export const b = 2\n')
  const ran = await machine.run(['submit'], { as: BEN, cwd: child.workspace ?? '' })
  expect(ran.code).toBe(5)
  expect(ran.err).toContain('Warning: parent was merged: the task stands on trunk now.\n')
})
