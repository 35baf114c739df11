import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { refresh } from '../../src/workspace/refresh.ts'
import { bindGeneration, findWorkspace, locate, readEntry } from '../../src/workspace/registry.ts'
import { continueFrom, restoreInto } from '../../src/workspace/takeover.ts'
import { trial } from '../../src/workspace/trial.ts'
import {
  adopt,
  append,
  begin,
  commitAll,
  edit,
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

const files = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.txt': 'one\ntwo\nthree\n',
  '.gitignore': '*.log\n',
}

/** The task t1 with changes of every kind, recorded, and an ignored file. */
async function underway() {
  const root = gitRepo(box, { ...files, 'gone.txt': 'g\n', 'run.sh': '#!/bin/sh\n' })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  const { folder } = workspace
  edit(folder, {
    'a.txt': 'one\nmine\nthree\n',
    'gone.txt': null,
    'n/new.txt': 'n\n',
    'x.log': 'x\n',
  })
  edit(folder, { 'run.sh': { mode: 0o755 }, link: { link: 'a.txt' } })
  const snapshot = await checkpoint(box.host, workspace)
  return { root, clone, trunk, workspace, folder, snapshot }
}

/** What a claim by another actor does with this module. */
function takeOver(clone: Clone, base: CommitId | null, tip: CommitId | null, generation = 2) {
  const name = `t1.g${generation}`
  const request = { task: 't1' as TaskId, name, folder: join(box.dir, 'ws', name), base, tip }
  return continueFrom(box.host, clone, { ...request, title: 'task t1', generation })
}

const visible = (folder: string) => {
  const found = walk(folder)
  found.delete('x.log')
  return found
}

test('a takeover goes on in a folder of its own, with the same tree and base', async () => {
  const { clone, trunk, workspace, folder, snapshot } = await underway()
  const taken = await takeOver(clone, trunk, snapshot.commit)
  expect(taken.workspace).toEqual({
    clone,
    name: 't1.g2',
    task: 't1' as TaskId,
    folder: join(box.dir, 'ws', 't1.g2'),
    generation: 2,
  })
  expect(taken.snapshot).toMatchObject({
    base: trunk,
    tree: snapshot.tree,
    files: snapshot.files,
    patch: { hash: snapshot.patch?.hash },
    conflicts: [],
    attention: null,
  })
  expect(taken.snapshot.change).not.toBe(snapshot.change)
  expect(walk(taken.workspace.folder)).toEqual(visible(folder))
  expect(locate(box.host, taken.workspace.folder)).toEqual(taken.workspace)
  expect(locate(box.host, folder)?.name).toBe('t1')
  expect(box.sh(taken.workspace.folder, 'git', 'rev-parse', 'task').trim()).toBe(trunk ?? '')
  expect(await checkpoint(box.host, workspace)).toMatchObject({ commit: snapshot.commit })
})

test('whatever happens in the old folder reaches nothing', async () => {
  const { clone, trunk, workspace, folder, snapshot } = await underway()
  const taken = await takeOver(clone, trunk, snapshot.commit)
  append(folder, 'a.txt', 'too late\n')
  await checkpoint(box.host, workspace)
  box.sh(folder, 'jj', 'abandon', '@')
  box.sh(folder, 'jj', 'new', 'root()')
  expect(await checkpoint(box.host, taken.workspace)).toMatchObject({
    commit: taken.snapshot.commit,
    attention: null,
  })
})

test('several commits of the agent come as one change, with the files of the last', async () => {
  const { clone, trunk, workspace, folder } = await underway()
  box.sh(folder, 'jj', 'commit', '-m', 'first')
  edit(folder, { 'second.txt': '2\n' })
  box.sh(folder, 'jj', 'commit', '-m', 'second')
  edit(folder, { 'n/new.txt': null })
  const last = await checkpoint(box.host, workspace)
  const taken = await takeOver(clone, trunk, last.commit)
  expect([taken.snapshot.tree, taken.snapshot.files]).toEqual([last.tree, last.files])
  const own = ['jj', 'log', '--no-graph', '-r', `${trunk}..@`, '-T', '"x"']
  expect(box.sh(taken.workspace.folder, ...own)).toBe('x')
})

/** Both files of the task in conflict with trunk. */
async function inConflict() {
  const { root, clone, workspace, folder } = await underway()
  edit(folder, { 'b.txt': 'one\nmine\nthree\n' })
  edit(root, { 'a.txt': 'one\ntheirs\nthree\n', 'b.txt': 'one\ntheirs\nthree\n' })
  const next = commitAll(box, root, 'theirs')
  await pull(box.host, clone)
  const now = await refresh(box.host, workspace, next)
  expect(now.conflicts).toEqual(['a.txt', 'b.txt'])
  return { clone, workspace, folder, next, now }
}

test('a takeover of a conflict finds the conflict', async () => {
  const { clone, folder, next, now } = await inConflict()
  const taken = await takeOver(clone, next, now.commit)
  expect(taken.snapshot).toMatchObject({
    base: next,
    tree: now.tree,
    conflict: true,
    conflicts: ['a.txt', 'b.txt'],
  })
  expect(walk(taken.workspace.folder)).toEqual(visible(folder))
  edit(taken.workspace.folder, { 'a.txt': 'done\n', 'b.txt': 'done\n' })
  const done = await checkpoint(box.host, taken.workspace)
  expect(done).toMatchObject({ conflict: false, conflicts: [], base: next })
})

