import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId, RepoId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import type { Clone } from '../../src/workspace/clone.ts'
import { moveTrunk } from '../../src/workspace/move-trunk.ts'
import { expectNoLocks, type Landed, landing, readText, trunkOf } from './landing.ts'
import {
  adopt,
  append,
  commitAll,
  type Edits,
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

const FILES: Edits = {
  'a.txt': lines(30),
  'd/e.txt': 'e\n',
  'd/f.txt': 'f\n',
  'other.txt': 'o\n',
  '.gitignore': '*.cfg\nbuilt/\n',
}

async function ready(files: Edits = FILES) {
  const root = gitRepo(box, files)
  const { clone, trunk } = await adopt(box, root)
  return { root, clone, trunk }
}

const to = (clone: Clone, old: CommitId | null, files: Landed) => ({
  old,
  new: landing(box, clone, old, files),
  message: 'av: land',
})

/** What stands in the way, what a task lands, and the path that the refusal names. */
const IN_THE_WAY: readonly (readonly [string, (root: string) => void, Landed, string[]])[] = [
  ['an edited file', (root) => append(root, 'a.txt', 'x\n'), { 'a.txt': 'new\n' }, ['a.txt']],
  [
    'a staged file',
    (root) => {
      append(root, 'a.txt', 'x\n')
      box.sh(root, 'git', 'add', 'a.txt')
    },
    { 'a.txt': 'new\n' },
    ['a.txt'],
  ],
  [
    'an edited file that goes',
    (root) => append(root, 'a.txt', 'x\n'),
    { 'a.txt': null },
    ['a.txt'],
  ],
  ['a file deleted', (root) => rmSync(join(root, 'a.txt')), { 'a.txt': 'new\n' }, ['a.txt']],
  ['an untracked file', (root) => edit(root, { 'n.txt': 'm\n' }), { 'n.txt': 'n\n' }, ['n.txt']],
  ['an ignored file', (root) => edit(root, { 'my.cfg': 'm\n' }), { 'my.cfg': 'n\n' }, ['my.cfg']],
  [
    'an ignored folder',
    (root) => edit(root, { 'built/x/y': 'm\n' }),
    { 'built/z': 'n\n' },
    ['built'],
  ],
  [
    'a file where a folder comes',
    (root) => edit(root, { new: 'm\n' }),
    { 'new/deep/n.txt': 'n\n' },
    ['new'],
  ],
  [
    'a folder where a file comes',
    (root) => edit(root, { 'new/deep/m.txt': 'm\n' }),
    { new: 'n\n' },
    ['new/deep/m.txt'],
  ],
  [
    'an edit of the same bytes as what comes',
    (root) => edit(root, { 'a.txt': 'new\n' }),
    { 'a.txt': 'new\n' },
    ['a.txt'],
  ],
  [
    'a link out of the repository, in the place of a folder',
    (root) => {
      edit(box.dir, { 'outside/e.txt': 'e\n' })
      rmSync(join(root, 'd'), { recursive: true })
      symlinkSync(join(box.dir, 'outside'), join(root, 'd'))
    },
    { 'd/e.txt': 'new\n' },
    ['d', 'd/e.txt'],
  ],
]

describe('work of the person in the way', () => {
  test.each(IN_THE_WAY)('%s', async (_, disturb, files, paths) => {
    const { root, clone, trunk } = await ready()
    disturb(root)
    const before = humanView(box, 'plain', root)
    await expect(moveTrunk(box.host, clone, to(clone, trunk, files))).rejects.toMatchObject({
      code: 'refused_rule',
      detail: { reason: 'checkout_dirty', paths },
    })
    expect(humanView(box, 'plain', root)).toEqual(before)
    expectNoLocks(clone.gitDir)
    if (exists(box.dir, 'outside')) expect(readText(box.dir, 'outside/e.txt')).toBe('e\n')
  })

  test('is named, five of it in the message, and hostile names do not act', async () => {
    const { root, clone, trunk } = await ready()
    const names = ['a\nFAKE: all is well', 'b\u001b[2J', 'c', 'd2', 'e', 'f', 'g']
    edit(root, Object.fromEntries(names.map((name) => [name, 'mine\n'])))
    const latin1 = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xe9])])
    writeFileSync(latin1, 'mine\n')
    const files = Object.fromEntries(names.map((name) => [name, 'theirs\n']))
    const refused = await moveTrunk(box.host, clone, to(clone, trunk, files)).catch((e) => e)
    expect(refused.detail.paths).toEqual(names)
    expect(refused.message).toContain('a FAKE: all is well')
    expect(refused.message).not.toContain('\u001b')
    expect(refused.message).toEndWith('c, d2, e, and 2 more.')
    expect(refused.remediation).toBe('Commit or move them, then merge again.')
  })
})

