import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { ownerOf, ownMark } from '../../src/workspace/lock-owner.ts'
import { recoverTrunk } from '../../src/workspace/recover-trunk.ts'
import { expectNoLocks, type Landed, landing, readText, trunkOf } from './landing.ts'
import {
  adopt,
  append,
  commitAll,
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

/** No system gives out a process number as high. */
const DEAD = 'av 2147483646\n'

const LANDED: Landed = {
  'a.txt': lines(40),
  'b.txt': null,
  'd/e.txt': lines(50),
  'd/f.txt': lines(60),
  'n/new.txt': lines(70),
  l: { link: 'a.txt' },
}

/** As a client leaves it that was killed between the swap of trunk and the first file. */
async function broken(files: Landed = LANDED) {
  const root = gitRepo(box, {
    'a.txt': lines(30),
    'b.txt': 'b\n',
    'd/e.txt': 'e\n',
    'd/f.txt': 'f\n',
    'wip.txt': 'w\n',
  })
  append(root, 'wip.txt', 'staged\n')
  box.sh(root, 'git', 'add', 'wip.txt')
  append(root, 'wip.txt', 'on top\n')
  const { clone, trunk } = await adopt(box, root)
  const move = { old: trunk, new: landing(box, clone, trunk, files) }
  const staged = box.sh(root, 'git', 'diff', '--cached')
  box.sh(root, 'git', 'fetch', '-q', join(clone.dir, 'git'), move.new)
  rmSync(join(root, '.git', 'FETCH_HEAD'))
  box.sh(root, 'git', 'update-ref', 'refs/heads/main', move.new)
  writeFileSync(join(clone.gitDir, 'index.lock'), DEAD)
  writeFileSync(join(clone.gitDir, 'av-index'), 'half')
  writeFileSync(join(clone.gitDir, 'av-index.lock'), '')
  return { root, clone, trunk, move, staged }
}

type Broken = Awaited<ReturnType<typeof broken>>

/** Everything is as if the move had come through, less what the status shows of the person's. */
function expectLanded({ root, clone, staged }: Broken, ...status: string[]): void {
  expect(box.sh(root, 'git', 'diff', '--cached')).toBe(staged)
  const shown = box.sh(root, 'git', 'status', '--porcelain').split('\n').filter(Boolean)
  expect(shown.sort()).toEqual(['MM wip.txt', ...status].sort())
  expect(readText(root, 'wip.txt')).toBe('w\nstaged\non top\n')
  expectNoLocks(clone.gitDir)
}

test('trunk has moved and no file has: all of them follow', async () => {
  const state = await broken()
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  expectLanded(state)
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  expectLanded(state)
})

test('some files have: one done, one cut off, one taken away before it was written', async () => {
  const state = await broken()
  edit(state.root, { 'a.txt': lines(40), 'd/e.txt': lines(50).slice(0, 99), 'd/f.txt': null })
  edit(state.root, { 'b.txt': null, 'n/new.txt': '' })
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  expectLanded(state)
})

test('what the person edited since the client died is left alone', async () => {
  const state = await broken()
  const mine = { 'a.txt': `${lines(30)}mine\n`, 'b.txt': 'mine\n', 'n/new.txt': 'mine\n' }
  edit(state.root, mine)
  rmSync(join(state.root, 'd/e.txt'))
  mkdirSync(join(state.root, 'd/e.txt'))
  edit(state.root, { 'd/e.txt/x': 'mine\n' })
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  for (const [path, text] of Object.entries({ ...mine, 'd/e.txt/x': 'mine\n' })) {
    expect(readText(state.root, path)).toBe(text)
  }
  expectLanded(state, ' M a.txt', '?? b.txt', ' D d/e.txt', ' M n/new.txt')
})

test.each(['n', 'd'])(
  'a link in the place of the folder %s is not written through',
  async (name) => {
    const state = await broken({ ...LANDED, 'd/f.txt': null })
    edit(box.dir, { 'outside/f.txt': 'f\n', 'outside/keep.txt': 'k\n' })
    rmSync(join(state.root, name), { recursive: true, force: true })
    symlinkSync(join(box.dir, 'outside'), join(state.root, name))
    expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
    expect(readText(box.dir, 'outside/f.txt')).toBe('f\n')
    expect([exists(box.dir, 'outside/new.txt'), exists(box.dir, 'outside/e.txt')]).toEqual([
      false,
      false,
    ])
    expectLanded(state, ` D ${name === 'n' ? 'n/new.txt' : 'd/e.txt'}`, `?? ${name}`)
  },
)

test('a folder whose place a link takes, and a file one in it: in any half-done state', async () => {
  const files: Landed = { 'd/e.txt': null, 'd/f.txt': null, d: { link: '..' }, 'a.txt': null }
  const state = await broken({ ...files, 'a.txt/x': 'x\n' })
  rmSync(join(state.root, 'd'), { recursive: true })
  symlinkSync('..', join(state.root, 'd'))
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  expect(readText(state.root, 'a.txt/x')).toBe('x\n')
  expectLanded(state)
})

test('trunk has not moved: what the client left is cleared, and nothing else done', async () => {
  const state = await broken()
  box.sh(state.root, 'git', 'update-ref', 'refs/heads/main', state.trunk ?? '')
  const before = humanView(box, 'plain', state.root)
  const ref = join(state.clone.gitDir, 'refs/heads/main.lock')
  writeFileSync(ref, `${state.move.new}\n`)
  writeFileSync(join(state.clone.gitDir, 'HEAD.lock'), '')
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('not_landed')
  expect(humanView(box, 'plain', state.root)).toEqual(before)
  expectNoLocks(state.clone.gitDir)
})

test('killed after the index was put in place: only the lock is left to clear', async () => {
  const state = await broken()
  await recoverTrunk(box.host, state.clone, state.move)
  writeFileSync(join(state.clone.gitDir, 'index.lock'), DEAD)
  rmSync(join(state.root, 'a.txt'))
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  expectLanded(state, ' D a.txt')
})

describe('the lock was removed by the person, as git advises', () => {
  test('and nothing done since: the files follow', async () => {
    const state = await broken()
    rmSync(join(state.clone.gitDir, 'index.lock'))
    expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
    expectLanded(state)
  })

  test('and one of the paths staged otherwise, or trunk moved on: the checkout is theirs', async () => {
    const state = await broken()
    rmSync(join(state.clone.gitDir, 'index.lock'))
    edit(state.root, { 'a.txt': 'mine\n' })
    box.sh(state.root, 'git', 'add', 'a.txt')
    const before = humanView(box, 'plain', state.root)
    expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
    expect(humanView(box, 'plain', state.root)).toEqual(before)

    commitAll(box, state.root, 'all of it')
    const committed = humanView(box, 'plain', state.root)
    expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
    expect(humanView(box, 'plain', state.root)).toEqual(committed)
  })
})

test('the lock removed, and an old index committed: that commit is the person’s to mend', async () => {
  const state = await broken()
  rmSync(join(state.clone.gitDir, 'index.lock'))
  box.sh(state.root, 'git', 'commit', '-q', '-m', 'stale')
  const before = humanView(box, 'plain', state.root)
  expect(await recoverTrunk(box.host, state.clone, state.move)).toBe('landed')
  expect(humanView(box, 'plain', state.root)).toEqual(before)
})

test('trunk forced to elsewhere: a landing is none, an undo is done', async () => {
  const state = await broken()
  rmSync(join(state.clone.gitDir, 'index.lock'))
  box.sh(state.root, 'git', 'stash', '-q')
  box.sh(state.root, 'git', 'reset', '-q', '--hard', state.trunk ?? '')
  const elsewhere = commitAll(box, state.root, 'elsewhere') as CommitId
  const { move, trunk, clone } = state
  expect(await recoverTrunk(box.host, clone, move)).toBe('not_landed')
  expect(await recoverTrunk(box.host, clone, { old: move.new, new: trunk })).toBe('landed')
  expect(trunkOf(box, clone)).toBe(elsewhere)
  expect(box.sh(state.root, 'git', 'status', '--porcelain')).toBe('')
})

test('an index lock tells whether its av lives, also when its number was given out again', () => {
  const mark = ownMark()
  expect(ownerOf(mark)).toBe('alive')
  expect(ownerOf(mark.replace(/ \d+\n$/, ' 1\n'))).toBe('dead')
  expect(ownerOf(`av ${process.pid}\n`)).toBe('alive')
  expect(ownerOf(DEAD)).toBe('dead')
  expect(['', 'DIRC', 'av x\n', 'av 12', 'av 0\n', 'av -1\n'].map(ownerOf)).toEqual(
    Array(6).fill(null),
  )
})

test('a client that lives is not taken for dead', async () => {
  const { clone, move } = await broken()
  writeFileSync(join(clone.gitDir, 'index.lock'), ownMark())
  await expect(recoverTrunk(box.host, clone, move)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'checkout_locked' },
  })
  expect(readFileSync(join(clone.gitDir, 'index.lock'), 'latin1')).toBe(ownMark())
  renameSync(join(clone.gitDir, 'index.lock'), join(box.dir, 'was'))
})

