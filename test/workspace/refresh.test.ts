import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { refresh } from '../../src/workspace/refresh.ts'
import { readEntry } from '../../src/workspace/registry.ts'
import { stackBase } from '../../src/workspace/stack.ts'
import { trial } from '../../src/workspace/trial.ts'
import {
  adopt,
  append,
  begin,
  commitAll,
  type Edits,
  edit,
  exists,
  gitRepo,
  humanView,
  lines,
  type Sandbox,
  sandbox,
} from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

const text = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8')
const shown = (clone: Clone, commit: CommitId, path: string) =>
  box.sh(box.dir, 'git', '--git-dir', storeGit(clone), 'cat-file', 'blob', `${commit}:${path}`)

/** A task with `mine` in its folder, recorded, and `theirs` on trunk since it began. */
async function apart(files: Edits, mine: Edits, theirs: Edits) {
  const root = gitRepo(box, files)
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, mine)
  const before = await checkpoint(box.host, workspace)
  edit(root, theirs)
  const next = commitAll(box, root, 'theirs')
  await pull(box.host, clone)
  return { root, clone, trunk, workspace, folder: workspace.folder, before, next }
}

test('a conflict comes as markers in the files, and git follows to the new base', async () => {
  const { root, clone, workspace, folder, before, next } = await apart(
    { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' },
    { 'a.txt': 'one\nmine\nthree\n', 'new.txt': 'n\n' },
    { 'a.txt': 'one\ntheirs\nthree\n', 'b.txt': 'B\n' },
  )
  const view = humanView(box, 'plain', root)
  append(folder, 'new.txt', 'not recorded yet\n')
  const now = await refresh(box.host, workspace, next)
  expect(now).toMatchObject({
    base: next,
    change: before.change,
    conflict: true,
    conflicts: ['a.txt'],
    patch: null,
    attention: null,
  })
  const labels = text(folder, 'a.txt').replace(/^([<|>]{7}) .*$/gm, '$1')
  expect(labels).toBe('one\n<<<<<<<\ntheirs\n|||||||\ntwo\n=======\nmine\n>>>>>>>\nthree\n')
  expect([text(folder, 'b.txt'), text(folder, 'new.txt')]).toEqual(['B\n', 'n\nnot recorded yet\n'])
  expect(box.sh(folder, 'git', 'rev-parse', 'refs/heads/task').trim()).toBe(next)
  expect(box.sh(folder, 'git', 'status', '--porcelain')).toBe(' M a.txt\n?? new.txt\n')
  expect(shown(clone, before.commit, 'a.txt')).toBe('one\nmine\nthree\n')
  expect(readEntry(clone, 't1')).toMatchObject({ base: next, conflicted: ['a.txt'] })
  expect(humanView(box, 'plain', root)).toEqual(view)

  edit(folder, { 'a.txt': 'one\nboth\nthree\n' })
  const resolved = await checkpoint(box.host, workspace)
  expect(resolved).toMatchObject({ conflict: false, conflicts: [], base: next, baseMoved: false })
  expect(resolved.files.map(({ path }) => path)).toEqual(['a.txt', 'new.txt'])
  expect(readEntry(clone, 't1')?.conflicted).toEqual([])
})

test('all commits of the task move, and no others', async () => {
  const { clone, trunk, workspace, folder, next } = await apart(
    { 'a.txt': lines(30) },
    { 'one.txt': '1\n' },
    { 'a.txt': lines(31) },
  )
  const other = await begin(box, clone, trunk, 't2')
  edit(other.workspace.folder, { 'o.txt': 'o\n' })
  const theirs = await checkpoint(box.host, other.workspace)
  box.sh(folder, 'jj', 'commit', '-m', 'first')
  edit(folder, { 'two.txt': '2\n' })
  box.sh(folder, 'jj', 'commit', '-m', 'second')
  const now = await refresh(box.host, workspace, next)
  expect(now).toMatchObject({ base: next, conflict: false, attention: null })
  expect(now.files.map(({ path }) => path)).toEqual(['one.txt', 'two.txt'])
  const own = box.sh(folder, 'jj', 'log', '--no-graph', '-r', `${next}..@`, '-T', '"x"')
  expect(own).toBe('xxx')
  expect(await checkpoint(box.host, other.workspace)).toMatchObject({
    commit: theirs.commit,
    base: trunk,
    attention: null,
  })
  // Onto where it stands: nothing to do.
  expect((await refresh(box.host, workspace, next)).commit).toBe(now.commit)
})

test("what an agent committed by git before a rebase stays in its branch's history", async () => {
  const { workspace, folder, next } = await apart(
    { 'a.txt': 'a\n' },
    { 'm.txt': 'm\n' },
    { 'z.txt': 'z\n' },
  )
  box.sh(folder, 'git', 'add', '-A')
  box.sh(folder, 'git', 'commit', '-q', '-m', 'by git')
  const mine = box.sh(folder, 'git', 'rev-parse', 'HEAD').trim()
  await refresh(box.host, workspace, next)
  expect(box.sh(folder, 'git', 'rev-parse', 'task', 'task@{1}').trim().split('\n')).toEqual([
    next,
    mine,
  ])
  expect(box.sh(folder, 'git', 'status', '--porcelain')).toBe('?? m.txt\n')
})

test('git follows a rebase at the next checkpoint, when it did not at once', async () => {
  const mine = { 'a.txt': 'mine\n' }
  const { clone, workspace, folder, next } = await apart({ 'a.txt': 'a\n' }, mine, {
    'a.txt': 'b\n',
  })
  // As a client that was killed right after it leaves things, or an agent that rebases by itself.
  box.sh(folder, 'jj', 'rebase', '-s', '@', '-o', next)
  const now = await checkpoint(box.host, workspace)
  expect(now).toMatchObject({ base: next, baseMoved: true, conflicts: ['a.txt'] })
  expect(box.sh(folder, 'git', 'rev-parse', 'task').trim()).toBe(next)
  expect(readEntry(clone, 't1')).toMatchObject({ base: next, conflicted: ['a.txt'] })
})

test('a git of the agent that holds its index up does not stop the rebase', async () => {
  const { clone, workspace, next } = await apart(
    { 'a.txt': 'a\n' },
    { 'm.txt': 'm\n' },
    { 'z.txt': 'z\n' },
  )
  edit(join(clone.dir, 'shim', 't1.git'), { 'index.lock': '' })
  expect(await refresh(box.host, workspace, next)).toMatchObject({ base: next, conflict: false })
})

test('edits made while it runs are not lost', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`d/f${i}.txt`, lines(20, i)]),
  )
  const changed = Object.fromEntries(Object.keys(many).map((path) => [path, lines(21)]))
  const { workspace, folder, next } = await apart(
    { ...many, 'mine.txt': 'mine\n' },
    { 'mine.txt': 'mine 0\n' },
    changed,
  )
  let running = true
  let written = 0
  const agent = (async () => {
    while (running) {
      written++
      writeFileSync(join(folder, 'mine.txt'), `mine ${written}\n`)
      writeFileSync(join(folder, `new-${written}.txt`), `${written}\n`)
      await Bun.sleep(2)
    }
  })()
  await refresh(box.host, workspace, next)
  running = false
  await agent
  const now = await checkpoint(box.host, workspace)
  expect(now).toMatchObject({ base: next, conflict: false, attention: null })
  expect(written).toBeGreaterThan(10)
  expect(text(folder, 'mine.txt')).toBe(`mine ${written}\n`)
  const paths = Array.from({ length: written }, (_, i) => `new-${i + 1}.txt`)
  expect(now.files.map(({ path }) => path)).toEqual(['mine.txt', ...paths].sort())
})

