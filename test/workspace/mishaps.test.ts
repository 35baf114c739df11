import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TaskId } from '../../src/domain/task.ts'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { detect } from '../../src/workspace/detect.ts'
import { hasReason } from '../../src/workspace/diagnosis.ts'
import { mend } from '../../src/workspace/mend.ts'
import { findWorkspace, listWorkspaces, locate, writeEntry } from '../../src/workspace/registry.ts'
import { startWorkspace } from '../../src/workspace/start.ts'
import {
  adopt,
  append,
  begin,
  commitAll,
  edit,
  exists,
  gitRepo,
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

/** A task with a changed, a new, a removed and an ignored file, and its snapshot. */
async function underway() {
  const root = gitRepo(box, {
    'a.txt': lines(30),
    'b.txt': 'b\n',
    'd/e.txt': 'e\n',
    '.gitignore': '*.log\n',
  })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'a.txt': lines(31), 'new/n.txt': 'n\n', 'b.txt': null, 'x.log': 'x\n' })
  const snapshot = await checkpoint(box.host, workspace)
  return { root, clone, trunk, workspace, snapshot }
}

const agent = (folder: string, ...argv: string[]) => box.sh(folder, ...argv)

test('the workspace is known from any of its folders, and nowhere else', async () => {
  const { root, workspace, clone } = await underway()
  expect(locate(box.host, join(workspace.folder, 'd'))).toEqual(workspace)
  expect(findWorkspace(clone, 't1')).toEqual(workspace)
  expect(listWorkspaces(clone)).toEqual([workspace])
  expect(locate(box.host, root)).toBeNull()
  expect(locate(box.host, box.dir)).toBeNull()
})

test('an AV_HOME by another name, made only now, is the same one', async () => {
  symlinkSync(box.dir, join(box.dir, 'alias'))
  box = { ...box, host: { ...box.host, home: join(box.dir, 'alias', 'av') } }
  const { workspace } = await underway()
  expect(locate(box.host, workspace.folder)).toEqual(workspace)
  const real = { ...box.host, home: join(box.dir, 'av') }
  expect(locate(real, workspace.folder)).toEqual(workspace)
})

test('without .jj and .git the workspace is still known by its path', async () => {
  const { workspace } = await underway()
  rmSync(join(workspace.folder, '.jj'))
  expect(locate(box.host, join(workspace.folder, 'd'))).toEqual(workspace)
  rmSync(join(workspace.folder, '.git'))
  expect(locate(box.host, join(workspace.folder, 'd'))).toEqual(workspace)
})

test('a repository above the workspaces is never taken for theirs', async () => {
  box.sh(box.dir, 'git', 'init', '-q')
  const { workspace } = await underway()
  expect(agent(workspace.folder, 'git', 'rev-parse', '--show-toplevel').trim()).toBe(
    workspace.folder,
  )
  await expect(detect(box.host, join(workspace.folder, 'd'))).rejects.toMatchObject({
    code: 'bad_input',
    detail: { reason: 'in_workspace' },
  })
  // Seen from another AV_HOME it is no task of this home, and no repository either.
  const other = { ...box.host, home: join(box.dir, 'other') }
  expect(locate(other, workspace.folder)).toBeNull()
  await expect(detect(other, workspace.folder)).rejects.toMatchObject({
    detail: { reason: 'in_workspace' },
  })
})

test('git clean -fdx takes the link away, and nothing that was recorded', async () => {
  const { workspace, snapshot } = await underway()
  edit(workspace.folder, { 'after.txt': 'edited after the snapshot\n' })
  agent(workspace.folder, 'git', 'add', 'after.txt', 'new')
  agent(workspace.folder, 'git', 'clean', '-fdx', '-q')
  expect(exists(workspace.folder, '.jj')).toBe(false)
  const now = await checkpoint(box.host, workspace)
  expect(now.files.map((file) => `${file.status} ${file.path}`)).toEqual([
    'modified a.txt',
    'added after.txt',
    'removed b.txt',
    'added new/n.txt',
  ])
  expect([now.change, now.base, now.attention]).toEqual([snapshot.change, snapshot.base, null])
})

test("jj's data gone from the store, and jj's memory of the workspace as well", async () => {
  const { workspace, snapshot, clone } = await underway()
  append(workspace.folder, 'a.txt', 'after\n')
  rmSync(join(clone.dir, 'wsmeta', 't1'), { recursive: true })
  box.sh(workspace.folder, 'jj', '-R', join(clone.dir, 'jj'), 'workspace', 'forget', 't1')
  const now = await checkpoint(box.host, workspace)
  expect(now.files).toEqual(snapshot.files)
  expect(now.tree).not.toBe(snapshot.tree)
  expect(now.attention).toBeNull()
})

