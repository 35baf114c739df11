import { afterEach, beforeEach, expect, test } from 'bun:test'
import { linkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changedSince, deleteOlder, momentBeside } from '../../src/workspace/sweep.ts'
import { edit, exists, type Sandbox, sandbox, walk } from './sandbox.ts'

let box: Sandbox
let folder: string
beforeEach(() => {
  box = sandbox()
  folder = join(box.dir, 'folder')
  edit(folder, { 'a.txt': 'a\n', 'd/b.txt': 'b\n', 'd/e/c.txt': 'c\n' })
  edit(box.dir, { 'outside/o.txt': 'o\n' })
})
afterEach(() => box.remove())

/** The clock of files has steps of some milliseconds. */
const tick = () => Bun.sleep(20)

test('a folder in which nothing changed since goes whole, whatever its names and links', async () => {
  edit(folder, {
    'd/link': { link: '../../outside' },
    'd/file-link': { link: '../../outside/o.txt' },
  })
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/d/bad`), Buffer.from([0xff])]), 'x')
  linkSync(join(folder, 'a.txt'), join(folder, 'd', 'same-as-a.txt'))
  linkSync(join(box.dir, 'outside/o.txt'), join(folder, 'same-as-o.txt'))
  await tick()
  const since = momentBeside(folder)
  expect(changedSince(folder, since, 10)).toEqual([])
  expect(deleteOlder(folder, since)).toEqual({ changed: [], stuck: [] })
  expect(exists(folder)).toBe(false)
  expect([...walk(join(box.dir, 'outside')).keys()]).toEqual(['o.txt'])
  expect(exists(`${folder}.clock`)).toBe(false)
})

test('what was written, made or moved in since stays, and is named', async () => {
  edit(box.dir, { 'old.txt': 'old\n' })
  await tick()
  const since = momentBeside(folder)
  edit(folder, { 'd/b.txt': 'changed\n', 'd/new.txt': 'new\n' })
  // Neither a time set back nor one kept in a move hides it.
  utimesSync(join(folder, 'd', 'b.txt'), 1, 1)
  box.sh(box.dir, 'mv', 'old.txt', 'folder/d/e/moved.txt')
  const late = ['d/b.txt', 'd/e/moved.txt', 'd/new.txt']
  expect(changedSince(folder, since, 10).sort()).toEqual(late)
  expect(changedSince(folder, since, 1)).toHaveLength(1)
  const left = deleteOlder(folder, since)
  expect([[...left.changed].sort(), left.stuck]).toEqual([late, []])
  expect([...walk(folder).keys()].sort()).toEqual(late)
  // Once they are out of the way, the rest goes.
  for (const path of late) edit(folder, { [path]: null })
  expect(deleteOlder(folder, since)).toEqual({ changed: [], stuck: [] })
  expect(exists(folder)).toBe(false)
})
