import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { ignoredFiles } from '../../src/workspace/ignored.ts'
import { findWorkspace, listEntries, locate, readEntry } from '../../src/workspace/registry.ts'
import { removeWorkspace } from '../../src/workspace/remove.ts'
import { treeOf } from '../../src/workspace/tree.ts'
import {
  adopt,
  begin,
  edit,
  exists,
  gitRepo,
  humanView,
  lines,
  type Sandbox,
  sandbox,
  walk,
} from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

const KEEP = { dropIgnored: false }
const DROP = { dropIgnored: true }

async function underway(extra: Readonly<Record<string, string>> = {}) {
  const root = gitRepo(box, { 'a.txt': lines(30), '.gitignore': '*.log\nbuild/\n', ...extra })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'a.txt': lines(31), 'new.txt': 'n\n' })
  const snapshot = await checkpoint(box.host, workspace)
  return { root, clone, trunk, workspace, folder: workspace.folder, snapshot }
}

const inStore = (clone: Clone, ...args: string[]) =>
  box.sh(box.dir, 'git', '--git-dir', storeGit(clone), ...args)
const shown = (clone: Clone, commit: CommitId | null, path: string) =>
  inStore(clone, 'cat-file', 'blob', `${commit}:${path}`)

/** Everything in the folders of the workspaces, hidden ones too. */
const places = () => readdirSync(join(box.dir, 'ws')).sort()

test('a removed workspace is gone, its last state and the person are as they were', async () => {
  const { root, clone, workspace, folder, snapshot } = await underway()
  const view = humanView(box, 'plain', root)
  edit(folder, { 'late.txt': 'not recorded yet\n' })
  const { tip, tree } = await removeWorkspace(box.host, workspace, KEEP)
  expect(places()).toEqual([])
  expect(shown(clone, tip, 'late.txt')).toBe('not recorded yet\n')
  expect(tree).toBe(await treeOf(box.host, { gitDir: storeGit(clone) }, tip))
  expect(inStore(clone, 'rev-parse', 'refs/av/kept/t1').trim()).toBe(tip ?? '')
  expect(shown(clone, snapshot.commit, 'new.txt')).toBe('n\n')
  expect([readEntry(clone, 't1'), findWorkspace(clone, 't1')]).toEqual([null, null])
  for (const part of ['wsmeta/t1', 'shim/t1.git', 'scan/t1.git', 'kept']) {
    expect(exists(clone.dir, part)).toBe(false)
  }
  expect(box.sh(clone.dir, 'jj', '-R', join(clone.dir, 'jj'), 'workspace', 'list')).toBe('')
  expect(humanView(box, 'plain', root)).toEqual(view)
  expect(await removeWorkspace(box.host, workspace, KEEP)).toEqual({ tip, tree })
  // And begun again, on what was kept.
  const again = await begin(box, clone, tip)
  expect(again.snapshot).toMatchObject({ base: tip, tree, empty: true })
})

test('what no snapshot can hold refuses the removal, and stays', async () => {
  const { workspace, folder, clone } = await underway()
  edit(folder, { 'big.bin': new Uint8Array(25 * 1024 * 1024) })
  box.sh(folder, 'git', 'init', '-q', 'lib')
  edit(folder, { 'lib/n.txt': 'n\n' })
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]), 'x')
  const before = readdirSync(folder).sort()
  await expect(removeWorkspace(box.host, workspace, DROP)).rejects.toMatchObject({
    code: 'refused_rule',
    detail: { reason: 'unsnapshotted', folder, paths: ['bad\\xFF', 'big.bin', 'lib'], total: 3 },
  })
  expect([places(), readdirSync(folder).sort()]).toEqual([['t1'], before])
  expect(readEntry(clone, 't1')?.state).toBe('ready')

  edit(folder, { 'big.bin': null, lib: null })
  rmSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]))
  // In place of the file `.git`, a repository an agent made for itself.
  rmSync(join(folder, '.git'))
  box.sh(folder, 'git', 'init', '-q')
  await expect(removeWorkspace(box.host, workspace, DROP)).rejects.toMatchObject({
    detail: { reason: 'unsnapshotted', paths: ['.git'] },
  })
})