test('work elsewhere stays exactly as it was: staged, edited on top, deleted, untracked, stashed', async () => {
  const { root, clone, trunk } = await ready()
  append(root, 'd/f.txt', 'stashed\n')
  box.sh(root, 'git', 'stash', '-q')
  append(root, 'other.txt', 'staged\n')
  edit(root, { 'added.txt': 'added\n', 'my.cfg': 'ignored\n', 'free.txt': 'untracked\n' })
  box.sh(root, 'git', 'add', 'other.txt', 'added.txt')
  append(root, 'other.txt', 'on top\n')
  edit(root, { 'd/f.txt': null })
  const before = humanView(box, 'plain', root)
  const move = to(clone, trunk, { 'a.txt': 'new\n', 'd/e.txt': null, 'deep/er/n.txt': 'n\n' })
  await moveTrunk(box.host, clone, move)
  const after = humanView(box, 'plain', root)
  for (const what of ['status', 'staged', 'stash', 'head', 'config'] as const) {
    expect([what, after[what]]).toEqual([what, before[what]])
  }
  expect(walk(root).get('a.txt')).not.toBeUndefined()
  expect([readText(root, 'a.txt'), readText(root, 'deep/er/n.txt')]).toEqual(['new\n', 'n\n'])
  expect(readText(root, 'other.txt')).toBe('o\nstaged\non top\n')
  expect([exists(root, 'd'), exists(root, 'my.cfg')]).toEqual([false, true])
  await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
  expect({ ...humanView(box, 'plain', root), index: '' }).toEqual({ ...before, index: '' })
  expect(box.sh(root, 'git', 'reflog', '-2', '--format=%gs')).toBe('av: undo\nav: land\n')
})

test('an edit of the same size, made right after the index was written, is seen', async () => {
  const { root, clone, trunk } = await ready()
  for (let round = 0; round < 5; round++) {
    box.sh(root, 'git', 'checkout', '-q', '--', 'a.txt')
    edit(root, { 'a.txt': lines(30).replace('line 1\n', 'LINE 1\n') })
    const move = to(clone, trunk, { 'a.txt': `new ${round}\n` })
    await expect(moveTrunk(box.host, clone, move)).rejects.toMatchObject({
      detail: { paths: ['a.txt'] },
    })
  }
})

test('folders, links and files change places', async () => {
  const { root, clone, trunk } = await ready()
  const files: Landed = { 'd/e.txt': null, 'd/f.txt': null, d: { link: '..' }, 'a.txt': null }
  const move = to(clone, trunk, { ...files, 'a.txt/x': 'x\n' })
  const before = humanView(box, 'plain', root)
  await moveTrunk(box.host, clone, move)
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
  expect(walk(root).get('d')).toBe('link ..')
  expect(readText(root, 'a.txt/x')).toBe('x\n')
  await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
  expect({ ...humanView(box, 'plain', root), index: '' }).toEqual({ ...before, index: '' })
})