test('a first commit half born, or half taken back, is brought to its end', async () => {
  const root = join(box.dir, 'repo')
  mkdirSync(root)
  box.sh(root, 'git', 'init', '-q', '-b', 'main')
  edit(root, { 'mine.txt': 'mine\n' })
  const { clone } = await adopt(box, root)
  const first = landing(box, clone, null, { 'a.txt': 'a\n', 'd/b.txt': lines(9), 'd/c': 'c\n' })
  box.sh(root, 'git', 'fetch', '-q', join(clone.dir, 'git'), first)
  box.sh(root, 'git', 'update-ref', 'refs/heads/main', first)
  writeFileSync(join(clone.gitDir, 'index.lock'), DEAD)
  edit(root, { 'd/b.txt': lines(2) })
  expect(await recoverTrunk(box.host, clone, { old: null, new: first })).toBe('landed')
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('?? mine.txt\n')

  box.sh(root, 'git', 'update-ref', '-d', 'refs/heads/main')
  writeFileSync(join(clone.gitDir, 'index.lock'), DEAD)
  edit(root, { 'a.txt': 'edited\n' })
  rmSync(join(root, 'd/c'))
  expect(await recoverTrunk(box.host, clone, { old: first, new: null })).toBe('landed')
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('?? a.txt\n?? mine.txt\n')
  expect(exists(root, 'd')).toBe(false)
  expectNoLocks(clone.gitDir)
})

