import { afterAll, beforeAll, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../src/domain/fault.ts'
import { repoPath } from '../../src/workspace/repo-path.ts'
import { edit, type Sandbox, sandbox } from './sandbox.ts'

let box: Sandbox
let root: string
beforeAll(() => {
  box = sandbox()
  root = join(box.dir, 'repo')
  edit(root, { 'src/a.ts': 'a\n', 'src/deep/b.ts': 'b\n' })
  edit(box.dir, { 'outside/secret': 's\n' })
  edit(root, {
    out: { link: '../outside' },
    in: { link: 'src/deep' },
    file: { link: '../outside/secret' },
  })
  symlinkSync(root, join(box.dir, 'alias'))
})
afterAll(() => box.remove())

test.each([
  ['', 'src/a.ts', 'src/a.ts'],
  ['src', 'a.ts', 'src/a.ts'],
  ['src', '../README.md', 'README.md'],
  ['src/deep', './../a.ts', 'src/a.ts'],
  ['', 'src//deep/', 'src/deep'],
  ['', '.', ''],
  ['', 'not/yet/there.ts', 'not/yet/there.ts'],
  ['', 'in/b.ts', 'src/deep/b.ts'],
  ['', 'in/../a.ts', 'src/a.ts'],
  ['', 'file', 'file'],
  ['', 'e\u0301.ts', '\u00e9.ts'],
  ['', '..a/b', '..a/b'],
  ['', 'a b\n"c".ts', 'a b\n"c".ts'],
])('from %p, %p is %p', (folder, written, expected) => {
  expect(String(repoPath(root, join(root, folder), written))).toBe(expected)
})

test('absolute paths, and a way in through another name of the folder', () => {
  expect(String(repoPath(root, box.dir, join(root, 'src/a.ts')))).toBe('src/a.ts')
  expect(String(repoPath(root, join(box.dir, 'alias', 'src'), 'a.ts'))).toBe('src/a.ts')
  expect(String(repoPath(join(box.dir, 'alias'), box.dir, join(root, 'src')))).toBe('src')
})

test.each([
  ['', '..', 'outside_repo'],
  ['src', '../../x', 'outside_repo'],
  ['', '/etc/passwd', 'outside_repo'],
  ['', 'out/secret', 'outside_repo'],
  ['', 'in/../../../x', 'outside_repo'],
  ['', '../repo2/x', 'outside_repo'],
  ['', '.git/config', 'inside_git_dir'],
  ['', 'sub/.GIT/config', 'inside_git_dir'],
  ['', '.jj', 'inside_git_dir'],
  ['', 'a\0b', 'bad_path'],
  ['', '', 'empty_path'],
])('from %p, %p is refused: %s', (folder, written, reason) => {
  let thrown: unknown
  try {
    repoPath(root, join(root, folder), written)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(Fault)
  expect(thrown).toMatchObject({ code: 'bad_input', detail: { reason } })
})