const BINARY = (byte: number) => Uint8Array.from({ length: 600 }, (_, i) => (i * byte) % 256)
type Kind = readonly [kind: string, path: string, mine: Edits, theirs: Edits, resolution: Edits]
const KINDS: readonly Kind[] = [
  ['modify/delete', 'a.txt', { 'a.txt': lines(31) }, { 'a.txt': null }, { 'a.txt': lines(32) }],
  ['delete/modify', 'a.txt', { 'a.txt': null }, { 'a.txt': lines(31) }, { 'a.txt': null }],
  ['binary', 'b.bin', { 'b.bin': BINARY(3) }, { 'b.bin': BINARY(5) }, { 'b.bin': BINARY(7) }],
  ['add/add', 'n.txt', { 'n.txt': 'mine\n' }, { 'n.txt': 'theirs\n' }, { 'n.txt': 'both\n' }],
  ['add/add, dropped', 'n.txt', { 'n.txt': 'mine\n' }, { 'n.txt': 'theirs\n' }, { 'n.txt': null }],
]

test.each(KINDS)('a %s conflict is resolved by writing or deleting', async (...kind) => {
  const [, path, mine, theirs, resolution] = kind
  const files = { 'a.txt': lines(30), 'b.bin': BINARY(1) }
  const { workspace, folder, next } = await apart(files, mine, theirs)
  expect((await refresh(box.host, workspace, next)).conflicts).toEqual([path])
  edit(folder, resolution)
  expect(await checkpoint(box.host, workspace)).toMatchObject({ conflict: false, conflicts: [] })
  expect(exists(folder, path)).toBe(resolution[path] !== null)
})

