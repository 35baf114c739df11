import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bringCommit, pull } from '../../src/workspace/attach.ts'
import { readBlobs } from '../../src/workspace/blobs.ts'
import { diffText, diffTextOfConflict } from '../../src/workspace/changes.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { storeGit } from '../../src/workspace/clone.ts'
import { overlay } from '../../src/workspace/overlay.ts'
import { workspaceGround } from '../../src/workspace/scan.ts'
import { listTree, resolveCommit, treeOf } from '../../src/workspace/tree.ts'
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

const NOTHING = { tooLarge: [], badNames: [], nested: [] }

test('what a snapshot leaves out is named: too large, not UTF-8, repositories inside', async () => {
  const root = gitRepo(box, {
    'src/a.txt': 'a\n',
    'same/b.txt': 'b\n',
    '.gitignore': '/ignored/\n',
  })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  const { folder } = workspace
  edit(folder, { 'deep/big one.bin': new Uint8Array(21 * 1024 * 1024), 'fine.txt': 'x\n' })
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]), 'x')
  box.sh(folder, 'git', 'init', '-q', 'same')
  for (const name of ['lib', 'src', 'ignored']) {
    edit(folder, { [`${name}/n.txt`]: 'n\n' })
    box.sh(folder, 'git', 'init', '-q', name)
  }
  box.sh(folder, 'jj', 'git', 'init', '--no-colocate', 'jjrepo')
  edit(folder, { 'jjrepo/f': 'f\n' })

  const taken = await checkpoint(box.host, workspace)
  expect(taken.incomplete).toEqual({
    tooLarge: ['deep/big one.bin'],
    badNames: ['bad\\xFF'],
    nested: ['jjrepo', 'lib', 'same', 'src'],
  })
  expect(taken.files.map((file) => file.path)).toEqual(['fine.txt', 'same/b.txt', 'src/a.txt'])
})

test('links, exec bits, odd names and every byte of a file come through', async () => {
  const odd = {
    'new\nline.txt': '1\n',
    'tab\t"quoted".txt': '2\n',
    '-dash and space.txt': '3\n',
    "it's.txt": '4\n',
    'nfd-e\u0301.txt': '5\n',
    'nfc-\u00e9.txt': '6\n',
    '日本/語.txt': '7\n',
    ':(glob)*.txt': '8\n',
    'back\\slash.txt': '9\n',
    'run.sh': '#!/bin/sh\n',
    'latin1.txt': Uint8Array.of(0x63, 0xe9, 0x0d, 0x0a),
    'zero.bin': Uint8Array.of(0, 1, 2, 255),
    'no-newline.txt': 'x',
    'empty.txt': '',
    'to-file': { link: 'run.sh' },
    'to-folder': { link: '日本' },
    dangling: { link: 'nowhere' },
    absolute: { link: '/etc/hostname' },
  }
  const root = gitRepo(box, { ...odd, 'gone.txt': 'x\n' })
  box.sh(root, 'chmod', '+x', 'run.sh')
  commitAll(box, root, 'exec')
  const { clone, trunk } = await adopt(box, root)
  const { workspace, snapshot } = await begin(box, clone, trunk)
  const expected = walk(root)
  expect(walk(workspace.folder)).toEqual(expected)
  expect(snapshot).toMatchObject({ empty: true, incomplete: NOTHING })

  const second = await begin(box, clone, trunk, 't2')
  const { folder } = second.workspace
  for (const name of Object.keys(odd)) if (name !== 'run.sh') edit(folder, { [name]: null })
  edit(folder, { 'run.sh': { mode: 0o644 }, 'gone.txt': { link: 'run.sh' } })
  await checkpoint(box.host, second.workspace)
  edit(folder, odd)
  edit(folder, { 'run.sh': { mode: 0o755 }, 'gone.txt': null })
  edit(folder, { 'gone.txt': 'x\n' })
  const back = await checkpoint(box.host, second.workspace)
  expect([back.tree, back.empty]).toEqual([snapshot.tree, true])
})

test('ignored files stay out: by .gitignore, the person, and this clone alone', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n', '.gitignore': '*.one\n', 'kept.one': 'tracked\n' })
  box.sh(root, 'git', 'add', '-f', 'kept.one')
  commitAll(box, root, 'tracked though ignored')
  edit(box.dir, { 'home/.config/git/ignore': '*.two\n' })
  append(root, '.git/info/exclude', '*.three\n')
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, {
    'x.one': '1',
    'x.two': '2',
    'x.three': '3',
    'x.four': '4',
    'kept.one': 'x',
  })
  const taken = await checkpoint(box.host, workspace)
  expect(taken.files.map((file) => file.path)).toEqual(['kept.one', 'x.four'])
  const seen = box.sh(workspace.folder, 'git', 'status', '--porcelain')
  expect(seen.trim().split('\n')).toEqual(['M kept.one', '?? x.four'])
})

