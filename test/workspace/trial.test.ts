import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { treeId } from '../../src/workspace/commit.ts'
import { dropLandingRef, landingCommit } from '../../src/workspace/landing-commit.ts'
import { trial } from '../../src/workspace/trial.ts'
import {
  adopt,
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
let root: string
let clone: Clone
let base: CommitId
beforeEach(async () => {
  box = sandbox()
  root = gitRepo(box, { 'a.txt': lines(30), 'b.txt': lines(30) })
  const adopted = await adopt(box, root)
  clone = adopted.clone
  base = adopted.trunk!
})
afterEach(() => box.remove())

const T = lines(30).replace('line 10\n', 'line 10 T\n')
const H = lines(30).replace('line 10\n', 'line 10 H\n')
const git = (...args: string[]) => box.sh(storeGit(clone), 'git', ...args).trim()
const store = (...args: string[]) =>
  box.sh(
    clone.dir,
    'jj',
    '--no-pager',
    '--ignore-working-copy',
    '-R',
    join(clone.dir, 'jj'),
    ...args,
  )

async function task(name = 't1', files = { 'a.txt': T, 'new.txt': 'n\n' }) {
  const { workspace } = await begin(box, clone, base, name)
  edit(workspace.folder, files)
  return { workspace, tip: (await checkpoint(box.host, workspace)).commit }
}

async function trunkGets(files: Parameters<typeof edit>[1]) {
  edit(root, files)
  commitAll(box, root, 'trunk')
  return (await pull(box.host, clone)).commit!
}

test('a task that stands on trunk is its own trial', async () => {
  const { tip } = await task()
  const tried = await trial(box.host, clone, { base, tip, onto: base })
  const tree = treeId(git('rev-parse', `${tip}^{tree}`))
  expect(tried).toEqual({ commit: tip, tree, conflict: false, conflictedFiles: [], empty: false })
})

test('nothing in store or workspace shows a trial, and it is what the rebase then gives', async () => {
  const { workspace, tip } = await task()
  const onto = await trunkGets({ 'b.txt': lines(31) })
  const seen = () => ({
    log: store('log', '--no-graph', '-T', 'commit_id ++ "\\n"', '-r', 'all()'),
    files: [...walk(workspace.folder)],
  })
  const before = seen()
  const tried = await trial(box.host, clone, { base, tip, onto })
  expect(tried).toMatchObject({ conflict: false, empty: false })
  expect(seen()).toEqual(before)
  box.sh(workspace.folder, 'jj', 'rebase', '-s', `roots(${base}..@)`, '-o', onto)
  expect(await checkpoint(box.host, workspace)).toMatchObject({ base: onto, tree: tried.tree })
})

test('a conflict has files and no tree', async () => {
  const { tip } = await task()
  const onto = await trunkGets({ 'a.txt': H })
  expect(await trial(box.host, clone, { base, tip, onto })).toMatchObject({
    tree: null,
    conflict: true,
    conflictedFiles: ['a.txt'],
    empty: false,
  })
})

test('an older state of the task is tried, not the newest, wherever that stands', async () => {
  const { workspace, tip } = await task()
  edit(workspace.folder, { 'late.txt': 'later\n' })
  const later = (await checkpoint(box.host, workspace)).commit
  const onto = await trunkGets({ 'b.txt': lines(31) })
  const files = async (commit: CommitId) =>
    git(
      'ls-tree',
      '--name-only',
      (await trial(box.host, clone, { base, tip: commit, onto })).commit,
    )
  expect(await files(tip)).toBe('a.txt\nb.txt\nnew.txt')
  expect(await files(later)).toBe('a.txt\nb.txt\nlate.txt\nnew.txt')
  box.sh(workspace.folder, 'jj', 'rebase', '-s', `roots(${base}..@)`, '-o', onto)
  expect(await files(tip)).toBe('a.txt\nb.txt\nnew.txt')
  box.sh(workspace.folder, 'jj', 'abandon', '@')
  expect(await files(tip)).toBe('a.txt\nb.txt\nnew.txt')
})

test('the commits of the task alone move, also from a trunk that went back', async () => {
  const forward = await trunkGets({ 'b.txt': lines(31) })
  const { workspace } = await begin(box, clone, forward)
  edit(workspace.folder, { 'a.txt': T })
  box.sh(workspace.folder, 'jj', 'commit', '-m', 'one')
  edit(workspace.folder, { 'new.txt': 'n\n' })
  const { commit: tip } = await checkpoint(box.host, workspace)
  box.sh(root, 'git', 'reset', '-q', '--hard', 'HEAD~')
  expect((await pull(box.host, clone)).commit).toBe(base)
  const tried = await trial(box.host, clone, { base: forward, tip, onto: base })
  expect(git('diff', '--name-only', base, tried.commit)).toBe('a.txt\nnew.txt')
})

test('nothing is left when trunk has all of it, or the task has nothing', async () => {
  const { tip } = await task()
  const onto = await trunkGets({ 'a.txt': T, 'new.txt': 'n\n' })
  const empty = { conflict: false, empty: true, tree: treeId(git('rev-parse', `${onto}^{tree}`)) }
  expect(await trial(box.host, clone, { base, tip, onto })).toMatchObject(empty)
  expect(await trial(box.host, clone, { base, tip: base, onto })).toMatchObject(empty)
  expect(await trial(box.host, clone, { base: onto, tip: onto, onto })).toMatchObject(empty)
})

test('a task that does not stand on its base, or holds commits of trunk, is refused', async () => {
  const { tip } = await task()
  const onto = await trunkGets({ 'b.txt': lines(31) })
  const on = (at: Parameters<typeof trial>[2]) => trial(box.host, clone, at)
  await expect(on({ base: onto, tip, onto })).rejects.toMatchObject({
    detail: { reason: 'base_lost' },
  })
  const { workspace } = await begin(box, clone, onto, 't2')
  edit(workspace.folder, { 'x.txt': 'x\n' })
  const above = (await checkpoint(box.host, workspace)).commit
  await expect(on({ base, tip: above, onto })).rejects.toMatchObject({
    detail: { reason: 'immutable' },
  })
})

test('a task begun before the first commit', async () => {
  const bare = join(box.dir, 'bare')
  box.sh(box.dir, 'git', 'init', '-q', '-b', 'main', bare)
  const empty = await adopt(box, bare, 'r2' as typeof clone.repo)
  clone = empty.clone
  expect(empty.trunk).toBeNull()
  const { workspace } = await begin(box, clone, null)
  edit(workspace.folder, { 'a.txt': T })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const first = await trial(box.host, clone, { base: null, tip, onto: null })
  expect(first).toMatchObject({ commit: tip, conflict: false, empty: false })
  edit(bare, { 'b.txt': 'b\n' })
  commitAll(box, bare, 'first')
  const onto = (await pull(box.host, clone)).commit!
  const tried = await trial(box.host, clone, { base: null, tip, onto })
  expect(git('ls-tree', '--name-only', tried.commit)).toBe('a.txt\nb.txt')
})

const WHO = { name: 'Ann', email: 'ann@example.org' }
const AT = new Date('2026-03-04T05:06:07.890Z')

test('a landing commit holds what it was given, and is kept until it is let go', async () => {
  const { tip } = await task()
  const { tree } = await trial(box.host, clone, { base, tip, onto: base })
  const what = {
    tree: tree!,
    parent: base,
    message: 'Title\n\n# not a comment\n\0body é\n\nAv-Task: t1\n',
    author: { name: ' <Ev\nil>\t"x" ', email: '<a@b>\n-p x' },
    committer: { name: '\n<>', email: '' },
    at: AT,
  }
  const landed = await landingCommit(box.host, clone, what)
  expect(git('cat-file', 'commit', landed)).toBe(
    [
      `tree ${tree}`,
      `parent ${base}`,
      'author Ev il "x <a@b -p x> 1772600767 +0000',
      'committer unknown <unknown@localhost> 1772600767 +0000',
      '',
      'Title\n\n# not a comment\n body é\n\nAv-Task: t1',
    ].join('\n'),
  )
  expect(await landingCommit(box.host, clone, what)).toBe(landed)
  git('gc', '-q', '--prune=now')
  expect(git('for-each-ref', '--format=%(objectname)', 'refs/av/landing')).toBe(landed)
  await dropLandingRef(box.host, clone, landed)
  await dropLandingRef(box.host, clone, landed)
  expect(git('for-each-ref', 'refs/av/landing')).toBe('')
  const root = await landingCommit(box.host, clone, { ...what, parent: null, at: new Date(NaN) })
  expect(git('log', '-1', '--format=%P %at', root)).toBe('0')
})

test('a conflict never lands', async () => {
  const { workspace } = await task()
  const onto = await trunkGets({ 'a.txt': H })
  box.sh(workspace.folder, 'jj', 'rebase', '-s', `roots(${base}..@)`, '-o', onto)
  const { tree, conflict } = await checkpoint(box.host, workspace)
  expect(conflict).toBe(true)
  const what = { tree: tree!, message: 'x\n', author: WHO, committer: WHO, at: AT }
  for (const parent of [onto, null]) {
    await expect(landingCommit(box.host, clone, { ...what, parent })).rejects.toMatchObject({
      code: 'refused_rule',
      detail: { reason: 'conflict_tree' },
    })
  }
})
