import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { type Patch, patchIdentity, patchOf } from '../../src/workspace/patch.ts'
import { commitAll, type Edits, edit, gitRepo, lines, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
let root: string
let start: CommitId
beforeAll(() => {
  box = sandbox()
  root = gitRepo(box, BASE)
  start = box.sh(root, 'git', 'rev-parse', 'HEAD').trim() as CommitId
})
afterAll(() => box.remove())

const BLOCK = 'function {\n  work();\n  done();\n}\n'
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const bytes = (from: number, step: number) =>
  Uint8Array.from({ length: 256 }, (_, i) => (from + step * i) & 255)

const BASE = {
  'a.ts': lines(60),
  'b.ts': lines(60),
  'doc.md': lines(40),
  'py.py': 'def f():\n    if a:\n        b()\n    c()\n',
  'bin.dat': bytes(0, 1),
  'run.sh': '#!/bin/sh\n',
  'noeol.txt': 'x\ny',
  'rep.ts': BLOCK.repeat(6),
  'lat.txt': latin1('café\n'),
} as const satisfies Edits

function sub(text: string, ...pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((was, [from, to]) => {
    if (!was.includes(from)) throw new Error(`${from} is not in the text`)
    return was.replace(from, () => to)
  }, text)
}
const line = (number: number, mark: string): readonly [string, string] => [
  `line ${number}\n`,
  `line ${number} ${mark}\n`,
]
const block = (number: number) => {
  const rows = BASE['rep.ts'].split('\n')
  rows[number * 4 + 1] = '  WORK();'
  return rows.join('\n')
}

const TASK = { 'a.ts': sub(BASE['a.ts'], line(30, 'T')) }
const ELSEWHERE = { 'b.ts': lines(61) }
const DOC_T = sub(BASE['doc.md'], line(20, 'T'))
const DOC_H = sub(BASE['doc.md'], line(18, 'H'))

type Case = {
  readonly name: string
  /** What the task had changed when its patch was looked at. */
  readonly task: Edits
  /** What trunk brought before the task was put on top of it. */
  readonly trunk?: Edits
  /** What the agent edited afterwards. */
  readonly after?: Edits
  /** Paths whose part of the patch is no longer the same; [] keeps the identity. */
  readonly differs: readonly string[]
}

const CASES: readonly Case[] = [
  { name: 'trunk did not move', task: TASK, differs: [] },
  { name: 'trunk touched another file', task: TASK, trunk: ELSEWHERE, differs: [] },
  {
    name: 'same file, far away: lines shift',
    task: TASK,
    trunk: { 'a.ts': `top1\ntop2\n${BASE['a.ts']}` },
    differs: [],
  },
  {
    name: 'same file, 4 lines away: context untouched',
    task: TASK,
    trunk: { 'a.ts': sub(BASE['a.ts'], line(26, 'H')) },
    differs: [],
  },
  {
    name: 'same file, inside the context',
    task: TASK,
    trunk: { 'a.ts': sub(BASE['a.ts'], line(27, 'H')) },
    differs: ['a.ts'],
  },
  {
    name: 'trunk has part of the patch',
    task: { 'a.ts': sub(BASE['a.ts'], line(10, 'T'), line(50, 'T')) },
    trunk: { 'a.ts': sub(BASE['a.ts'], line(10, 'T')) },
    differs: ['a.ts'],
  },
  { name: 'trunk has all of the patch', task: TASK, trunk: TASK, differs: ['a.ts'] },
  {
    name: 'overlap in a document only',
    task: { ...TASK, 'doc.md': DOC_T },
    trunk: { 'doc.md': DOC_H },
    differs: ['doc.md'],
  },
  {
    name: 'overlap in a document and in code',
    task: { ...TASK, 'doc.md': DOC_T },
    trunk: { 'doc.md': DOC_H, 'a.ts': sub(BASE['a.ts'], line(28, 'H')) },
    differs: ['a.ts', 'doc.md'],
  },
  {
    name: "trunk took the task's change of a document",
    task: { ...TASK, 'doc.md': DOC_T },
    trunk: { 'doc.md': DOC_T },
    differs: ['doc.md'],
  },
  {
    name: 'code edited afterwards',
    task: TASK,
    trunk: ELSEWHERE,
    after: { 'a.ts': sub(BASE['a.ts'], line(30, 'T2')) },
    differs: ['a.ts'],
  },
  {
    name: 'a document added afterwards',
    task: TASK,
    trunk: ELSEWHERE,
    after: { 'new.md': 'x\n' },
    differs: ['new.md'],
  },
  {
    name: 'python re-indented afterwards',
    task: { 'py.py': 'def f():\n    if a:\n        b()\n        d()\n    c()\n' },
    after: { 'py.py': 'def f():\n    if a:\n        b()\n    d()\n    c()\n' },
    differs: ['py.py'],
  },
  {
    name: 'line ends changed afterwards',
    task: TASK,
    after: { 'a.ts': sub(BASE['a.ts'], ['line 30\n', 'line 30 T\r\n']) },
    differs: ['a.ts'],
  },
  {
    name: 'final newline removed afterwards',
    task: { 'noeol.txt': 'x\ny\nz\n' },
    after: { 'noeol.txt': 'x\ny\nz' },
    differs: ['noeol.txt'],
  },
  {
    name: 'binary changed',
    task: { 'bin.dat': bytes(255, -1) },
    trunk: ELSEWHERE,
    differs: [],
  },
  {
    name: 'binary swapped afterwards',
    task: { 'bin.dat': bytes(255, -1) },
    after: { 'bin.dat': new Uint8Array(300) },
    differs: ['bin.dat'],
  },
  {
    name: 'new binary swapped afterwards',
    task: { 'n.bin': '\0A'.repeat(50) },
    after: { 'n.bin': '\0B'.repeat(50) },
    differs: ['n.bin'],
  },
  { name: 'mode only', task: { 'run.sh': { mode: 0o755 } }, trunk: ELSEWHERE, differs: [] },
  {
    name: 'exec bit set afterwards',
    task: { 'run.sh': '#!/bin/sh\necho\n' },
    after: { 'run.sh': { mode: 0o755 } },
    differs: ['run.sh'],
  },
  {
    name: 'trunk set the exec bit',
    task: { 'run.sh': '#!/bin/sh\necho\n' },
    trunk: { 'run.sh': { mode: 0o755 } },
    differs: ['run.sh'],
  },
  {
    name: 'file moved',
    task: { 'c/moved.ts': { movedFrom: 'a.ts' } },
    trunk: ELSEWHERE,
    differs: [],
  },
  { name: 'file became a link', task: { 'noeol.txt': { link: 'a.ts' } }, differs: [] },
  {
    name: 'link pointed elsewhere afterwards',
    task: { 'noeol.txt': { link: 'a.ts' } },
    after: { 'noeol.txt': { link: 'b.ts' } },
    differs: ['noeol.txt'],
  },
  {
    name: 'empty file filled afterwards',
    task: { 'e.ts': '' },
    after: { 'e.ts': 'x\n' },
    differs: ['e.ts'],
  },
  {
    name: 'Latin-1 content',
    task: { 'lat.txt': latin1('café\nthé\n') },
    trunk: ELSEWHERE,
    differs: [],
  },
  {
    name: 'one byte that is not UTF-8 swapped for another',
    task: { 'lat.txt': latin1('café\nthé\n') },
    after: { 'lat.txt': latin1('café\nthè\n') },
    differs: ['lat.txt'],
  },
  {
    name: 'repeated blocks: trunk adds a copy above',
    task: {
      'rep.ts': BLOCK.repeat(2) + BLOCK.replace('work', 'WORK') + BLOCK.repeat(3),
    },
    trunk: { 'rep.ts': BLOCK + BASE['rep.ts'] },
    differs: [],
  },
  {
    // The limit of a hash without line numbers: why a verdict also compares whole trees.
    name: 'hunk moved to an identical block afterwards',
    task: { 'rep.ts': block(2) },
    after: { 'rep.ts': block(3) },
    differs: [],
  },
  {
    name: 'odd names: newline, quote, tab',
    task: { 'q"x\n\ty.ts': 'x\n', ...TASK },
    trunk: ELSEWHERE,
    differs: [],
  },
  {
    name: 'content that looks like a patch',
    task: { 'p.txt': 'diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n' },
    trunk: ELSEWHERE,
    differs: [],
  },
  {
    name: 'content that looks like a patch, edited afterwards',
    task: { 'p.txt': 'diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n' },
    after: { 'p.txt': 'diff --git a/x b/x\n@@ -2 +2 @@\n-a\n+b\n' },
    differs: ['p.txt'],
  },
  {
    name: 'content with a patch behind a carriage return',
    task: { 'p.txt': 'a\rdiff --git a/x b/x\rb\n' },
    trunk: ELSEWHERE,
    differs: [],
  },
]

test.each(CASES.map((one) => [one.name, one] as const))(
  'patch identity: %s',
  async (_, { task, trunk, after, differs }) => {
    box.sh(root, 'git', 'reset', '-q', '--hard', start)
    box.sh(root, 'git', 'clean', '-fdxq')
    edit(root, task)
    const reviewed = commitAll(box, root, 'task')
    const before = await patch(start, reviewed)

    box.sh(root, 'git', 'reset', '-q', '--hard', start)
    edit(root, trunk ?? {})
    const base = trunk === undefined ? start : commitAll(box, root, 'trunk')
    const picked = box.attempt(root, 'git', 'cherry-pick', '--allow-empty', reviewed)
    if (picked.code !== 0) box.sh(root, 'git', 'cherry-pick', '--skip')
    edit(root, after ?? {})
    const now = await patch(base, commitAll(box, root, 'after'))

    expect(differences(before, now)).toEqual([...differs])
    expect(patchIdentity(now) === patchIdentity(before)).toBe(differs.length === 0)
  },
)

test('a patch with no files has an identity as well', async () => {
  expect(await patch(start, start)).toEqual({
    version: 1,
    hash: '11c2ed040d918568dce30351d63f4a634176dca869a90086051c1f3483c6825d',
    files: [],
  })
})

test('neither settings nor attributes of the person change an identity', async () => {
  edit(root, TASK)
  const tip = commitAll(box, root, 'settings')
  const base = box.sh(root, 'git', 'rev-parse', 'HEAD~').trim() as CommitId
  const before = await patch(base, tip)
  for (const [key, value] of [
    ['diff.noprefix', 'true'],
    ['diff.algorithm', 'patience'],
    ['diff.context', '9'],
    ['diff.external', 'false'],
    ['diff.renames', 'copies'],
    ['diff.interHunkContext', '20'],
    ['core.attributesFile', join(box.dir, 'attributes')],
  ] as const) {
    box.sh(root, 'git', 'config', '--global', key, value)
  }
  edit(box.dir, { attributes: '* -diff\n' })
  expect(await patch(base, tip)).toEqual(before)
})

function patch(base: CommitId, tip: CommitId): Promise<Patch> {
  return patchOf(box.host, { gitDir: join(root, '.git') }, { base, tip })
}

function differences(a: Patch, b: Patch): string[] {
  const digests = (patch: Patch) => new Map(patch.files.map((file) => [file.path, file.digest]))
  const [was, now] = [digests(a), digests(b)]
  const paths = new Set([...was.keys(), ...now.keys()])
  return [...paths].filter((path) => was.get(path) !== now.get(path)).sort()
}