test('contents are not converted: neither line ends nor filters', async () => {
  const root = gitRepo(box, { 'as-is.txt': 'never\r\nnormalised\r\n' })
  edit(root, {
    '.gitattributes': '*.txt text\n*.bat text eol=crlf\n*.lfs filter=lfs\n',
    'a.bat': 'one\r\ntwo\r\n',
    'b.lfs': 'version https://git-lfs.github.com/spec/v1\n',
  })
  // Not `add -A`, which would normalise the first file now.
  box.sh(root, 'git', 'add', '.gitattributes', 'a.bat', 'b.lfs')
  box.sh(root, 'git', 'commit', '-q', '-m', 'attributes')
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  expect(readFileSync(join(workspace.folder, 'as-is.txt'), 'utf8')).toContain('\r\n')
  expect(readFileSync(join(workspace.folder, 'a.bat'), 'utf8')).toBe('one\ntwo\n')
  expect(box.sh(workspace.folder, 'git', 'status', '--porcelain')).toBe('')
  edit(workspace.folder, { 'c.bat': 'new\r\n', 'a.bat': 'one\r\ntwo\r\n' })
  expect(box.sh(workspace.folder, 'git', 'status', '--porcelain')).toBe(' M a.bat\n?? c.bat\n')
  const seen = await overlay(box.host, workspaceGround(workspace), trunk)
  expect(seen.map((file) => file.path)).toEqual(['a.bat', 'c.bat'])
  const { commit } = await checkpoint(box.host, workspace)
  const blob = ['git', '--git-dir', storeGit(clone), 'cat-file', 'blob', `${commit}:c.bat`]
  expect(box.sh(box.dir, ...blob)).toBe('new\r\n')
})

test('a repository without commits: tasks start on nothing, trunk is born later', async () => {
  const root = join(box.dir, 'repo')
  edit(root, { 'untracked.txt': 'u\n' })
  box.sh(root, 'git', 'init', '-q', '-b', 'develop')
  const { clone, trunk } = await adopt(box, root)
  expect([trunk, clone.trunk]).toEqual([null, 'develop'])
  const { workspace, snapshot } = await begin(box, clone, null)
  expect(snapshot).toMatchObject({ base: null, empty: true, files: [], attention: null })
  edit(workspace.folder, { 'first.txt': '1\n' })
  const taken = await checkpoint(box.host, workspace)
  expect(taken).toMatchObject({
    base: null,
    attention: null,
    files: [{ path: 'first.txt', status: 'added', from: null }],
    incomplete: NOTHING,
  })
  const store = { gitDir: storeGit(clone) }
  expect(await diffText(box.host, store, { base: null, tip: taken.commit })).toContain('+1')
  expect(box.sh(workspace.folder, 'git', 'status', '--porcelain')).toBe('?? first.txt\n')

  const born = commitAll(box, root, 'born')
  expect((await pull(box.host, clone)).commit).toBe(born)
  expect((await checkpoint(box.host, workspace)).commit).toBe(taken.commit)
})

test('a sha256 repository', async () => {
  const root = join(box.dir, 'repo')
  edit(root, { 'a.txt': lines(3) })
  box.sh(root, 'git', 'init', '-q', '-b', 'main', '--object-format=sha256')
  commitAll(box, root, 'init')
  const { clone, trunk } = await adopt(box, root)
  expect(trunk).toHaveLength(64)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'a.txt': lines(4) })
  const taken = await checkpoint(box.host, workspace)
  expect(taken.files).toEqual([{ path: 'a.txt', status: 'modified', from: null }])
  expect(box.sh(workspace.folder, 'git', 'status', '--porcelain')).toBe(' M a.txt\n')
})

test('a shallow clone', async () => {
  const origin = gitRepo(box, { 'a.txt': lines(3) }, 'origin')
  append(origin, 'a.txt', 'more\n')
  commitAll(box, origin, 'second')
  const root = join(box.dir, 'repo')
  box.sh(box.dir, 'git', 'clone', '-q', '--depth', '1', `file://${origin}`, root)
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  append(workspace.folder, 'a.txt', 'task\n')
  expect((await checkpoint(box.host, workspace)).files).toHaveLength(1)
  append(root, 'a.txt', 'human\n')
  const third = commitAll(box, root, 'third')
  expect((await pull(box.host, clone)).commit).toBe(third)
})

