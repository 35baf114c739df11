import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import type { RepoKind } from '../../src/workspace/detect.ts'
import { detect } from '../../src/workspace/detect.ts'
import {
  adopt,
  append,
  begin,
  commitAll,
  edit,
  exists,
  humanView,
  lines,
  type Sandbox,
  sandbox,
} from './sandbox.ts'

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

describe.each(STATES)('a %s repository, %s', (kind, state) => {
  test('is the same for its person after attach, start, checkpoint and pull', async () => {
    const root = makeRepo(kind, state)
    const before = humanView(box, kind, root)

    const { clone, trunk } = await adopt(box, root)
    expect(clone.kind).toBe(kind)
    expect(trunk).not.toBeNull()
    expect(humanView(box, kind, root)).toEqual(before)

    const { workspace, snapshot } = await begin(box, clone, trunk)
    expect(snapshot).toMatchObject({ base: trunk, empty: true, files: [], conflict: false })
    expect(readFileSync(join(workspace.folder, 'a.txt'), 'utf8')).toBe(lines(30))
    expect(humanView(box, kind, root)).toEqual(before)

    edit(workspace.folder, { 'a.txt': lines(29), 'new.txt': 'n\n', 'b.txt': null })
    edit(workspace.folder, { 'deep/c.txt': { movedFrom: 'c.txt' } })
    const taken = await checkpoint(box.host, workspace)
    expect(taken).toMatchObject({
      base: trunk,
      baseMoved: false,
      empty: false,
      conflict: false,
      immutableMoved: false,
      attention: null,
      incomplete: { tooLarge: [], badNames: [], nested: [] },
      files: [
        { path: 'a.txt', status: 'modified', from: null },
        { path: 'b.txt', status: 'removed', from: null },
        { path: 'deep/c.txt', status: 'renamed', from: 'c.txt' },
        { path: 'new.txt', status: 'added', from: null },
      ],
    })
    const again = await checkpoint(box.host, workspace)
    expect([again.commit, again.tree, again.patch]).toEqual([taken.commit, taken.tree, taken.patch])
    expect(humanView(box, kind, root)).toEqual(before)

    expect(await pull(box.host, clone)).toEqual({ commit: trunk, moved: false, warnings: [] })
    expect(humanView(box, kind, root)).toEqual(before)
  })
})

test('trunk follows the person: forward, back, and to a rewritten commit', async () => {
  const root = makeRepo('plain', 'clean')
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'new.txt': 'n\n' })
  const tip = (await checkpoint(box.host, workspace)).commit

  append(root, 'a.txt', 'more\n')
  const forward = commitAll(box, root, 'forward')
  expect(await pull(box.host, clone)).toMatchObject({ commit: forward, moved: true })
  const second = await begin(box, clone, forward, 't2')
  edit(second.workspace.folder, { 'other.txt': 'o\n' })
  const above = (await checkpoint(box.host, second.workspace)).commit
  box.sh(root, 'git', 'commit', '-q', '--amend', '-m', 'other')
  const amended = (await pull(box.host, clone)).commit
  expect(amended).not.toBe(forward)
  box.sh(root, 'git', 'reset', '-q', '--hard', 'HEAD~')
  expect((await pull(box.host, clone)).commit).toBe(trunk)

  // Nothing of that touches a task under way, not even one that stands on what trunk left.
  expect(await checkpoint(box.host, second.workspace)).toMatchObject({
    commit: above,
    base: forward,
    attention: null,
  })
  expect(await checkpoint(box.host, workspace)).toMatchObject({
    commit: tip,
    base: trunk,
    attention: null,
  })
})

test('trunk of a pure jj repository follows its bookmark', async () => {
  const root = makeRepo('purejj', 'clean')
  const { clone, trunk } = await adopt(box, root)
  append(root, 'a.txt', 'more\n')
  box.sh(root, 'jj', 'commit', '-m', 'next')
  box.sh(root, 'jj', 'bookmark', 'set', 'main', '-r', '@-')
  const next = box.sh(root, 'jj', 'log', '--no-graph', '-r', 'main', '-T', 'commit_id')
  expect(next).not.toBe(trunk ?? '')
  expect(String((await pull(box.host, clone)).commit)).toBe(next)
})

test('a linked worktree and a subfolder of it lead to the same clone', async () => {
  const root = makeRepo('plain', 'clean')
  box.sh(root, 'git', 'worktree', 'add', '-q', '-b', 'side', join(box.dir, 'linked'))
  const { clone } = await adopt(box, root)
  mkdirSync(join(box.dir, 'linked', 'deep'))
  const linked = await detect(box.host, join(box.dir, 'linked', 'deep'))
  expect(linked).toMatchObject({ root: join(box.dir, 'linked'), gitDir: clone.gitDir })
})

test('hooks, filters and file watchers of the person never run', async () => {
  const root = makeRepo('plain', 'clean')
  const ran = join(box.dir, 'ran')
  const program = `#!/bin/sh\necho ran >> '${ran}'\n`
  const hooks = ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit']
  for (const path of hooks.flatMap((name) => [`repo/.git/hooks/${name}`, `hooks/${name}`])) {
    edit(box.dir, { [path]: program })
    edit(box.dir, { [path]: { mode: 0o755 } })
  }
  for (const [key, value] of [
    ['core.hooksPath', join(box.dir, 'hooks')],
    ['core.fsmonitor', join(box.dir, 'hooks/pre-commit')],
    ['filter.x.clean', `touch '${ran}'; cat`],
    ['filter.x.smudge', `touch '${ran}'; cat`],
  ] as const) {
    box.sh(root, 'git', 'config', '--global', key, value)
  }
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { '.gitattributes': '* filter=x\n', 'a.txt': 'x\n' })
  await checkpoint(box.host, workspace)
  expect(exists(ran)).toBe(false)
})

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
    edit(root, { 'untracked.txt': 'u\n' })
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
