import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import type { Clone } from '../../src/workspace/clone.ts'
import { checkoutGround, type Ground, scan, scanDir, scansDir } from '../../src/workspace/scan.ts'
import { compareScan, dropScans } from '../../src/workspace/scan-copies.ts'
import { adopt, edit, gitRepo, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

const NOTHING = { missing: [], different: [], leftOver: [] }

let box: Sandbox
let clone: Clone
let ground: Ground
let base: CommitId | null
beforeAll(async () => {
  box = sandbox()
  const root = gitRepo(box, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const adopted = await adopt(box, root)
  clone = adopted.clone
  base = adopted.trunk
  ground = checkoutGround(clone, root)
})
afterAll(() => box.remove())

test('a private index that hides a change is told, and made anew when it was dropped', async () => {
  expect(await compareScan(box.host, ground, base)).toEqual(NOTHING)
  box.sh(ground.folder, 'git', '--git-dir', scanDir(ground), ...HIDE, 'a.txt')
  edit(ground.folder, { 'a.txt': 'changed\n', 'b.txt': null, 'new.txt': 'n\n' })
  expect(await compareScan(box.host, ground, base)).toEqual({ ...NOTHING, missing: ['a.txt'] })
  expect(await dropScans(box.host, clone)).toBe(1)
  expect(readdirSync(scansDir(clone))).toEqual([])
  expect(await compareScan(box.host, ground, base)).toEqual(NOTHING)
  expect((await scan(box.host, ground, base)).entries).toEqual([
    { path: 'a.txt', gone: false },
    { path: 'b.txt', gone: true },
    { path: 'new.txt', gone: false },
  ])
})

test('a comparison leaves nothing of its own', async () => {
  const before = readdirSync(scansDir(clone))
  await compareScan(box.host, ground, base)
  expect(readdirSync(scansDir(clone))).toEqual(before)
})

test('a removal that was cut off leaves nothing that is taken for whole', async () => {
  await scan(box.host, ground, base)
  // As far as one comes that is killed after its first step.
  rmSync(join(scanDir(ground), 'HEAD'))
  rmSync(join(scanDir(ground), 'objects'), { recursive: true })
  expect(await compareScan(box.host, ground, base)).toEqual(NOTHING)
})

test('where nothing was scanned yet there is nothing to drop', async () => {
  await dropScans(box.host, clone)
  expect(await dropScans(box.host, clone)).toBe(0)
})

const HIDE = ['--work-tree', '.', 'update-index', '--assume-unchanged']
