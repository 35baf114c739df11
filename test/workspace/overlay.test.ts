import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { BlobId } from '../../src/domain/code.ts'
import { compareBytes } from '../../src/domain/order.ts'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import { linguistMarks } from '../../src/workspace/attributes.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { type DiskFile, overlay } from '../../src/workspace/overlay.ts'
import type { Workspace } from '../../src/workspace/registry.ts'
import { checkoutGround, workspaceGround } from '../../src/workspace/scan.ts'
import {
  adopt,
  begin,
  commitAll,
  digest,
  edit,
  exists,
  gitRepo,
  humanView,
  type Sandbox,
  sandbox,
  walk,
} from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
let root: string
let clone: Clone
let workspace: Workspace
let bases: readonly [CommitId, CommitId]
beforeAll(async () => {
  box = sandbox()
  root = gitRepo(box, {
    '.gitignore': '*.log\nbuild/\n!keep.log\n',
    'a.txt': 'a\n',
    'dir/b.txt': 'b\n',
    'dir/sub/c.txt': 'c\n',
    'sp ace/é.txt': 'd\n',
    'tracked.log': 'e\n',
    link: { link: 'a.txt' },
  })
  box.sh(root, 'git', 'add', '-f', 'tracked.log')
  commitAll(box, root, 'tracked though ignored')
  const adopted = await adopt(box, root)
  clone = adopted.clone
  workspace = (await begin(box, clone, adopted.trunk)).workspace
  edit(root, { 'dir/b.txt': 'b2\n', 'second.txt': 's\n', 'a.txt': null })
  bases = [adopted.trunk!, commitAll(box, root, 'second')]
  await pull(box.host, clone)
})
afterAll(() => box.remove())

const PATHS = [
  'a.txt',
  'dir/b.txt',
  'dir/sub/c.txt',
  'dir',
  'sp ace/é.txt',
  'tracked.log',
  'new.log',
  'keep.log',
  'build/out.js',
  'link',
  'new\nline',
  '-dash/"q".txt',
  'second.txt',
  '.gitignore',
  'dir/.gitignore',
]
const CONTENTS = ['a\n', 'b\n', 'x\n', '', '*.txt\n', 'sub/\n', '\0binary\xff']

const path = fc.constantFrom(...PATHS)
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      path,
      text: fc.constantFrom(...CONTENTS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), path, to: path }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('mode' as const), path, exec: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('link' as const), path, to: path }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const), base: fc.nat(1) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test('an overlay is what a slow look at every file finds, after any edits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      box.sh(workspace.folder, 'git', 'reset', '-q', '--hard')
      box.sh(workspace.folder, 'git', 'clean', '-q', '-fdx', '-e', '.jj')
      for (const one of [...steps, { do: 'look', base: 0 } as const]) {
        if (one.do !== 'look') disturb(workspace.folder, one)
        else {
          const base = bases[one.base] ?? null
          const found = await overlay(box.host, workspaceGround(workspace), base)
          expect(found).toEqual(slowOverlay(workspace.folder, base))
        }
      }
    }),
    { seed: 20_260_101, numRuns: 25 },
  )
})

test('an overlay on nothing is every file there is', async () => {
  const found = await overlay(box.host, workspaceGround(workspace), null)
  expect(found).toEqual(slowOverlay(workspace.folder, null))
})

test("looking touches neither the agent's index nor jj", async () => {
  const { folder } = workspace
  edit(folder, { 'looked-at.txt': 'x\n' })
  const index = join(clone.dir, 'shim', 't1.git', 'index')
  const ops = () =>
    box.sh(folder, 'jj', '--ignore-working-copy', 'op', 'log', '--no-graph', '-T', 'id')
  const before = [digest(readFileSync(index)), ops()]
  const found = await overlay(box.host, workspaceGround(workspace), bases[0])
  expect(found.map((file) => file.path)).toContain('looked-at.txt')
  expect([digest(readFileSync(index)), ops()]).toEqual(before)
})

test("a person's checkout is looked at without a trace, converted line ends being no change", async () => {
  edit(root, { '.gitattributes': '*.bat text eol=crlf\n*.x filter=nope\n', 'w.bat': 'one\r\n' })
  const base = commitAll(box, root, 'third')
  edit(root, {
    'second.txt': 'edited\n',
    'untracked.txt': 'u\n',
    'x.log': 'ignored\n',
    'v.x': 'x\n',
  })
  const before = humanView(box, 'plain', root)
  box.sh(root, 'git', 'config', 'core.fsmonitor', `touch ${join(box.dir, 'ran')}`)
  const found = await overlay(box.host, checkoutGround(clone, root), base)
  box.sh(root, 'git', 'config', '--unset', 'core.fsmonitor')
  expect(exists(box.dir, 'ran')).toBe(false)
  expect(found.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
    '100644 second.txt',
    '100644 untracked.txt',
    '100644 v.x',
  ])
  expect(humanView(box, 'plain', root)).toEqual(before)
})