describe('trunk in another worktree', () => {
  async function linked() {
    const { root, clone, trunk } = await ready()
    const folder = join(box.dir, 'linked')
    box.sh(root, 'git', 'switch', '-q', '-c', 'side')
    box.sh(root, 'git', 'worktree', 'add', '-q', folder, 'main')
    return { root, clone, trunk, folder }
  }

  test('has its files follow there, and only there', async () => {
    const { root, clone, trunk, folder } = await linked()
    append(folder, 'other.txt', 'wip\n')
    const before = walk(root)
    const move = to(clone, trunk, { 'a.txt': 'new\n' })
    await moveTrunk(box.host, clone, move)
    expect(readText(folder, 'a.txt')).toBe('new\n')
    expect(box.sh(folder, 'git', 'status', '--porcelain')).toBe(' M other.txt\n')
    await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
    expect(box.sh(folder, 'git', 'status', '--porcelain')).toBe(' M other.txt\n')
    expect(walk(root)).toEqual(before)
  })

  test('is not moved, forward or back, while it is being rebased', async () => {
    const { root, clone, trunk, folder } = await linked()
    const move = to(clone, trunk, { 'a.txt': 'new\n' })
    await moveTrunk(box.host, clone, move)
    append(root, 'a.txt', 'side\n')
    commitAll(box, root, 'side')
    expect(box.attempt(folder, 'git', 'rebase', 'side').code).not.toBe(0)
    const before = box.sh(folder, 'git', 'status')
    const back = { old: move.new, new: trunk, message: 'av: undo' }
    for (const next of [to(clone, move.new, { 'b.txt': 'b\n' }), back]) {
      await expect(moveTrunk(box.host, clone, next)).rejects.toMatchObject({
        code: 'refused_rule',
        detail: { reason: 'checked_out_elsewhere' },
      })
    }
    expect(box.sh(folder, 'git', 'status')).toBe(before)
    expect(trunkOf(box, clone)).toBe(move.new)
  })

  test('is not moved when it is checked out twice', async () => {
    const { root, clone, trunk } = await linked()
    box.sh(root, 'git', 'checkout', '-q', '--ignore-other-worktrees', 'main')
    const move = to(clone, trunk, { 'a.txt': 'new\n' })
    await expect(moveTrunk(box.host, clone, move)).rejects.toMatchObject({
      detail: { reason: 'checked_out_elsewhere' },
    })
    expect(trunkOf(box, clone)).toBe(trunk)
  })

  test('follows as well beside a jj repository in the main folder', async () => {
    const { root, clone, trunk, folder } = await linked()
    box.sh(root, 'jj', 'git', 'init', '--colocate')
    const colocated: Clone = { ...clone, kind: 'colocated' }
    await moveTrunk(box.host, colocated, to(clone, trunk, { 'a.txt': 'new\n' }))
    expect(readText(folder, 'a.txt')).toBe('new\n')
    expect(box.sh(folder, 'git', 'status', '--porcelain', '--branch')).toBe('## main\n')
  })
})

test('a jj folder whose HEAD is on trunk: jj keeps the described work where it was', async () => {
  const root = gitRepo(box, FILES)
  box.sh(root, 'jj', 'git', 'init', '--colocate')
  append(root, 'other.txt', 'wip\n')
  box.sh(root, 'jj', 'describe', '-m', 'wip')
  box.sh(root, 'git', 'symbolic-ref', 'HEAD', 'refs/heads/main')
  const { clone, trunk } = await adopt(box, root)
  const at = () => box.sh(root, 'jj', 'log', '--no-graph', '-r', '@', '-T', 'commit_id')
  const before = at()
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  await moveTrunk(box.host, clone, move)
  expect([at(), trunkOf(box, clone)]).toEqual([before, move.new])
  expect(box.attempt(root, 'git', 'symbolic-ref', '-q', 'HEAD').out).toBe('')
})

test.each([
  ['a merge', ['merge', 'side'], 'merge'],
  ['a cherry-pick', ['cherry-pick', 'side'], 'cherry-pick'],
  ['a revert', ['revert', '--no-edit', 'HEAD~'], 'revert'],
] as const)('%s under way: nothing moves', async (_, argv, doing) => {
  const { root, clone } = await ready()
  box.sh(root, 'git', 'switch', '-q', '-c', 'side')
  edit(root, { 'd/e.txt': 'side\n' })
  commitAll(box, root, 'side')
  box.sh(root, 'git', 'switch', '-q', 'main')
  for (const text of ['main\n', 'main 2\n']) {
    edit(root, { 'd/e.txt': text })
    commitAll(box, root, 'main')
  }
  const { commit } = await pull(box.host, clone)
  expect(box.attempt(root, 'git', ...argv).code).not.toBe(0)
  const before = humanView(box, 'plain', root)
  const move = to(clone, commit, { 'a.txt': 'new\n' })
  await expect(moveTrunk(box.host, clone, move)).rejects.toMatchObject({
    code: 'refused_rule',
    detail: { reason: 'checkout_busy', doing },
  })
  expect(humanView(box, 'plain', root)).toEqual(before)
})

