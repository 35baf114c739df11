import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../src/domain/fault.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import { attach, pull } from '../../src/workspace/attach.ts'
import { findClone, listClones, writeClone } from '../../src/workspace/clone.ts'
import { detect, surroundings } from '../../src/workspace/detect.ts'
import { identityOf, withoutCredentials } from '../../src/workspace/identity.ts'
import { trunkCommit, trunkName } from '../../src/workspace/trunk.ts'
import { commitAll, edit, gitRepo, REPO_ID, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

/** The fault's code and reason, or what came instead. */
async function faultOf(promise: Promise<unknown>): Promise<string> {
  try {
    return `none: ${JSON.stringify(await promise)}`
  } catch (thrown) {
    return thrown instanceof Fault ? `${thrown.code} ${thrown.detail.reason}` : String(thrown)
  }
}

test('what av cannot work with is refused, with the reason', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' })
  box.sh(box.dir, 'git', 'clone', '-q', '--bare', root, 'bare.git')
  box.sh(root, 'git', 'config', 'uploadpack.allowFilter', 'true')
  box.sh(box.dir, 'git', 'clone', '-q', '--filter=blob:none', `file://${root}`, 'partial')
  edit(box.dir, { 'broken/.git': 'gitdir: ../nowhere\n', 'empty/x.txt': 'x\n' })
  const at = (path: string) => faultOf(detect(box.host, join(box.dir, path)))
  expect(await at('bare.git')).toBe('unsupported bare')
  expect(await at('bare.git/refs')).toBe('unsupported bare')
  expect(await at('partial')).toBe('unsupported partial_clone')
  expect(await at('repo/.git')).toBe('bad_input inside_git_dir')
  expect(await at('repo/.git/refs/heads')).toBe('bad_input inside_git_dir')
  expect(await at('broken')).toBe('bad_input broken_git_file')
  expect(await at('empty')).toBe('not_found no_repository')
  expect(await at('nowhere')).toBe('not_found folder_missing')
})

test('the nearest repository counts: subfolders, worktrees of a bare one, jj inside git', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n', 'sub/deep/b.txt': 'b\n' })
  box.sh(box.dir, 'git', 'clone', '-q', '--bare', root, 'hub/.bare')
  edit(box.dir, { 'hub/.git': 'gitdir: ./.bare\n' })
  box.sh(join(box.dir, 'hub'), 'git', 'worktree', 'add', '-q', 'wt', 'main')
  mkdirSync(join(root, 'inner'))
  box.sh(join(root, 'inner'), 'jj', 'git', 'init', '--no-colocate')

  const at = (path: string) => detect(box.host, join(box.dir, path))
  expect(await at('repo/sub/deep')).toEqual({
    kind: 'plain',
    root,
    gitDir: join(root, '.git'),
    objectFormat: 'sha1',
    shallow: false,
  })
  expect(await at('hub/wt')).toMatchObject({
    root: join(box.dir, 'hub/wt'),
    gitDir: join(box.dir, 'hub/.bare'),
  })
  expect(await faultOf(at('hub'))).toBe('unsupported bare')
  expect(await at('repo/inner')).toMatchObject({ kind: 'purejj', root: join(root, 'inner') })
})

test('a further jj workspace leads to the git directory of the first', async () => {
  const root = join(box.dir, 'repo')
  edit(root, { 'a.txt': 'a\n' })
  box.sh(root, 'jj', 'git', 'init', '--no-colocate')
  box.sh(root, 'jj', 'workspace', 'add', '../second')
  const first = await surroundings(box.host, root)
  const second = await surroundings(box.host, join(box.dir, 'second'))
  expect(first).toMatchObject({ kind: 'purejj', root })
  expect(second).toEqual({ ...first!, root: join(box.dir, 'second') })
})

test('trunk: asked for, origin’s HEAD, the only usual one, the first branch to be', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const found = await detect(box.host, root)
  const name = (asked: string | null = null) => trunkName(box.host, found, asked)
  expect(await name()).toBe('main')

  box.sh(root, 'git', 'branch', 'master')
  box.sh(root, 'git', 'branch', 'develop')
  expect(await faultOf(name())).toBe('bad_input trunk_unknown')
  await expect(name()).rejects.toMatchObject({
    detail: { branches: ['develop', 'main', 'master'] },
    remediation: expect.stringContaining('--trunk'),
  })
  expect(await name('develop')).toBe('develop')
  expect(await faultOf(name('nothing'))).toBe('bad_input trunk_unknown')

  box.sh(box.dir, 'git', 'clone', '-q', '-b', 'develop', root, 'origin')
  box.sh(root, 'git', 'remote', 'add', 'origin', join(box.dir, 'origin'))
  box.sh(root, 'git', 'fetch', '-q', 'origin')
  box.sh(root, 'git', 'remote', 'set-head', 'origin', 'develop')
  expect(await name()).toBe('develop')

  const empty = join(box.dir, 'empty')
  mkdirSync(empty)
  box.sh(empty, 'git', 'init', '-q', '-b', 'line/one')
  const unborn = await detect(box.host, empty)
  expect(await trunkName(box.host, unborn, null)).toBe('line/one')
  expect(await trunkName(box.host, unborn, 'other')).toBe('other')
  expect(await faultOf(trunkName(box.host, unborn, 'no..name'))).toBe('bad_input bad_branch_name')
  expect(await trunkCommit(box.host, unborn, 'line/one')).toBeNull()
})

