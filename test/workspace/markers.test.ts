import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pull } from '../../src/workspace/attach.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { attributeTrouble } from '../../src/workspace/handed-filters.ts'
import { markersLeft } from '../../src/workspace/markers.ts'
import { refresh } from '../../src/workspace/refresh.ts'
import { adopt, begin, commitAll, edit, gitRepo, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

/** A task in conflict over `a.txt` and `b.txt`, whose lines end in `end`. */
async function inConflict(end = '\n') {
  const body = (word: string) => ['one', word, 'three', ''].join(end)
  const both = (word: string) => ({ 'a.txt': body(word), 'b.txt': body(word) })
  const root = gitRepo(box, both('two'))
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, both('mine'))
  edit(root, both('theirs'))
  const next = commitAll(box, root, 'theirs')
  await pull(box.host, clone)
  const now = await refresh(box.host, workspace, next)
  expect(now.conflicts).toEqual(['a.txt', 'b.txt'])
  return { root, clone, workspace, folder: workspace.folder, base: next }
}

const without = (folder: string, path: string, line: RegExp) => {
  const text = readFileSync(join(folder, path), 'utf8')
  const left = text.split(/(?<=\n)/).filter((one) => !line.test(one))
  expect(left.length).toBeLessThan(text.split(/(?<=\n)/).length)
  edit(folder, { [path]: left.join('') })
}

const ONE_GONE = [
  ['<', /^<{7}/],
  ['|', /^\|{7}/],
  ['=', /^={7}/],
  ['>', /^>{7}/],
] as const

test.each(ONE_GONE)(
  'a block without its line of %s is text to jj, and a conflict to av',
  async (_, line) => {
    const { workspace, folder, clone, base } = await inConflict()
    edit(folder, { 'b.txt': 'resolved\n' })
    without(folder, 'a.txt', line)
    const half = await checkpoint(box.host, workspace)
    expect(half).toMatchObject({ conflict: false, conflictedFiles: [], conflicts: ['a.txt'] })
    // It is remembered from one snapshot to the next, whatever else is edited.
    edit(folder, { 'c.txt': 'c\n' })
    expect((await checkpoint(box.host, workspace)).conflicts).toEqual(['a.txt'])
    without(folder, 'a.txt', /^[<|=>]{7}/)
    const done = await checkpoint(box.host, workspace)
    expect(done).toMatchObject({ conflict: false, conflicts: [] })
    const at = { base, tip: done.commit, paths: ['a.txt', 'b.txt', 'gone.txt'] }
    expect(await markersLeft(box.host, clone, at)).toEqual([])
  },
)

test('one file half removed, the other still a conflict for jj: both are left', async () => {
  const { workspace, folder } = await inConflict()
  without(folder, 'a.txt', /^<{7}/)
  expect(await checkpoint(box.host, workspace)).toMatchObject({
    conflict: true,
    conflictedFiles: ['b.txt'],
    conflicts: ['a.txt', 'b.txt'],
  })
})

test('lines that end in CR LF are markers as well', async () => {
  const { workspace, folder } = await inConflict('\r\n')
  edit(folder, { 'b.txt': 'resolved\n' })
  without(folder, 'a.txt', /^[<|>]{7}/)
  expect((await checkpoint(box.host, workspace)).conflicts).toEqual(['a.txt'])
})

test('marker lines that the base has already are no conflict', async () => {
  const rst = 'Heading\n=======\ntext\n'
  const root = gitRepo(box, { 'doc.rst': rst })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'doc.rst': `${rst}more\n`, 'long.md': 'Title\n==========\n' })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const left = (base: typeof trunk) =>
    markersLeft(box.host, clone, { base, tip, paths: ['long.md', 'doc.rst'] })
  expect(await left(trunk)).toEqual([])
  expect(await left(null)).toEqual(['doc.rst'])
})

test("paths that git's attributes would filter or convert are found before they land", async () => {
  const root = gitRepo(box, {
    '.gitattributes':
      '*.lfs filter=lfs -text\n*.bat text eol=crlf\n* text=auto\n*.utf16 working-tree-encoding=UTF-16\n',
    'a.txt': 'a\n',
  })
  edit(root, { '.git/info/attributes': 'secret/* filter=crypt\n' })
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, {
    'x.lfs': 'x\n',
    'unix.bat': 'x\n',
    'dos.bat': 'x\r\n',
    'dos.txt': 'x\r\n',
    'u.utf16': 'x\n',
    'secret/k': 'k\n',
    'new.raw': 'r\n',
    'a.txt': 'b\n',
    '.gitattributes':
      '*.lfs filter=lfs -text\n*.bat text eol=crlf\n* text=auto\n*.utf16 working-tree-encoding=UTF-16\n*.raw filter=own\n',
  })
  const { commit, files } = await checkpoint(box.host, workspace)
  const paths = files.map(({ path }) => path)
  expect(await attributeTrouble(box.host, clone, paths)).toEqual({
    filtered: ['secret/k', 'x.lfs'],
    converted: ['dos.bat', 'u.utf16', 'unix.bat'],
  })
  expect(await attributeTrouble(box.host, clone, paths, commit)).toEqual({
    filtered: ['new.raw', 'secret/k', 'x.lfs'],
    converted: ['dos.bat', 'dos.txt', 'u.utf16'],
  })
})