test('a damaged or half-written private index is made anew', async () => {
  const { folder } = workspace
  const ground = workspaceGround(workspace)
  const index = join(clone.dir, 'scan', 't1.git', 'index')
  const expected = await overlay(box.host, ground, bases[0])
  writeFileSync(index, 'no index')
  writeFileSync(`${index}.lock`, '')
  expect(await overlay(box.host, ground, bases[0])).toEqual(expected)
  // As if killed between naming the new base and reading it; a file on disk is as in the new one.
  edit(folder, { 'dir/b.txt': 'b2\n' })
  writeFileSync(join(clone.dir, 'scan', 't1.git', 'HEAD'), `${bases[1]}\n`)
  expect(await overlay(box.host, ground, bases[1])).toEqual(slowOverlay(folder, bases[1]))
})

test('linguist marks come from the commit itself', async () => {
  edit(root, {
    '.gitattributes':
      'gen/** linguist-generated\nvendor/** linguist-vendored=true\n*.min.js -linguist-generated\n',
    'vendor/.gitattributes': 'own.ts linguist-vendored=false linguist-generated=true\n',
  })
  const base = commitAll(box, root, 'marks')
  await pull(box.host, clone)
  edit(root, { '.gitattributes': '* linguist-generated\n' })
  edit(box.dir, { 'home/.config/git/attributes': '* linguist-vendored\n' })
  const paths = ['a.ts', 'gen/x.ts', 'gen/y.min.js', 'vendor/a.ts', 'vendor/own.ts', 'new\nline']
  expect([...(await linguistMarks(box.host, checkoutGround(clone, root), base, paths))]).toEqual([
    ['gen/x.ts', { generated: true, vendored: false }],
    ['vendor/a.ts', { generated: false, vendored: true }],
    ['vendor/own.ts', { generated: true, vendored: false }],
  ])
})

/** One random edit; what cannot be done (no such file, a folder in the way) is left. */
function disturb(folder: string, one: Exclude<Step, { do: 'look' }>): void {
  const file = join(folder, one.path)
  try {
    switch (one.do) {
      case 'write':
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, one.text, 'latin1')
        break
      case 'remove':
        rmSync(file, { recursive: true })
        break
      case 'rename':
        mkdirSync(dirname(join(folder, one.to)), { recursive: true })
        renameSync(file, join(folder, one.to))
        break
      case 'mode':
        chmodSync(file, one.exec ? 0o755 : 0o644)
        break
      case 'link':
        symlinkSync(one.to, file)
        break
    }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown
  }
}

/** Every file read and hashed, every unknown one asked about. */
function slowOverlay(folder: string, base: CommitId | null): DiskFile[] {
  const tracked = new Map<string, string>()
  const listed = base === null ? '' : box.sh(storeGit(clone), 'git', 'ls-tree', '-rz', base)
  for (const line of listed.split('\0').filter(Boolean)) {
    const [meta = '', name = ''] = line.split('\t')
    const [mode, , blob] = meta.split(' ')
    tracked.set(name, `${mode} ${blob}`)
  }
  const disk = [...walk(folder).keys()]
  const ignored = new Set(
    box
      .sh(
        folder,
        'sh',
        '-c',
        'printf "%s\\0" "$@" | git check-ignore -z --stdin --no-index || true',
        '-',
        ...disk,
      )
      .split('\0'),
  )
  const found: DiskFile[] = []
  const visible = disk.filter((name) => tracked.has(name) || !ignored.has(name))
  for (const file of slowFiles(folder, visible)) {
    if (tracked.get(file.path) !== `${file.mode} ${file.blob}`) found.push(file)
  }
  for (const path of tracked.keys()) {
    if (!disk.includes(path)) found.push({ path, blob: null, mode: null, size: 0 })
  }
  return found.sort((a, b) => compareBytes(a.path, b.path))
}

/** Hashed by git: what a file holds, what a link says. */
function slowFiles(folder: string, paths: readonly string[]): DiskFile[] {
  const stats = new Map(paths.map((path) => [path, lstatSync(join(folder, path))]))
  const isLink = (path: string) => stats.get(path)?.isSymbolicLink() ?? false
  const regular = paths.filter((path) => !isLink(path))
  const hashes = box.sh(folder, 'git', 'hash-object', '--no-filters', '--', ...regular).split('\n')
  const blobs = new Map(regular.map((path, i) => [path, hashes[i] ?? '']))
  const link = 'readlink -n -- "$1" | git hash-object --stdin'
  for (const path of paths.filter(isLink)) {
    blobs.set(path, box.sh(folder, 'sh', '-c', link, '-', path).trim())
  }
  return paths.map((path) => {
    const { mode = 0, size = 0 } = stats.get(path) ?? {}
    const word = isLink(path) ? '120000' : mode & 0o100 ? '100755' : '100644'
    return { path, blob: blobs.get(path) as BlobId, mode: word, size }
  })
}
