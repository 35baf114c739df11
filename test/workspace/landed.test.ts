import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { CommitId } from '../../src/domain/repo.ts'
import { isAncestor } from '../../src/workspace/ancestry.ts'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import type { Clone } from '../../src/workspace/clone.ts'
import { isLandedAs, type OwnPatch, trunkCommits } from '../../src/workspace/landed.ts'
import { patchIdentity } from '../../src/workspace/patch.ts'
import {
  adopt,
  begin,
  commitAll,
  type Edits,
  edit,
  gitRepo,
  lines,
  type Sandbox,
  sandbox,
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

async function task(files: Edits = { 'a.txt': T, 'new.txt': 'n\n' }): Promise<OwnPatch> {
  const { workspace } = await begin(box, clone, base)
  edit(workspace.folder, files)
  const { commit: tip, patch } = await checkpoint(box.host, workspace)
  return { base, tip, patch: patchIdentity(patch!) }
}

async function gained(since: CommitId | null = base, limit = 100) {
  const to = (await pull(box.host, clone)).commit!
  return trunkCommits(box.host, clone, { since, to, limit })
}

/** The subjects of what trunk gained that are the task. */
async function recognised(own: OwnPatch): Promise<string[]> {
  const found: string[] = []
  for (const commit of await gained()) {
    if (await isLandedAs(box.host, clone, own, commit)) found.push(commit.subject)
  }
  return found
}

test('the steps of trunk, oldest first, first parents only', async () => {
  edit(root, { 'x.txt': 'x\n' })
  const odd = ['-c', 'user.name=Zoë <z>', '-c', 'user.email=z@example.org']
  box.sh(root, 'git', 'add', '-A')
  const date = 'GIT_COMMITTER_DATE=2026-03-04T05:06:07+0200'
  box.sh(root, 'env', date, 'git', ...odd, 'commit', '-q', '-m', 'one\ntwo\n\nbody')
  const one = box.sh(root, 'git', 'rev-parse', 'HEAD').trim() as CommitId
  box.sh(root, 'git', 'switch', '-q', '-c', 'side')
  edit(root, { 'y.txt': 'y\n' })
  commitAll(box, root, 'on the side')
  box.sh(root, 'git', 'switch', '-q', 'main')
  box.sh(root, 'git', 'merge', '-q', '--no-ff', '-m', 'merged', 'side')
  const steps = await gained()
  expect(steps[0]).toEqual({
    commit: one,
    parent: base,
    author: 'Zoë z',
    at: '2026-03-04T03:06:07.000Z',
    subject: 'one two',
  })
  expect(steps.map(({ parent, subject }) => [parent, subject])).toEqual([
    [base, 'one two'],
    [one, 'merged'],
  ])
  const all = await gained(null)
  expect(all.map(({ parent, subject }) => [parent, subject])).toEqual([
    [null, 'init'],
    [base, 'one two'],
    [one, 'merged'],
  ])
  expect((await gained(null, 2)).map(({ commit }) => commit)).toEqual([base, one])
  expect(await gained(steps[1]!.commit)).toEqual([])
})

test('what trunk has after it was forced is told from the common commit on', async () => {
  edit(root, { 'x.txt': 'x\n' })
  const left = commitAll(box, root, 'left')
  await pull(box.host, clone)
  box.sh(root, 'git', 'commit', '-q', '--amend', '-m', 'instead')
  expect((await gained(left)).map(({ subject }) => subject)).toEqual(['instead'])
})

test('a squash made elsewhere is recognised among other steps, and its revert is not', async () => {
  const own = await task()
  edit(root, { 'b.txt': lines(31) })
  commitAll(box, root, 'other')
  edit(root, { 'a.txt': T })
  commitAll(box, root, 'half')
  box.sh(root, 'git', 'revert', '--no-edit', 'HEAD')
  edit(root, { 'a.txt': T, 'new.txt': 'n\n' })
  commitAll(box, root, 'squash (#7)')
  box.sh(root, 'git', 'revert', '--no-edit', 'HEAD')
  expect(await recognised(own)).toEqual(['squash (#7)'])
})

test('a squash over changed context is recognised by the tree it gives', async () => {
  const own = await task()
  const nearby = (text: string) => text.replace('line 8\n', 'line 8 H\n')
  edit(root, { 'a.txt': nearby(lines(30)) })
  commitAll(box, root, 'near by')
  edit(root, { 'a.txt': nearby(T), 'new.txt': 'n\n' })
  commitAll(box, root, 'squash')
  expect(await recognised(own)).toEqual(['squash'])
})

test('a squash with something added is not the task', async () => {
  const own = await task()
  edit(root, { 'a.txt': T, 'new.txt': 'n\n', 'more.txt': 'm\n' })
  commitAll(box, root, 'with a file more')
  box.sh(root, 'git', 'reset', '-q', '--hard', base)
  edit(root, { 'a.txt': T.replace('line 20\n', 'line 20 M\n'), 'new.txt': 'n\n' })
  commitAll(box, root, 'with a line more')
  expect(await recognised(own)).toEqual([])
})

test('a task without changes is not recognised in a commit without changes', async () => {
  const own = await task({})
  commitAll(box, root, 'nothing')
  expect(await recognised(own)).toEqual([])
})

test('a squash is recognised without the commits of the task, which may be on another machine', async () => {
  const own = await task()
  edit(root, { 'b.txt': lines(31) })
  commitAll(box, root, 'other')
  edit(root, { 'a.txt': T, 'new.txt': 'n\n' })
  commitAll(box, root, 'squash')
  expect(await recognised({ ...own, tip: 'deadbeef'.repeat(5) as CommitId })).toEqual(['squash'])
})

test('a task that trunk took over commit by commit does not fault', async () => {
  const own = await task()
  edit(root, { 'a.txt': T })
  commitAll(box, root, 'one half')
  edit(root, { 'new.txt': 'n\n' })
  commitAll(box, root, 'other half')
  expect(await recognised({ ...own, tip: 'deadbeef'.repeat(5) as CommitId })).toEqual([])
  expect(await recognised({ ...own, base: own.tip })).toEqual([])
})

test('ancestors', async () => {
  edit(root, { 'x.txt': 'x\n' })
  const next = commitAll(box, root, 'next')
  await pull(box.host, clone)
  const is = (a: CommitId, b: CommitId) => isAncestor(box.host, clone, a, b)
  expect([await is(base, next), await is(next, base), await is(next, next)]).toEqual([
    true,
    false,
    true,
  ])
})