test('a deleted folder is told, and made again as of the last snapshot', async () => {
  const { workspace, snapshot } = await underway()
  const before = walk(workspace.folder)
  rmSync(workspace.folder, { recursive: true })
  await expect(checkpoint(box.host, workspace)).rejects.toMatchObject({
    code: 'not_found',
    detail: { reason: 'folder_missing', folder: workspace.folder },
  })
  expect(await mend(box.host, workspace)).toEqual(['recreated'])
  before.delete('x.log')
  expect(walk(workspace.folder)).toEqual(before)
  const now = await checkpoint(box.host, workspace)
  expect([now.commit, now.change, now.files]).toEqual([
    snapshot.commit,
    snapshot.change,
    snapshot.files,
  ])
  expect(agent(workspace.folder, 'git', 'status', '--porcelain').split('\n')).toContain(' M a.txt')
})

test('an emptied folder is a deleted one, not a task that removes all files', async () => {
  const { workspace, snapshot } = await underway()
  rmSync(workspace.folder, { recursive: true })
  mkdirSync(workspace.folder)
  await expect(checkpoint(box.host, workspace)).rejects.toMatchObject({
    detail: { reason: 'folder_missing' },
  })
  await mend(box.host, workspace)
  expect((await checkpoint(box.host, workspace)).commit).toBe(snapshot.commit)
})

test('a moved folder goes on from its new place, at any depth', async () => {
  const { workspace, snapshot, clone } = await underway()
  const there = join(box.dir, 'quite', 'another', 'place')
  mkdirSync(join(there, '..'), { recursive: true })
  renameSync(workspace.folder, there)
  const found = locate(box.host, join(there, 'd'))
  expect(found).toEqual({ ...workspace, folder: there })
  if (found === null) return
  append(there, 'a.txt', 'after the move\n')
  const now = await checkpoint(box.host, found)
  expect([now.change, now.files]).toEqual([snapshot.change, snapshot.files])
  expect(findWorkspace(clone, 't1')).toEqual(found)
  expect(agent(there, 'git', 'status', '--porcelain').split('\n')).toContain(' M a.txt')
})

test('a copy of a workspace is not the workspace', async () => {
  const { workspace } = await underway()
  const copy = join(box.dir, 'copy')
  cpSync(workspace.folder, copy, { recursive: true, verbatimSymlinks: true })
  let thrown: unknown
  try {
    locate(box.host, join(copy, 'd'))
  } catch (error) {
    thrown = error
  }
  expect(hasReason(thrown, 'workspace_copied')).toBe(true)
  expect(locate(box.host, workspace.folder)).toEqual(workspace)
})

test('an agent uses git in its workspace, and reaches nothing else', async () => {
  const { root, workspace } = await underway()
  const { folder } = workspace
  expect(agent(folder, 'git', 'status', '--porcelain').trim().split('\n')).toEqual([
    'M a.txt',
    ' D b.txt',
    '?? new/',
  ])
  agent(folder, 'git', 'add', '-A')
  agent(folder, 'git', 'commit', '-q', '-m', 'mine')
  agent(folder, 'git', 'switch', '-q', '-c', 'idea')
  append(folder, 'a.txt', 'stash me\n')
  agent(folder, 'git', 'stash', '-q')
  agent(folder, 'git', 'stash', 'pop', '-q')
  expect(agent(folder, 'git', 'log', '--format=%s').trim().split('\n')).toEqual(['mine', 'init'])
  expect(agent(folder, 'git', 'remote')).toBe('')
  expect(agent(root, 'git', 'branch', '--format=%(refname)').trim()).toBe('refs/heads/main')

  const now = await checkpoint(box.host, workspace)
  expect(now.files.map((file) => file.path)).toEqual(['a.txt', 'b.txt', 'new/n.txt'])
  expect(now).toMatchObject({ attention: null, baseMoved: false })
  agent(folder, 'git', 'reset', '-q', '--hard', 'HEAD~')
  expect((await checkpoint(box.host, workspace)).files).toEqual([])
})

test('an agent that runs jj commit and jj new stays on its task', async () => {
  const { workspace, snapshot, trunk } = await underway()
  agent(workspace.folder, 'jj', 'commit', '-m', 'first half')
  append(workspace.folder, 'a.txt', 'second half\n')
  agent(workspace.folder, 'jj', 'new', '-m', 'more')
  const now = await checkpoint(box.host, workspace)
  expect(now).toMatchObject({
    base: trunk,
    baseMoved: false,
    attention: null,
    files: snapshot.files,
  })
  expect(now.change).not.toBe(snapshot.change)
})

