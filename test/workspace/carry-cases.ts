import type { CarryReason } from '../../src/domain/carry.ts'
import { type Edits, lines } from './sandbox.ts'

const BLOCK = 'function {\n  work();\n  done();\n}\n'
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const bytes = (from: number, step: number) =>
  Uint8Array.from({ length: 256 }, (_, i) => (from + step * i) & 255)

export const BASE = {
  'a.ts': lines(60),
  'b.ts': lines(60),
  'doc.md': lines(40),
  'docs/x.md': lines(40),
  'py.py': 'def f():\n    if a:\n        b()\n    c()\n',
  'bin.dat': bytes(0, 1),
  'run.sh': '#!/bin/sh\n',
  'noeol.txt': 'x\ny',
  'rep.ts': BLOCK.repeat(6),
  'lat.txt': latin1('café\n'),
  '.hid/h.md': lines(30),
  'vendor.md.ts': lines(30),
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

export const CODE = { 'a.ts': sub(BASE['a.ts'], line(30, 'T')) }
export const ELSEWHERE = { 'b.ts': lines(61) }
const DOC_T = { 'doc.md': sub(BASE['doc.md'], line(20, 'T')) }
const DOC_H = { 'doc.md': sub(BASE['doc.md'], line(18, 'H')) }
const HID = BASE['.hid/h.md']
const PATCHLIKE = 'diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n'

export type Case = {
  /** What the task had changed when it was reviewed. */
  readonly task: Edits
  /** What trunk brought since. */
  readonly trunk: Edits
  /** What the agent edited after the verdict. */
  readonly after?: Edits
  readonly globs?: readonly string[]
  /** How it carries, or why not; with the path where one is named. */
  readonly expect:
    | 'same_base'
    | 'unchanged'
    | `overlap ${string}`
    | CarryReason
    | `${CarryReason} ${string}`
}

const edited = (task: Edits, after: Edits, trunk: Edits = ELSEWHERE): Case => ({
  task,
  trunk,
  after,
  expect: 'tree_changed',
})
export const FAR: Case = {
  task: CODE,
  trunk: { 'a.ts': `top1\ntop2\n${BASE['a.ts']}` },
  expect: 'unchanged',
}

export const CASES: Readonly<Record<string, Case>> = {
  'trunk did not move': { task: CODE, trunk: {}, expect: 'same_base' },
  'trunk touched another file': { task: CODE, trunk: ELSEWHERE, expect: 'unchanged' },
  'same file, far away: lines shift': FAR,
  'same file, inside the context': {
    task: CODE,
    trunk: { 'a.ts': sub(BASE['a.ts'], line(27, 'H')) },
    expect: 'not_in_globs a.ts',
  },
  'same file, 4 lines away: context untouched': {
    task: CODE,
    trunk: { 'a.ts': sub(BASE['a.ts'], line(26, 'H')) },
    expect: 'unchanged',
  },
  'same line: conflict': {
    task: CODE,
    trunk: { 'a.ts': sub(BASE['a.ts'], line(30, 'H')) },
    expect: 'conflict a.ts',
  },
  'trunk has part of the patch': {
    task: { 'a.ts': sub(BASE['a.ts'], line(10, 'T'), line(50, 'T')) },
    trunk: { 'a.ts': sub(BASE['a.ts'], line(10, 'T')) },
    expect: 'not_in_globs a.ts',
  },
  'trunk has all of the patch': { task: CODE, trunk: CODE, expect: 'nothing_left' },
  'overlap in a document, code untouched': {
    task: { ...CODE, ...DOC_T },
    trunk: DOC_H,
    expect: 'overlap doc.md',
  },
  'overlap in a document deep down': {
    task: { ...CODE, 'docs/x.md': DOC_T['doc.md'] },
    trunk: { 'docs/x.md': DOC_H['doc.md'] },
    expect: 'overlap docs/x.md',
  },
  'overlap in a document and in code': {
    task: { ...CODE, ...DOC_T },
    trunk: { ...DOC_H, 'a.ts': sub(BASE['a.ts'], line(28, 'H')) },
    expect: 'not_in_globs a.ts',
  },
  'overlap in a document, no globs': {
    task: { ...CODE, ...DOC_T },
    trunk: DOC_H,
    globs: [],
    expect: 'not_in_globs doc.md',
  },
  'conflict in a document': {
    task: DOC_T,
    trunk: { 'doc.md': sub(BASE['doc.md'], line(20, 'H')) },
    expect: 'conflict doc.md',
  },
  "trunk took the task's change of a document": {
    task: { ...CODE, ...DOC_T },
    trunk: DOC_T,
    expect: 'file_set_differs doc.md',
  },
  'code edited': edited(CODE, { 'a.ts': sub(BASE['a.ts'], line(30, 'T2')) }),
  'only a document edited, which trunk touched': edited(
    { ...CODE, ...DOC_T },
    { 'doc.md': sub(BASE['doc.md'], line(20, 'T evil')) },
    { 'doc.md': sub(BASE['doc.md'], line(3, 'H')) },
  ),
  'a document added': edited(CODE, { 'new.md': 'x\n' }),
  'python re-indented': edited(
    { 'py.py': 'def f():\n    if a:\n        b()\n        d()\n    c()\n' },
    { 'py.py': 'def f():\n    if a:\n        b()\n    d()\n    c()\n' },
  ),
  'line ends changed': edited(CODE, { 'a.ts': sub(BASE['a.ts'], ['line 30\n', 'line 30 T\r\n']) }),
  'final newline removed': edited({ 'noeol.txt': 'x\ny\nz\n' }, { 'noeol.txt': 'x\ny\nz' }),
  'binary change': { task: { 'bin.dat': bytes(255, -1) }, trunk: ELSEWHERE, expect: 'unchanged' },
  'binary swapped': edited({ 'bin.dat': bytes(255, -1) }, { 'bin.dat': new Uint8Array(300) }),
  'new binary swapped': edited({ 'n.bin': '\0A'.repeat(50) }, { 'n.bin': '\0B'.repeat(50) }),
  'mode only': { task: { 'run.sh': { mode: 0o755 } }, trunk: ELSEWHERE, expect: 'unchanged' },
  'exec bit set': edited({ 'run.sh': '#!/bin/sh\necho\n' }, { 'run.sh': { mode: 0o755 } }),
  'trunk set the exec bit': {
    task: { 'run.sh': '#!/bin/sh\necho\n' },
    trunk: { 'run.sh': { mode: 0o755 } },
    expect: 'not_in_globs run.sh',
  },
  'file moved': {
    task: { 'c/moved.ts': { movedFrom: 'a.ts' } },
    trunk: ELSEWHERE,
    expect: 'unchanged',
  },
  'file moved, trunk edits the source': {
    task: { 'c/moved.ts': { movedFrom: 'a.ts' } },
    trunk: { 'a.ts': lines(61) },
    expect: 'conflict a.ts',
  },
  'what trunk edited is deleted': {
    task: { 'a.ts': null },
    trunk: { 'a.ts': lines(61) },
    expect: 'conflict a.ts',
  },
  'both add the same path': {
    task: { 'n.ts': 'x\n' },
    trunk: { 'n.ts': 'y\n' },
    expect: 'conflict n.ts',
  },
  'file became a link': {
    task: { 'noeol.txt': { link: 'a.ts' } },
    trunk: ELSEWHERE,
    expect: 'unchanged',
  },
  'link pointed elsewhere': edited(
    { 'noeol.txt': { link: 'a.ts' } },
    { 'noeol.txt': { link: 'b.ts' } },
  ),
  'empty file filled': edited({ 'e.ts': '' }, { 'e.ts': 'x\n' }),
  'Latin-1 content': {
    task: { 'lat.txt': latin1('café\nthé\n') },
    trunk: ELSEWHERE,
    expect: 'unchanged',
  },
  'one byte that is not UTF-8 swapped for another': edited(
    { 'lat.txt': latin1('café\nthé\n') },
    { 'lat.txt': latin1('café\nthè\n') },
  ),
  'repeated blocks: trunk adds a copy above': {
    task: { 'rep.ts': BLOCK.repeat(2) + BLOCK.replace('work', 'WORK') + BLOCK.repeat(3) },
    trunk: { 'rep.ts': BLOCK + BASE['rep.ts'] },
    expect: 'unchanged',
  },
  'a hidden folder is not in **/*.md': {
    task: { ...CODE, '.hid/h.md': sub(HID, line(20, 'T')) },
    trunk: { '.hid/h.md': sub(HID, line(18, 'H')) },
    expect: 'not_in_globs .hid/h.md',
  },
  'x.md.ts is not in **/*.md': {
    task: { 'vendor.md.ts': sub(HID, line(20, 'T')) },
    trunk: { 'vendor.md.ts': sub(HID, line(18, 'H')) },
    expect: 'not_in_globs vendor.md.ts',
  },
  'document moved to code, trunk edits the document': {
    task: { 'doc.ts': { movedFrom: 'doc.md' } },
    trunk: { 'doc.md': lines(41) },
    expect: 'conflict doc.md',
  },
  'odd names: newline, quote, tab': {
    task: { 'q"x\n\ty.ts': 'x\n', ...CODE },
    trunk: ELSEWHERE,
    expect: 'unchanged',
  },
  'content that looks like a patch': {
    task: { 'p.txt': PATCHLIKE },
    trunk: ELSEWHERE,
    expect: 'unchanged',
  },
  'content that looks like a patch, edited': edited(
    { 'p.txt': PATCHLIKE },
    { 'p.txt': PATCHLIKE.replace('-1 +1', '-2 +2') },
  ),
  // Of the patch identity alone, see below.
  'hunk moved to an identical block': edited({ 'rep.ts': block(2) }, { 'rep.ts': block(4) }),
}
