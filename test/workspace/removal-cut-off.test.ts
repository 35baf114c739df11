import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { findWorkspace, locate, readEntry, writeEntry } from '../../src/workspace/registry.ts'
import { removeWorkspace, settleRemovals } from '../../src/workspace/remove.ts'
import { momentBeside } from '../../src/workspace/sweep.ts'
import { adopt, begin, edit, gitRepo, lines, type Sandbox, sandbox, walk } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

const KEEP = { dropIgnored: false }
const DROP = { dropIgnored: true }

async function underway(extra: Readonly<Record<string, string>> = {}) {
  const root = gitRepo(box, { 'a.txt': lines(30), '.gitignore': '*.log\n', ...extra })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'a.txt': lines(31), 'new.txt': 'n\n' })
  const snapshot = await checkpoint(box.host, workspace)
  return { clone, trunk, workspace, folder: workspace.folder, snapshot }
}

const inStore = (clone: Clone, ...args: string[]) =>
  box.sh(box.dir, 'git', '--git-dir', storeGit(clone), ...args)
const shown = (clone: Clone, commit: CommitId | null, path: string) =>
  inStore(clone, 'cat-file', 'blob', `${commit}:${path}`)

/** Everything in the folders of the workspaces, hidden ones too. */
const places = () => readdirSync(join(box.dir, 'ws')).sort()

test('kill -9 at any moment of removing: the next one comes to the end', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`d${i % 40}/f${i}.txt`, `${i}\n`]),
  )
  const { clone, trunk } = await underway(files)
  const met = new Set<string>()
  for (const [i, [state, afterMs]] of KILLS.entries()) {
    const name = `k${i}`
    const { workspace } = await begin(box, clone, trunk, name)
    edit(workspace.folder, { 'mine.txt': `${name}\n`, 'x.log': 'x\n' })
    await killed(clone, name, state, afterMs)
    met.add(readEntry(clone, name)?.state ?? 'removed')
    if (i % 2 === 0) await settleRemovals(box.host, clone)
    const { tip } = await removeWorkspace(box.host, workspace, DROP)
    expect(shown(clone, tip, 'mine.txt')).toBe(`${name}\n`)
    expect(shown(clone, tip, 'd7/f7.txt')).toBe('7\n')
    expect([places(), readEntry(clone, name)]).toEqual([['t1'], null])
  }
  expect([...met]).toContain('removing')
})

/** Once the entry says this, and so long after. */
const KILLS = [
  ['ready', 40],
  ['removing', 0],
  ['removing', 100],
  ['deleting', 0],
  ['deleting', 8],
] as const

async function killed(clone: Clone, name: string, state: string, afterMs: number): Promise<void> {
  const script = join(import.meta.dir, 'remove-process.ts')
  const child = Bun.spawn({
    cmd: [process.execPath, script, JSON.stringify(box.host), clone.dir, name],
    stdout: 'pipe',
    stderr: 'ignore',
  })
  await child.stdout.getReader().read()
  for (;;) {
    const now = readEntry(clone, name)?.state ?? 'removed'
    if (now === state || now === 'removed') break
    await Bun.sleep(1)
  }
  await Bun.sleep(afterMs)
  child.kill('SIGKILL')
  await child.exited
}

test('cut off in the middle of deleting, it goes on with what is as old as the snapshot', async () => {
  const { clone, workspace, folder, snapshot } = await underway({ 'd/b.txt': 'b\n' })
  await Bun.sleep(20)
  const since = `${momentBeside(folder)}`
  const entry = readEntry(clone, 't1')
  if (entry === null) throw new Error('no entry')
  const home = createHash('sha256').update(clone.dir).digest('hex').slice(0, 8)
  const aside = join(box.dir, 'ws', `.t1.removing-${home}`)
  renameSync(folder, aside)
  writeEntry(clone, { ...entry, state: 'deleting', since })
  inStore(clone, 'update-ref', 'refs/av/kept/t1', snapshot.commit)
  edit(aside, { 'a.txt': null, 'new.txt': 'written to the last\n' })
  // No workspace to anybody, and no ground for a new one.
  expect([locate(box.host, aside), findWorkspace(clone, 't1')]).toEqual([null, null])
  const refused = { code: 'refused_rule', detail: { reason: 'unsnapshotted', paths: ['new.txt'] } }
  await expect(removeWorkspace(box.host, workspace, DROP)).rejects.toMatchObject(refused)
  await expect(begin(box, clone, snapshot.base)).rejects.toMatchObject(refused)
  expect([...walk(aside).keys()]).toEqual(['new.txt'])
  rmSync(join(aside, 'new.txt'))
  const started = await begin(box, clone, snapshot.base)
  expect([started.snapshot.empty, places()]).toEqual([true, ['t1']])
})

test('a folder set aside goes back to its place before anything else is done with it', async () => {
  const { clone, workspace, folder, snapshot } = await underway()
  const entry = readEntry(clone, 't1')
  if (entry === null) throw new Error('no entry')
  const home = createHash('sha256').update(clone.dir).digest('hex').slice(0, 8)
  renameSync(folder, join(box.dir, 'ws', `.t1.removing-${home}`))
  writeEntry(clone, { ...entry, state: 'removing' })
  // Somebody writes by the path of before.
  edit(folder, { 'mine.txt': 'm\n' })
  await expect(removeWorkspace(box.host, workspace, KEEP)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'folder_in_the_way', folder },
  })
  expect([...walk(folder).keys()]).toEqual(['mine.txt'])
  rmSync(folder, { recursive: true })
  const again = await begin(box, clone, snapshot.base)
  expect(again.snapshot.commit).toBe(snapshot.commit)
})

test('what lies where the folder would stand aside is not touched', async () => {
  const { clone, workspace, folder } = await underway()
  const home = createHash('sha256').update(clone.dir).digest('hex').slice(0, 8)
  const aside = join(box.dir, 'ws', `.t1.removing-${home}`)
  edit(aside, { 'foreign.txt': 'f\n' })
  await expect(removeWorkspace(box.host, workspace, KEEP)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'folder_in_the_way', folder: aside },
  })
  expect(readEntry(clone, 't1')?.state).toBe('ready')
  expect([[...walk(aside).keys()], [...walk(folder).keys()].includes('new.txt')]).toEqual([
    ['foreign.txt'],
    true,
  ])
  rmSync(aside, { recursive: true })
  await removeWorkspace(box.host, workspace, KEEP)
  expect(places()).toEqual([])
})