test('submodules stay empty folders, are told, and carried along', async () => {
  const library = gitRepo(box, { 'l.txt': 'l\n' }, 'library')
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  box.sh(root, 'git', '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'sub')
  commitAll(box, root, 'submodule')
  const { clone } = await adopt(box, root)
  append(root, 'a.txt', 'more\n')
  const next = commitAll(box, root, 'more')
  expect((await pull(box.host, clone)).warnings).toMatchObject([
    { kind: 'submodules', paths: ['sub'] },
  ])
  const { workspace, snapshot } = await begin(box, clone, next)
  expect(snapshot).toMatchObject({ empty: true, incomplete: NOTHING })
  append(workspace.folder, 'a.txt', 'task\n')
  const taken = await checkpoint(box.host, workspace)
  expect(taken.files.map((file) => file.path)).toEqual(['a.txt'])
  const tree = await listTree(box.host, { gitDir: storeGit(clone) }, taken.commit)
  expect(tree.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
    '100644 .gitmodules',
    '100644 a.txt',
    '160000 sub',
  ])
})

test('a name on trunk that is not UTF-8 is refused, and the store stays as it was', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'x')
  commitAll(box, root, 'latin-1 name')
  await expect(pull(box.host, clone)).rejects.toMatchObject({
    code: 'unsupported',
    detail: { reason: 'non_utf8_trunk', names: ['caf\\xe9'] },
  })
  edit(workspace.folder, { 'b.txt': 'b\n' })
  expect(await checkpoint(box.host, workspace)).toMatchObject({ base: trunk, attention: null })
})

test('a task can start from a commit that is not on trunk', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const { clone, trunk } = await adopt(box, root)
  box.sh(root, 'git', 'switch', '-q', '-c', 'side')
  append(root, 'a.txt', 'side\n')
  const side = commitAll(box, root, 'side')
  expect(await resolveCommit(box.host, clone, 'side')).toBe(side)
  expect(await resolveCommit(box.host, clone, '--all')).toBeNull()
  await bringCommit(box.host, clone, side)
  const { workspace } = await begin(box, clone, side)
  edit(workspace.folder, { 'b.txt': 'b\n' })
  expect(await checkpoint(box.host, workspace)).toMatchObject({
    base: side,
    baseMoved: false,
    files: [{ path: 'b.txt' }],
  })
  expect((await pull(box.host, clone)).commit).toBe(trunk)
})

test('a commit is read: its files, its tree, and their contents in the order asked for', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n', 'big.txt': lines(5_000), 'z/b.txt': '' })
  const { clone, trunk } = await adopt(box, root)
  const store = { gitDir: storeGit(clone) }
  const tree = await listTree(box.host, store, trunk)
  expect(tree.map(({ path, size }) => `${path} ${size}`)).toEqual([
    'a.txt 2',
    'big.txt 48893',
    'z/b.txt 0',
  ])
  const unknown = 'deadbeef'.repeat(5)
  const ids = [tree[2]!.blob, tree[1]!.blob, unknown as (typeof tree)[0]['blob'], tree[0]!.blob]
  const read: (string | null)[] = []
  for await (const blob of readBlobs(box.host, store, ids, 10_000)) {
    read.push(blob.bytes?.toString('utf8') ?? null)
  }
  expect(read).toEqual(['', null, null, 'a\n'])
  for await (const { bytes } of readBlobs(box.host, store, [tree[1]!.blob])) {
    expect(bytes?.toString('utf8')).toBe(lines(5_000))
  }
  expect(String(await treeOf(box.host, store, trunk))).toBe(
    box.sh(root, 'git', 'rev-parse', 'HEAD^{tree}').trim(),
  )
})

test('reading many blobs can be broken off at any point', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`f${i}.txt`, lines(400, i)]),
  )
  const root = gitRepo(box, files)
  const { clone, trunk } = await adopt(box, root)
  const store = { gitDir: storeGit(clone) }
  const ids = (await listTree(box.host, store, trunk)).map((file) => file.blob)
  let seen = 0
  for await (const { bytes } of readBlobs(box.host, store, [...ids, ...ids, ...ids])) {
    expect(bytes?.length).toBeGreaterThan(3_000)
    if (++seen === 5) break
  }
  expect(seen).toBe(5)
})

test('a diff is for people: renames told, odd names quoted, a conflict by its markers', async () => {
  const root = gitRepo(box, { 'a.txt': lines(30), 'b.txt': 'b\n' })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'c.txt': { movedFrom: 'a.txt' }, 'new\nline': 'x\n', 'b.txt': 'mine\n' })
  const { commit } = await checkpoint(box.host, workspace)
  const diff = await diffText(box.host, { gitDir: storeGit(clone) }, { base: trunk, tip: commit })
  expect(diff).toContain('rename from a.txt\nrename to c.txt\n')
  expect(diff).toContain('+++ "b/new\\nline"\n')
  expect(diff).toContain('-b\n+mine\n')

  edit(root, { 'b.txt': 'theirs\n' })
  const next = commitAll(box, root, 'next')
  await pull(box.host, clone)
  box.sh(workspace.folder, 'jj', 'rebase', '-b', '@', '-o', next)
  const now = await checkpoint(box.host, workspace)
  const shown = await diffTextOfConflict(box.host, clone, { base: now.base, tip: now.commit })
  expect(shown).toContain('<<<<<<<')
})