test('an agent that runs jj undo goes back in its own files only', async () => {
  const { root, workspace, trunk } = await underway()
  agent(workspace.folder, 'jj', 'new')
  agent(workspace.folder, 'jj', 'undo')
  const now = await checkpoint(box.host, workspace)
  expect(now).toMatchObject({ base: trunk, attention: null })
  expect(agent(root, 'git', 'rev-parse', 'main').trim()).toBe(trunk ?? '')
})

test('an agent cannot rewrite trunk, nor mislead av about where it is', async () => {
  const { root, clone, workspace, trunk } = await underway()
  expect(box.attempt(workspace.folder, 'jj', 'squash', '-m', 'x').err).toContain('is immutable')
  agent(workspace.folder, 'jj', 'bookmark', 'set', 'main', '-r', '@', '--allow-backwards')
  agent(workspace.folder, 'jj', 'git', 'export')
  const now = await checkpoint(box.host, workspace)
  expect(now).toMatchObject({ base: trunk, baseMoved: false })
  expect(agent(root, 'git', 'rev-parse', 'main').trim()).toBe(trunk ?? '')
  append(root, 'd/e.txt', 'on\n')
  const next = commitAll(box, root, 'next')
  expect((await pull(box.host, clone)).commit).toBe(next)
  expect(await checkpoint(box.host, workspace)).toMatchObject({ base: trunk, attention: null })
})

test('an agent that rebases onto newer trunk by itself moves its base', async () => {
  const { root, clone, workspace, snapshot } = await underway()
  append(root, 'd/e.txt', 'on\n')
  const next = commitAll(box, root, 'next')
  await pull(box.host, clone)
  agent(workspace.folder, 'jj', 'rebase', '-b', '@', '-o', next)
  expect(await checkpoint(box.host, workspace)).toMatchObject({
    base: next,
    baseMoved: true,
    files: snapshot.files,
    patch: { hash: snapshot.patch?.hash },
    attention: null,
  })
})

test('an agent that leaves its base behind is pointed out', async () => {
  const { workspace, trunk } = await underway()
  agent(workspace.folder, 'jj', 'new', 'root()')
  const now = await checkpoint(box.host, workspace)
  expect(now.base).toBe(trunk)
  expect(now.attention?.reason).toBe('base_lost')
})

test('a workspace forgotten by an agent is taken up again with all its edits', async () => {
  const { workspace, snapshot } = await underway()
  append(workspace.folder, 'a.txt', 'after\n')
  agent(workspace.folder, 'jj', 'workspace', 'forget')
  const now = await checkpoint(box.host, workspace)
  expect(now.files).toEqual(snapshot.files)
  expect(readFileSync(join(workspace.folder, 'a.txt'), 'utf8')).toEndWith('after\n')
})

test('a stale workspace keeps both states and asks for attention', async () => {
  const { root, clone, workspace, snapshot } = await underway()
  const store = join(clone.dir, 'jj')
  append(root, 'd/e.txt', 'on\n')
  const next = commitAll(box, root, 'next')
  await pull(box.host, clone)
  edit(workspace.folder, { 'edited.txt': 'not yet recorded\n' })
  agent(store, 'jj', '-R', store, 'rebase', '-s', snapshot.commit, '-o', next)
  const now = await checkpoint(box.host, workspace)
  expect(now.attention?.reason).toBe('stale')
  const [recorded, current, aside] = now.attention?.commits ?? []
  expect([recorded, current]).toEqual([snapshot.commit, now.commit])
  // jj put what was on disk into a commit of its own before it wrote the new state.
  const kept = `${aside}:edited.txt`
  const show = ['git', '--git-dir', join(clone.dir, 'git'), 'cat-file', 'blob', kept]
  expect(agent(store, ...show)).toBe('not yet recorded\n')
  expect(agent(store, 'jj', 'log', '--no-graph', '-r', 'divergent()', '-T', 'commit_id')).toBe('')
  expect((await checkpoint(box.host, workspace)).attention).toBeNull()
})

test('a jj repository that an agent made in place of the link is put aside, not thrown away', async () => {
  const { clone, workspace, snapshot } = await underway()
  for (const name of ['.jj', '.git']) rmSync(join(workspace.folder, name))
  agent(workspace.folder, 'jj', 'git', 'init', '--no-colocate')
  expect((await checkpoint(box.host, workspace)).commit).toBe(snapshot.commit)
  expect(exists(clone.dir, 'wsmeta', 't1.aside', 'repo', 'op_store')).toBe(true)
})