test('files put into the folder of a submodule are in no snapshot', async () => {
  const library = gitRepo(box, { 'l.txt': 'l\n' }, 'library')
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  box.sh(root, 'git', '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'sub')
  box.sh(root, 'git', 'commit', '-q', '-m', 'sub')
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'sub/work.txt': 'w\n' })
  await expect(removeWorkspace(box.host, workspace, DROP)).rejects.toMatchObject({
    detail: { reason: 'unsnapshotted', paths: ['sub'] },
  })
  edit(workspace.folder, { 'sub/work.txt': null })
  expect((await removeWorkspace(box.host, workspace, KEEP)).tip).not.toBeNull()
})

test('ignored files are listed, folders as one, and go only when they may', async () => {
  const { workspace, folder } = await underway({ 'kept.txt': 'k\n' })
  edit(folder, { 'x.log': 'x\n', 'd/y.log': 'y\n', 'build/1': '1', 'build/deep/2': '2' })
  edit(folder, { '.gitignore': '*.log\nbuild/\nkept.txt\n' })
  await checkpoint(box.host, workspace)
  const paths = ['build/', 'd/y.log', 'x.log']
  expect(await ignoredFiles(box.host, workspace, 10)).toEqual({ paths, total: 3 })
  expect(await ignoredFiles(box.host, workspace, 2)).toEqual({ paths: paths.slice(0, 2), total: 3 })
  await expect(removeWorkspace(box.host, workspace, KEEP)).rejects.toMatchObject({
    code: 'refused_rule',
    detail: { reason: 'ignored_files', folder, paths, total: 3 },
  })
  expect(exists(folder, 'build/deep/2')).toBe(true)
  expect((await removeWorkspace(box.host, workspace, DROP)).tip).not.toBeNull()
  expect(places()).toEqual([])
})

test('links go themselves, and nothing that they lead to', async () => {
  const { workspace, folder } = await underway()
  edit(box.dir, { 'outside/precious.txt': 'p\n' })
  edit(folder, {
    'to-folder': { link: join(box.dir, 'outside') },
    'x.log': { link: '../../outside' },
  })
  edit(folder, { 'build/in': { link: join(box.dir, 'outside') } })
  mkdirSync(join(folder, 'build', 'sealed'))
  edit(folder, { 'build/sealed/f': 'f\n' })
  edit(folder, { 'build/sealed': { mode: 0o500 } })
  await removeWorkspace(box.host, workspace, DROP)
  expect(places()).toEqual([])
  expect(readFileSync(join(box.dir, 'outside/precious.txt'), 'utf8')).toBe('p\n')
})

test('what an agent undid or abandoned by jj before is still there by its commit', async () => {
  const { clone, workspace, folder, snapshot } = await underway()
  box.sh(folder, 'jj', 'abandon', '@')
  const first = await removeWorkspace(box.host, workspace, KEEP)
  expect(first.tip).not.toBe(snapshot.commit)
  expect(shown(clone, snapshot.commit, 'new.txt')).toBe('n\n')
  const before = `refs/av/kept-before/t1/${snapshot.commit}`
  expect(inStore(clone, 'rev-parse', before).trim()).toBe(snapshot.commit)

  const second = await begin(box, clone, snapshot.base, 't2')
  edit(second.workspace.folder, { 'w.txt': 'w\n' })
  const recorded = await checkpoint(box.host, second.workspace)
  box.sh(second.workspace.folder, 'jj', 'new')
  box.sh(second.workspace.folder, 'jj', 'undo')
  box.sh(second.workspace.folder, 'jj', 'undo')
  await removeWorkspace(box.host, second.workspace, KEEP)
  expect(shown(clone, recorded.commit, 'w.txt')).toBe('w\n')
})

test('what an agent stashed or committed by git is kept aside', async () => {
  const { clone, workspace, folder } = await underway()
  edit(folder, { 'new.txt': 'stashed\n' })
  box.sh(folder, 'git', 'add', '-A')
  box.sh(folder, 'git', 'stash', '-q')
  await removeWorkspace(box.host, workspace, KEEP)
  const kept = ['git', '--git-dir', join(clone.dir, 'kept', 't1.git'), 'cat-file', 'blob']
  expect(box.sh(box.dir, ...kept, 'stash@{0}:new.txt')).toBe('stashed\n')
})