test('a takeover of half-removed markers still knows of the conflict', async () => {
  const { clone, workspace, folder, next } = await inConflict()
  const half = readFileSync(join(folder, 'a.txt'), 'utf8').replace(/^<{7}.*\n/m, '')
  edit(folder, { 'a.txt': half, 'b.txt': 'done\n' })
  const { commit, conflict } = await checkpoint(box.host, workspace)
  expect(conflict).toBe(false)
  const taken = await takeOver(clone, next, commit)
  expect(taken.snapshot).toMatchObject({ conflict: false, conflicts: ['a.txt'] })
})

test('made again it is the same folder, as it is by now', async () => {
  const { clone, trunk, snapshot } = await underway()
  const first = await takeOver(clone, trunk, snapshot.commit)
  edit(first.workspace.folder, { 'a.txt': 'edited since\n' })
  const again = await takeOver(clone, trunk, snapshot.commit)
  expect(again.workspace).toEqual(first.workspace)
  expect(again.snapshot.change).toBe(first.snapshot.change)
  expect(readFileSync(join(again.workspace.folder, 'a.txt'), 'utf8')).toBe('edited since\n')
  const third = await takeOver(clone, trunk, again.snapshot.commit, 3)
  expect([third.workspace.name, third.snapshot.tree]).toEqual(['t1.g3', again.snapshot.tree])
})

test('a tip or a base that jj has not heard of is continued from as well', async () => {
  const { clone, trunk, snapshot } = await underway()
  const store = ['git', '--git-dir', storeGit(clone)]
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.org']
  const made = (...parents: (string | null)[]) =>
    box
      .sh(
        box.dir,
        ...[...store.slice(0, 1), ...who, ...store.slice(1), 'commit-tree', `${snapshot.tree}`],
        ...parents.flatMap((parent) => (parent === null ? [] : ['-p', parent])),
        ...['-m', 'from a bundle'],
      )
      .trim() as CommitId
  const base = made(trunk)
  const tip = made(base)
  const taken = await takeOver(clone, base, tip)
  expect(taken.snapshot).toMatchObject({ base, tree: snapshot.tree, empty: true })
  const unstarted = await takeOver(clone, trunk, null, 3)
  expect(unstarted.snapshot).toMatchObject({ base: trunk, empty: true })
})

test('a commit with a conflict that nothing shows yet is put into the files of a workspace', async () => {
  const { root, clone, trunk, snapshot } = await underway()
  edit(root, { 'a.txt': 'one\ntheirs\nthree\n' })
  const next = commitAll(box, root, 'theirs')
  await pull(box.host, clone)
  const tried = await trial(box.host, clone, { base: trunk, tip: snapshot.commit, onto: next })
  expect(tried.conflict).toBe(true)
  const { workspace } = await begin(box, clone, next, 't2')
  edit(workspace.folder, { 'before.txt': 'b\n' })
  const now = await restoreInto(box.host, workspace, tried.commit)
  expect(now).toMatchObject({ base: next, conflict: true, conflicts: ['a.txt'] })
  expect(readFileSync(join(workspace.folder, 'a.txt'), 'utf8')).toContain('<<<<<<<')
  const seen = walk(workspace.folder)
  expect([seen.has('before.txt'), seen.has('n/new.txt')]).toEqual([false, true])

  const clean = await restoreInto(box.host, workspace, snapshot.commit)
  expect(clean).toMatchObject({ base: next, conflict: false, conflicts: [], tree: snapshot.tree })
})

test('a takeover in a repository without commits', async () => {
  const root = join(box.dir, 'repo')
  edit(root, { 'untracked.txt': 'u\n' })
  box.sh(root, 'git', 'init', '-q', '-b', 'main')
  const { clone } = await adopt(box, root)
  const { workspace } = await begin(box, clone, null)
  edit(workspace.folder, { 'a.txt': lines(3) })
  const { commit, tree } = await checkpoint(box.host, workspace)
  const taken = await takeOver(clone, null, commit)
  expect(taken.snapshot).toMatchObject({ base: null, tree, files: [{ path: 'a.txt' }] })
})

test('the generation is kept with the folder, and entries of before are still read', async () => {
  const { clone, workspace } = await underway()
  const file = join(clone.dir, 'workspaces', 't1.json')
  const {
    generation: _,
    conflicted: __,
    since: ___,
    ...old
  } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(old))
  expect(readEntry(clone, 't1')).toMatchObject({ generation: null, conflicted: [], since: null })
  expect(findWorkspace(clone, 't1')?.generation).toBeNull()
  await bindGeneration(box.host, workspace, 4)
  expect(locate(box.host, workspace.folder)?.generation).toBe(4)
  await checkpoint(box.host, workspace)
  expect(findWorkspace(clone, 't1')?.generation).toBe(4)
  const nobody = { ...workspace, name: 't9' }
  await expect(bindGeneration(box.host, nobody, 4)).rejects.toMatchObject({
    code: 'not_found',
    detail: { reason: 'no_workspace' },
  })
})