test('files that a sparse checkout leaves out stay out', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n', 'd/e.txt': 'e\n', 'd/f.txt': 'f\n' })
  const { clone, trunk } = await adopt(box, root)
  box.sh(root, 'git', 'sparse-checkout', 'set', '--no-cone', '/*.txt')
  const files: Landed = { 'a.txt': 'new\n', 'd/e.txt': 'new\n', 'd/f.txt': null }
  const move = { old: trunk, new: landing(box, clone, trunk, files) }
  box.sh(root, 'git', 'fetch', '-q', join(clone.dir, 'git'), move.new)
  box.sh(root, 'git', 'update-ref', 'refs/heads/main', move.new)
  writeFileSync(join(clone.gitDir, 'index.lock'), DEAD)
  expect(await recoverTrunk(box.host, clone, move)).toBe('landed')
  expect([readText(root, 'a.txt'), exists(root, 'd')]).toEqual(['new\n', false])
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
})

test('a linked worktree, whose index and lock lie elsewhere', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const { clone, trunk } = await adopt(box, root)
  const folder = join(box.dir, 'linked')
  box.sh(root, 'git', 'switch', '-q', '-c', 'side')
  box.sh(root, 'git', 'worktree', 'add', '-q', folder, 'main')
  const move = { old: trunk, new: landing(box, clone, trunk, { 'a.txt': 'new\n' }) }
  box.sh(root, 'git', 'fetch', '-q', join(clone.dir, 'git'), move.new)
  box.sh(folder, 'git', 'update-ref', 'refs/heads/main', move.new)
  writeFileSync(join(clone.gitDir, 'worktrees/linked/index.lock'), DEAD)
  expect(await recoverTrunk(box.host, clone, move)).toBe('landed')
  expect(readText(folder, 'a.txt')).toBe('new\n')
  expect(box.sh(folder, 'git', 'status', '--porcelain')).toBe('')
  expectNoLocks(join(clone.gitDir, 'worktrees/linked'))
})

test('a jj repository that does not know yet that its git ref has moved', async () => {
  const root = join(box.dir, 'repo')
  edit(root, { 'a.txt': 'a\n' })
  box.sh(root, 'jj', 'git', 'init', '--no-colocate')
  box.sh(root, 'jj', 'commit', '-m', 'init')
  box.sh(root, 'jj', 'bookmark', 'create', 'main', '-r', '@-')
  const { clone, trunk } = await adopt(box, root)
  const move = { old: trunk, new: landing(box, clone, trunk, { 'a.txt': 'new\n' }) }
  expect(await recoverTrunk(box.host, clone, move)).toBe('not_landed')
  const git = ['git', '--git-dir', clone.gitDir]
  box.sh(root, ...git, 'fetch', '-q', join(clone.dir, 'git'), move.new)
  box.sh(root, ...git, 'update-ref', 'refs/heads/main', move.new)
  expect(await recoverTrunk(box.host, clone, move)).toBe('landed')
  expect(box.sh(root, 'jj', 'log', '--no-graph', '-r', 'main', '-T', 'commit_id')).toBe(move.new)
})
