import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RepoKind } from '../../src/workspace/detect.ts'
import { moveTrunk } from '../../src/workspace/move-trunk.ts'
import { recoverTrunk } from '../../src/workspace/recover-trunk.ts'
import { expectNoLocks, landing, readText, trunkOf } from './landing.ts'
import { adopt, append, commitAll, edit, exists, lines, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

type State = 'clean' | 'dirty' | 'side' | 'detached'

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

const STATES: readonly (readonly [RepoKind, State])[] = [
  ['plain', 'clean'],
  ['plain', 'dirty'],
  ['plain', 'side'],
  ['plain', 'detached'],
  ['colocated', 'clean'],
  ['colocated', 'dirty'],
  ['purejj', 'clean'],
  ['purejj', 'dirty'],
]

describe.each(STATES)('trunk of a %s repository, %s', (kind, state) => {
  test('goes forward, back, and forward again, and what is the person’s stays', async () => {
    const root = makeRepo(kind, state)
    const { clone, trunk } = await adopt(box, root)
    const changed = { 'a.txt': lines(29), 'deep/new.txt': 'n\n', 'b.txt': null }
    const landed = landing(box, clone, trunk, changed)
    const before = view(kind, root)
    const forward = { old: trunk, new: landed, message: 'av: land' }
    const back = { old: landed, new: trunk, message: 'av: undo' }
    const follows = kind === 'plain' && (state === 'clean' || state === 'dirty')

    expect(await recoverTrunk(box.host, clone, forward)).toBe('not_landed')
    await moveTrunk(box.host, clone, forward)
    expect(trunkOf(box, clone)).toBe(landed)
    expect(view(kind, root)).toEqual(before)
    expect(readText(root, 'a.txt')).toBe(follows ? lines(29) : lines(30))
    expect(exists(root, 'deep/new.txt')).toBe(follows)
    expect(exists(root, 'b.txt')).toBe(!follows)
    if (kind === 'purejj') expect(bookmark(root)).toBe(landed)
    expect(await recoverTrunk(box.host, clone, forward)).toBe('landed')

    await expect(moveTrunk(box.host, clone, forward)).rejects.toMatchObject({
      code: 'conflict',
      detail: { reason: 'trunk_moved' },
    })
    expect(await recoverTrunk(box.host, clone, back)).toBe('not_landed')
    await moveTrunk(box.host, clone, back)
    expect(trunkOf(box, clone)).toBe(trunk)
    expect(view(kind, root)).toEqual(before)
    expect(readText(root, 'a.txt')).toBe(lines(30))
    expect([exists(root, 'deep'), exists(root, 'b.txt')]).toEqual([false, true])
    if (kind === 'purejj') expect(bookmark(root)).toBe(trunk ?? '')
    expect(await recoverTrunk(box.host, clone, back)).toBe('landed')
    await expect(moveTrunk(box.host, clone, back)).rejects.toMatchObject({
      detail: { reason: 'trunk_moved' },
    })

    await moveTrunk(box.host, clone, forward)
    expect(trunkOf(box, clone)).toBe(landed)
    expect(view(kind, root)).toEqual(before)
    expectNoLocks(clone.gitDir)
  })
})

describe.each(['plain', 'colocated', 'purejj'] as const)('an empty %s repository', (kind) => {
  test('has its trunk born and ended', async () => {
    const root = join(box.dir, 'repo')
    mkdirSync(root)
    if (kind === 'purejj') box.sh(root, 'jj', 'git', 'init', '--no-colocate')
    else box.sh(root, 'git', 'init', '-q', '-b', 'main')
    if (kind === 'colocated') box.sh(root, 'jj', 'git', 'init', '--colocate')
    edit(root, { 'mine.txt': 'mine\n', 'staged.txt': 's\n' })
    if (kind === 'plain') box.sh(root, 'git', 'add', 'staged.txt')
    const { clone, trunk } = await adopt(box, root)
    expect(trunk).toBeNull()
    const first = landing(box, clone, null, { 'a.txt': 'a\n', 'd/b.txt': 'b\n' })
    const before = view(kind, root)
    const born = { old: null, new: first, message: 'av: land' }
    const ended = { old: first, new: null, message: 'av: undo' }

    await moveTrunk(box.host, clone, born)
    expect(trunkOf(box, clone)).toBe(first)
    expect(view(kind, root)).toEqual(before)
    expect(exists(root, 'd/b.txt')).toBe(kind === 'plain')
    await expect(moveTrunk(box.host, clone, born)).rejects.toMatchObject({
      detail: { reason: 'trunk_moved' },
    })
    expect(await recoverTrunk(box.host, clone, born)).toBe('landed')

    await moveTrunk(box.host, clone, ended)
    expect(trunkOf(box, clone)).toBeNull()
    expect(view(kind, root)).toEqual(before)
    expect([exists(root, 'a.txt'), exists(root, 'd')]).toEqual([false, false])
    expect(await recoverTrunk(box.host, clone, ended)).toBe('landed')
    expect(await recoverTrunk(box.host, clone, born)).toBe('not_landed')
    await moveTrunk(box.host, clone, born)
    expect(trunkOf(box, clone)).toBe(first)
  })
})

test('the first commit is not taken back over work that stands on its files', async () => {
  const root = join(box.dir, 'repo')
  mkdirSync(root)
  box.sh(root, 'git', 'init', '-q', '-b', 'main')
  const { clone } = await adopt(box, root)
  const first = landing(box, clone, null, { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  await moveTrunk(box.host, clone, { old: null, new: first, message: 'av: land' })
  append(root, 'a.txt', 'mine\n')
  const ended = moveTrunk(box.host, clone, { old: first, new: null, message: 'av: undo' })
  await expect(ended).rejects.toMatchObject({ detail: { paths: ['a.txt'] } })
  expect([trunkOf(box, clone), readText(root, 'a.txt')]).toEqual([first, 'a\nmine\n'])
})

test('work in jj that stands on a landing keeps its place when the landing is taken back', async () => {
  const root = makeRepo('purejj', 'clean')
  const { clone, trunk } = await adopt(box, root)
  const landed = landing(box, clone, trunk, { 'new.txt': 'n\n' })
  await moveTrunk(box.host, clone, { old: trunk, new: landed, message: 'av: land' })
  box.sh(root, 'jj', 'new', 'main')
  edit(root, { 'wip.txt': 'wip\n' })
  box.sh(root, 'jj', 'describe', '-m', 'wip')
  const at = () => box.sh(root, 'jj', 'log', '--no-graph', '-r', '@', '-T', 'commit_id')
  const before = at()
  await moveTrunk(box.host, clone, { old: landed, new: trunk, message: 'av: undo' })
  expect([at(), bookmark(root)]).toEqual([before, trunk ?? ''])
})

/** What the person sees of their own work, less where trunk is and the files that came with it. */
function view(kind: RepoKind, root: string): Record<string, string> {
  if (kind === 'plain') {
    const git = (...args: string[]) => box.attempt(root, 'git', '--no-optional-locks', ...args).out
    return {
      status: git('status', '--porcelain'),
      head: git('symbolic-ref', '-q', 'HEAD'),
      refs: git('for-each-ref', '--format=%(refname)').replace('refs/heads/main\n', ''),
      staged: git('diff', '--cached'),
      unstaged: git('diff'),
      stash: git('stash', 'list'),
    }
  }
  const jj = (...args: string[]) => box.sh(root, 'jj', '--no-pager', '--color=never', ...args)
  const log = (revset: string, template: string) =>
    jj('log', '--no-graph', '-r', revset, '-T', template)
  return {
    diff: jj('diff', '-r', '@', '--git'),
    at: log('@', 'commit_id ++ description ++ parents.map(|p| p.commit_id())'),
    workspaces: jj('workspace', 'list'),
    broken: log('conflicts() | divergent()', 'commit_id'),
  }
}

function bookmark(root: string): string {
  return box.sh(root, 'jj', 'log', '--no-graph', '-r', 'main', '-T', 'commit_id')
}

function makeRepo(kind: RepoKind, state: State): string {
  const root = join(box.dir, 'repo')
  mkdirSync(root)
  edit(root, Object.fromEntries([...'abcde'].map((name) => [`${name}.txt`, lines(30)])))
  if (kind === 'purejj') {
    box.sh(root, 'jj', 'git', 'init', '--no-colocate')
    box.sh(root, 'jj', 'commit', '-m', 'init')
    box.sh(root, 'jj', 'bookmark', 'create', 'main', '-r', '@-')
  } else {
    box.sh(root, 'git', 'init', '-q', '-b', 'main')
    commitAll(box, root, 'init')
    if (kind === 'colocated') box.sh(root, 'jj', 'git', 'init', '--colocate')
  }
  if (state === 'side') box.sh(root, 'git', 'switch', '-q', '-c', 'side')
  if (state === 'detached') box.sh(root, 'git', 'checkout', '-q', '--detach')
  if (state === 'dirty') {
    append(root, 'e.txt', 'human wip\n')
    edit(root, { 'untracked.txt': 'u\n', 'c.txt': null })
    if (kind !== 'plain') box.sh(root, 'jj', 'describe', '-m', 'human wip')
    else {
      append(root, 'd.txt', 'stashed\n')
      box.sh(root, 'git', 'stash', 'push', '-q', 'd.txt')
      box.sh(root, 'git', 'add', 'e.txt')
      append(root, 'e.txt', 'more wip\n')
    }
  }
  return root
}