test('a trunk with an odd name works to the end', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  box.sh(root, 'git', 'branch', '-m', 'main', 'we"ird/né-🎈')
  const found = await detect(box.host, root)
  const clone = await writeClone(
    box.host,
    REPO_ID,
    found,
    await trunkName(box.host, found, 'we"ird/né-🎈'),
  )
  await attach(box.host, clone)
  expect((await pull(box.host, clone)).commit).toBe(await trunkCommit(box.host, clone, clone.trunk))
})

test('a repo is told by its root commits and remotes, without secrets', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const first = box.sh(root, 'git', 'rev-parse', 'HEAD').trim()
  commitAll(box, root, 'second')
  box.sh(root, 'git', 'remote', 'add', 'zed', 'git@example.org:o/r.git')
  box.sh(root, 'git', 'remote', 'add', 'origin', 'https://me:secret@example.org/o/r.git')
  const found = await detect(box.host, root)
  const trunk = await trunkCommit(box.host, found, 'main')
  expect(await identityOf(box.host, found, trunk)).toEqual({
    rootCommits: [first as never],
    remotes: { origin: 'https://example.org/o/r.git', zed: 'git@example.org:o/r.git' },
  })
  expect(await identityOf(box.host, { ...found, shallow: true }, trunk)).toMatchObject({
    rootCommits: [],
  })
})

test.each([
  ['https://tok%40en@host/x.git?access=1#f', 'https://host/x.git'],
  ['https://u:p@ss@host:8443/x', 'https://host:8443/x'],
  ['ssh://git:pw@host:22/x', 'ssh://git@host:22/x'],
  ['git@host:x.git', 'git@host:x.git'],
  ['/a/path@1/x', '/a/path@1/x'],
  ['https://host', 'https://host'],
])('credentials of %s', (url, expected) => {
  expect(withoutCredentials(url)).toBe(expected)
})

test('each clone has its place; a moved repository keeps its own', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  box.sh(box.dir, 'git', 'clone', '-q', root, 'second')
  const [first, second] = [
    await detect(box.host, root),
    await detect(box.host, join(box.dir, 'second')),
  ]
  expect(findClone(box.host, first)).toBeNull()
  const one = await writeClone(box.host, REPO_ID, first, 'main')
  const two = await writeClone(box.host, REPO_ID, second, 'main')
  expect(one.dir).toBe(join(box.host.home, 'repos', 'r1'))
  expect(two.dir).toMatch(/\/repos\/r1\.[0-9a-f]{8}$/)
  expect(findClone(box.host, first)).toEqual(one)
  expect(findClone(box.host, second)).toEqual(two)
  expect(await writeClone(box.host, REPO_ID, second, 'main')).toEqual(two)
  expect(listClones(box.host)).toEqual([one, two])

  renameSync(root, join(box.dir, 'moved'))
  const moved = await detect(box.host, join(box.dir, 'moved'))
  expect(findClone(box.host, moved)).toBeNull()
  expect(await writeClone(box.host, REPO_ID, moved, 'main')).toEqual({
    ...one,
    root: join(box.dir, 'moved'),
    gitDir: join(box.dir, 'moved', '.git'),
  })
  expect(await faultOf(writeClone(box.host, '../x' as RepoId, moved, 'main'))).toBe(
    'internal bad_repo_id',
  )
})

test('a clone.json that cannot be read is no clone', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const found = await detect(box.host, root)
  const { dir } = await writeClone(box.host, REPO_ID, found, 'main')
  writeFileSync(join(dir, 'clone.json'), '{"version":1,')
  expect(findClone(box.host, found)).toBeNull()
  expect((await writeClone(box.host, REPO_ID, found, 'main')).dir).toBe(dir)
  rmSync(join(box.host.home, 'repos'), { recursive: true })
  expect(listClones(box.host)).toEqual([])
})
