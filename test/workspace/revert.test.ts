import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { treeId } from '../../src/workspace/commit.ts'
import { revertTrial } from '../../src/workspace/revert.ts'
import { adopt, begin, commitAll, edit, gitRepo, lines, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
let clone: Clone
/** Three steps of trunk: a.txt at line 10, b.txt, and a.txt at line 10 again. */
let first: CommitId
let second: CommitId
let third: CommitId
beforeAll(async () => {
  box = sandbox()
  const root = gitRepo(box, { 'a.txt': lines(30) })
  const adopted = await adopt(box, root)
  clone = adopted.clone
  edit(root, { 'a.txt': lines(30).replace('line 10\n', 'line 10 A\n') })
  first = commitAll(box, root, 'av-revert n1')
  edit(root, { 'b.txt': 'b\n' })
  second = commitAll(box, root, 'second')
  await pull(box.host, clone)
  // Other tasks stand on trunk as well.
  const { workspace } = await begin(box, clone, second)
  edit(workspace.folder, { 'c.txt': 'c\n' })
  await checkpoint(box.host, workspace)
  edit(root, { 'a.txt': lines(30).replace('line 10\n', 'line 10 B\n') })
  third = commitAll(box, root, 'third')
  await pull(box.host, clone)
})
afterAll(() => box.remove())

const tree = (commit: string) =>
  treeId(box.sh(storeGit(clone), 'git', 'rev-parse', `${commit}^{tree}`))
const revert = (landed: CommitId, onto: CommitId, nonce = 'n1') =>
  revertTrial(box.host, clone, { landed, onto, nonce })

test('taking the newest step back gives the tree before it', async () => {
  const tried = await revert(third, third)
  expect(tried).toMatchObject({ tree: tree(second), conflict: false, empty: false })
  expect(await revert(second, second, 'n2')).toMatchObject({ tree: tree(first) })
})

test('an older step is taken back from what came after it', async () => {
  const { commit, conflict } = await revert(second, third)
  expect(conflict).toBe(false)
  expect(box.sh(storeGit(clone), 'git', 'diff', '--name-status', third, commit)).toBe('D\tb.txt\n')
  const onSecond = await revert(first, second)
  expect(box.sh(storeGit(clone), 'git', 'show', `${onSecond.commit}:a.txt`)).toBe(lines(30))
})

test('what was changed again since is a conflict, without a tree', async () => {
  expect(await revert(first, third)).toMatchObject({
    tree: null,
    conflict: true,
    conflictedFiles: ['a.txt'],
  })
})

test('nothing is left of a step that was taken back already', async () => {
  expect(await revert(second, first)).toMatchObject({ tree: tree(first), empty: true })
})

test('a nonce is plain, and the commit is one that the clone has', async () => {
  await expect(revert(third, third, '" | all() | "')).rejects.toMatchObject({
    detail: { reason: 'bad_nonce' },
  })
  await expect(revert('deadbeef'.repeat(5) as CommitId, third)).rejects.toMatchObject({
    detail: { reason: 'bad_revision' },
  })
})