test('a task stacked on another stays as it is while that one goes on, and follows it to trunk', async () => {
  const root = gitRepo(box, { 'a.txt': lines(30) })
  const { clone, trunk } = await adopt(box, root)
  const parent = await begin(box, clone, trunk)
  const untouched = { base: trunk, head: parent.snapshot.commit }
  expect(await stackBase(box.host, clone, untouched)).toBe(trunk as CommitId)
  edit(parent.workspace.folder, { 'a.txt': lines(31), 'p.txt': 'p\n' })
  const { commit: head } = await checkpoint(box.host, parent.workspace)
  const base = await stackBase(box.host, clone, { base: trunk, head })
  expect(await stackBase(box.host, clone, { base: trunk, head })).toBe(base)
  const { workspace } = await begin(box, clone, base, 't2')
  edit(workspace.folder, { 'a.txt': lines(32), 'c.txt': 'c\n' })
  const child = await checkpoint(box.host, workspace)
  expect(child.files.map(({ path }) => path)).toEqual(['a.txt', 'c.txt'])

  edit(parent.workspace.folder, { 'p.txt': 'more\n' })
  await checkpoint(box.host, parent.workspace)
  expect(await checkpoint(box.host, workspace)).toMatchObject({
    commit: child.commit,
    base,
    attention: null,
  })
  edit(root, { 'a.txt': lines(31), 'p.txt': 'more\n' })
  const landed = commitAll(box, root, 'the parent, squashed')
  await pull(box.host, clone)
  expect(await refresh(box.host, workspace, landed)).toMatchObject({
    base: landed,
    conflict: false,
    files: child.files,
    patch: { hash: child.patch?.hash },
  })
})

test('a task that was moved off its base by hand is not rebased', async () => {
  const { workspace, folder, next } = await apart(
    { 'a.txt': 'a\n' },
    { 'm.txt': 'm\n' },
    { 'z.txt': 'z\n' },
  )
  box.sh(folder, 'jj', 'new', 'root()')
  await expect(refresh(box.host, workspace, next)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'base_lost' },
  })
})

test('a trial of what was refreshed in the same second is answered, not refused as a commit that exists', async () => {
  const { clone, trunk, workspace, before, next } = await apart(
    { 'a.txt': 'one\n' },
    { 'a.txt': 'mine\n' },
    { 'a.txt': 'theirs\n' },
  )
  // Whether the two fall into one second is chance: of six trials in a row most do.
  await refresh(box.host, workspace, next)
  for (let tried = 0; tried < 6; tried++) {
    const answer = await trial(box.host, clone, { base: trunk, tip: before.commit, onto: next })
    expect(answer.conflictedFiles).toEqual(['a.txt'])
  }
})