test('a task whose commit became trunk goes on above it', async () => {
  const { root, clone, workspace, snapshot } = await underway()
  agent(root, 'git', 'fetch', '-q', join(clone.dir, 'git'), snapshot.commit)
  agent(root, 'git', 'merge', '-q', '--ff-only', snapshot.commit)
  await pull(box.host, clone)
  edit(workspace.folder, { 'later.txt': 'l\n' })
  const now = await checkpoint(box.host, workspace)
  expect(now).toMatchObject({
    base: snapshot.commit,
    baseMoved: true,
    immutableMoved: true,
    files: [{ path: 'later.txt', status: 'added', from: null }],
    attention: null,
  })
})

test('a full disk loses nothing that was recorded, and is told', async () => {
  const { workspace, snapshot } = await underway()
  const limited = join(box.dir, 'limited-jj')
  edit(box.dir, {
    'limited-jj': `#!/bin/sh\ntrap '' XFSZ\nulimit -f 8\nexec '${box.host.jj}' "$@"\n`,
  })
  edit(box.dir, { 'limited-jj': { mode: 0o755 } })
  edit(workspace.folder, { 'big.bin': crypto.getRandomValues(new Uint8Array(60_000)) })
  await expect(checkpoint({ ...box.host, jj: limited }, workspace)).rejects.toMatchObject({
    code: 'store_unavailable',
    detail: { reason: 'disk_full' },
  })
  const now = await checkpoint(box.host, workspace)
  expect(now.change).toBe(snapshot.change)
  expect(now.files.map((file) => file.path)).toContain('big.bin')
})

test('a conflict an agent ran into is a state of the task, not an error', async () => {
  const { root, clone, workspace } = await underway()
  edit(root, { 'a.txt': lines(30).replace('line 30\n', 'line 30 human\n') })
  edit(workspace.folder, { 'a.txt': lines(30).replace('line 30\n', 'line 30 agent\n') })
  const next = commitAll(box, root, 'next')
  await pull(box.host, clone)
  agent(workspace.folder, 'jj', 'rebase', '-b', '@', '-o', next)
  expect(await checkpoint(box.host, workspace)).toMatchObject({
    conflict: true,
    conflictedFiles: ['a.txt'],
    empty: false,
    patch: null,
    files: [
      { path: 'a.txt', status: 'modified', from: null },
      { path: 'b.txt', status: 'removed', from: null },
      { path: 'new/n.txt', status: 'added', from: null },
    ],
  })
})

test('what a person put where a start was cut off is not taken away', async () => {
  const { clone, trunk } = await underway()
  const folder = join(box.dir, 'ws', 't2')
  writeEntry(clone, {
    name: 't2',
    task: 't2' as TaskId,
    folder,
    state: 'making',
    base: trunk,
    tip: null,
    change: null,
    generation: 1,
    conflicted: [],
    since: null,
  })
  edit(folder, { 'mine.txt': 'mine\n' })
  agent(folder, 'jj', 'git', 'init', '--no-colocate')
  await expect(begin(box, clone, trunk, 't2')).rejects.toMatchObject({
    detail: { reason: 'dest_not_empty' },
  })
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine\n')
})

test('a start whose folder, name or base is wrong leaves nothing behind', async () => {
  const { root, clone, trunk, workspace } = await underway()
  const request = {
    task: workspace.task,
    name: 't2',
    folder: join(box.dir, 'ws', 't2'),
    base: trunk,
    title: 't',
    generation: 1,
  }
  const start = (change: Partial<typeof request>) =>
    startWorkspace(box.host, clone, { ...request, ...change })
  const reasonOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'none',
      (e) => e.detail.reason,
    )

  edit(box.dir, { 'full/x': 'x' })
  const unknown = 'deadbeef'.repeat(5) as typeof trunk
  expect(await reasonOf(start({ folder: join(box.dir, 'full') }))).toBe('dest_not_empty')
  expect(await reasonOf(start({ base: unknown }))).toBe('bad_revision')
  expect(await reasonOf(start({ name: 't1' }))).toBe('workspace_exists')
  expect(await reasonOf(start({ name: '../x' }))).toBe('bad_workspace_name')
  expect(await reasonOf(start({ folder: join(root, 'ws') }))).toBe('workspace_inside_repo')
  expect(exists(box.dir, 'ws', 't2')).toBe(false)
  expect(listWorkspaces(clone)).toEqual([workspace])
  expect((await start({})).workspace.name).toBe('t2')
})