test('a folder that is gone, or emptied, is forgotten', async () => {
  const { clone, trunk, workspace, folder, snapshot } = await underway()
  rmSync(folder, { recursive: true })
  const removed = await removeWorkspace(box.host, workspace, KEEP)
  expect(removed).toEqual({ tip: snapshot.commit, tree: snapshot.tree })
  expect(listEntries(clone)).toEqual([])
  const second = await begin(box, clone, trunk, 't2')
  rmSync(second.workspace.folder, { recursive: true })
  mkdirSync(second.workspace.folder)
  await removeWorkspace(box.host, second.workspace, KEEP)
  expect(places()).toEqual([])
})

test('what stands in the place of the workspace without being it is left alone', async () => {
  const { workspace, folder } = await underway()
  const elsewhere = join(box.dir, 'elsewhere')
  renameSync(folder, elsewhere)
  edit(folder, { 'mine.txt': 'mine\n' })
  const refused = { code: 'refused_rule', detail: { reason: 'not_the_workspace', folder } }
  await expect(removeWorkspace(box.host, workspace, DROP)).rejects.toMatchObject(refused)
  expect([...walk(folder).keys()]).toEqual(['mine.txt'])
  rmSync(folder, { recursive: true })
  symlinkSync(elsewhere, folder)
  await expect(removeWorkspace(box.host, workspace, DROP)).rejects.toMatchObject(refused)
  expect(exists(elsewhere, 'new.txt')).toBe(true)
  // Found where it is now, it goes.
  rmSync(folder)
  const found = locate(box.host, elsewhere)
  expect(found?.folder).toBe(elsewhere)
  if (found !== null) await removeWorkspace(box.host, found, KEEP)
  expect(existsSync(elsewhere)).toBe(false)
})

test('a conflict goes as it is, and can be taken up again', async () => {
  const { workspace, folder, clone, trunk } = await underway()
  box.sh(folder, 'jj', 'new', `${trunk}`, '-m', 'other')
  edit(folder, { 'a.txt': 'other\n' })
  box.sh(folder, 'jj', 'rebase', '-r', '@', '-o', 'heads(mutable() ~ @)')
  edit(folder, { 'x.log': 'x\n' })
  const now = await checkpoint(box.host, workspace)
  expect(now.conflict).toBe(true)
  await expect(removeWorkspace(box.host, workspace, KEEP)).rejects.toMatchObject({
    detail: { reason: 'ignored_files', paths: ['x.log'] },
  })
  const removed = await removeWorkspace(box.host, workspace, DROP)
  expect(removed).toEqual({ tip: now.commit, tree: now.tree })
  expect(places()).toEqual([])
  expect(inStore(clone, 'cat-file', '-t', now.commit).trim()).toBe('commit')
})

test('a process that keeps writing there stops the removal, and nothing it wrote is lost', async () => {
  const { clone, workspace, folder } = await underway()
  // Opened before, it writes wherever the folder is moved to.
  const handle = openSync(join(folder, 'build-output.txt'), 'a')
  let written = 0
  const timer = setInterval(() => writeSync(handle, `${++written}\n`), 1)
  try {
    await expect(removeWorkspace(box.host, workspace, KEEP)).rejects.toMatchObject({
      code: 'refused_rule',
      detail: { reason: 'unsnapshotted', paths: ['build-output.txt'] },
    })
  } finally {
    clearInterval(timer)
    closeSync(handle)
  }
  expect(places()).toEqual(['t1'])
  const all = Array.from({ length: written }, (_, i) => `${i + 1}\n`).join('')
  expect(readFileSync(join(folder, 'build-output.txt'), 'utf8')).toBe(all)
  const { tip } = await removeWorkspace(box.host, workspace, KEEP)
  expect(shown(clone, tip, 'build-output.txt')).toBe(all)
})