test('a sha256 repository, and a shallow one', async () => {
  const origin = gitRepo(box, FILES, 'origin')
  for (const text of ['1\n', '2\n']) {
    edit(origin, { 'a.txt': text })
    commitAll(box, origin, text)
  }
  box.sh(box.dir, 'git', 'clone', '-q', '--depth', '2', `file://${origin}`, 'shallow')
  const sha256 = join(box.dir, 'sha256')
  box.sh(box.dir, 'git', 'init', '-q', '--object-format=sha256', '-b', 'main', sha256)
  edit(sha256, { 'a.txt': 'a\n' })
  commitAll(box, sha256, 'first')
  for (const root of [sha256, join(box.dir, 'shallow')]) {
    const { clone, trunk } = await adopt(box, root, `r-${root.length}` as RepoId)
    const shallow = exists(root, '.git/shallow') && readText(root, '.git/shallow')
    const move = to(clone, trunk, { 'n.txt': 'n\n' })
    await moveTrunk(box.host, clone, move)
    expect([trunkOf(box, clone), readText(root, 'n.txt')]).toEqual([move.new, 'n\n'])
    await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
    expect([trunkOf(box, clone), exists(root, 'n.txt')]).toEqual([trunk, false])
    if (trunk !== null) {
      box.sh(root, 'git', 'switch', '-q', '-c', 'side')
      await moveTrunk(box.host, clone, move)
      expect([trunkOf(box, clone), exists(root, 'n.txt')]).toEqual([move.new, false])
      await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
      expect(trunkOf(box, clone)).toBe(trunk)
    }
    expect(exists(root, '.git/shallow') && readText(root, '.git/shallow')).toBe(shallow)
    expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
  }
})

test('no hook of the person runs', async () => {
  const { root, clone, trunk } = await ready()
  const ran = join(box.dir, 'ran')
  const hooks = ['reference-transaction', 'post-index-change', 'post-checkout', 'post-merge']
  for (const path of [...hooks, 'watcher'].map((name) => `repo/.git/hooks/${name}`)) {
    edit(box.dir, { [path]: `#!/bin/sh\necho ${path} >> '${ran}'\n` })
    edit(box.dir, { [path]: { mode: 0o755 } })
  }
  box.sh(root, 'git', 'config', 'core.fsmonitor', join(root, '.git/hooks/watcher'))
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  await moveTrunk(box.host, clone, move)
  await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
  expect(exists(ran)).toBe(false)
  box.sh(root, 'git', 'status')
  expect(readFileSync(ran, 'utf8')).toContain('watcher')
})

test('a checkout in which git itself refuses: files in conflict, with no merge under way', async () => {
  const { root, clone } = await ready()
  append(root, 'a.txt', 'stashed\n')
  box.sh(root, 'git', 'stash', '-q')
  append(root, 'a.txt', 'other\n')
  commitAll(box, root, 'other')
  expect(box.attempt(root, 'git', 'stash', 'pop').code).not.toBe(0)
  const { commit } = await pull(box.host, clone)
  const before = humanView(box, 'plain', root)
  await expect(
    moveTrunk(box.host, clone, to(clone, commit, { 'other.txt': 'new\n' })),
  ).rejects.toMatchObject({ code: 'refused_rule', detail: { reason: 'checkout_busy' } })
  expect(humanView(box, 'plain', root)).toEqual(before)
  expectNoLocks(clone.gitDir)
})

test('a sparse checkout gets no more files than it asks for', async () => {
  const { root, clone, trunk } = await ready()
  box.sh(root, 'git', 'sparse-checkout', 'set', '--no-cone', '/*.txt')
  expect(exists(root, 'd')).toBe(false)
  const move = to(clone, trunk, { 'a.txt': 'new\n', 'd/e.txt': 'new\n', 'd/n.txt': 'n\n' })
  await moveTrunk(box.host, clone, move)
  expect([readText(root, 'a.txt'), exists(root, 'd')]).toEqual(['new\n', false])
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
  await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
  expect([readText(root, 'a.txt'), exists(root, 'd')]).toEqual([lines(30), false])
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
})

test('line ends and an index in two parts: all as the person’s own git would have it', async () => {
  const { root, clone, trunk } = await ready({
    ...FILES,
    '.gitattributes': '*.bat text eol=crlf\n',
  })
  box.sh(root, 'git', 'config', 'core.splitIndex', 'true')
  box.sh(root, 'git', 'update-index', '--split-index')
  const move = to(clone, trunk, { 'run.bat': 'one\ntwo\n', 'a.txt': 'new\n' })
  await moveTrunk(box.host, clone, move)
  expect(readText(root, 'run.bat')).toBe('one\r\ntwo\r\n')
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
  await moveTrunk(box.host, clone, { old: move.new, new: trunk, message: 'av: undo' })
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
})
