import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Anchor, textHash } from '../../src/domain/anchor.ts'
import type { BlobId } from '../../src/domain/code.ts'
import { applyOverlay, type OverlayEntry, type TreeEntry } from '../../src/domain/code-view.ts'
import { markOf } from '../../src/domain/mark.ts'
import { nearestFew } from '../../src/domain/nearest.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { taskSlug } from '../../src/domain/task.ts'

describe('order by bytes', () => {
  test('is that of the UTF-8 bytes, for any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const byBytes = Buffer.compare(Buffer.from(a), Buffer.from(b))
        return Math.sign(compareBytes(a, b)) === byBytes
      }),
      { seed: 1, numRuns: 2_000 },
    )
  })

  test('puts astral characters behind those below U+FFFF, unlike <', () => {
    expect(['😀', '\uffff'].sort(compareBytes)).toEqual(['\uffff', '😀'])
  })
})

describe('the hash of code', () => {
  test('does not see white space at line ends, or how lines end', () => {
    expect(textHash('a {\n  b\n}\n')).toBe(textHash('a {  \r\n  b\t\r\n}'))
  })

  test('sees indentation', () => {
    expect(textHash('if a:\n  b')).not.toBe(textHash('if a:\n    b'))
  })

  test('is of a stated form', () => {
    expect(textHash('')).toBe('e3b0c44298fc1c149afbf4c8996fb924')
  })
})

describe('the mark of an anchor', () => {
  const at = (hash: string | null): Anchor => ({ path: 'a.ts', symbol: null, hash })
  test.each([
    ['h1', 'h1', null],
    ['h1', 'h2', 'changed'],
    ['h1', null, 'gone'],
    ['h1', undefined, null],
    [null, null, 'missing'],
    [null, 'h1', null],
  ] as const)('recorded %p, now %p: %p', (then, now, mark) => {
    expect(markOf(at(then), now)).toBe(mark)
  })
})

describe("a task's slug", () => {
  test.each([
    ['Fix the login race!', 'fix-the-login-race'],
    ['Café öffnen', 'cafe-offnen'],
    ['修复登录', 'task'],
    ['  --- ', 'task'],
    ['a'.repeat(60), 'a'.repeat(40)],
    ['one two three four five six seven eight nine', 'one-two-three-four-five-six-seven-eight'],
  ] as const)('%j → %s', (goal, slug) => {
    expect(taskSlug(goal)).toBe(slug)
  })
})

test('the nearest names come first, ties by bytes', () => {
  expect(nearestFew('refesh', ['session', 'refresh', 'fresh', 'refine'], 3)).toEqual([
    'refresh',
    'fresh',
    'refine',
  ])
})

test('an overlay replaces, adds and takes away', () => {
  const blob = (text: string) => text as BlobId
  const tree: TreeEntry[] = [
    { path: 'a', blob: blob('1') },
    { path: 'b', blob: blob('2') },
    { path: 'c', blob: null },
  ]
  const overlay: OverlayEntry[] = [
    { path: 'b', blob: blob('3'), gone: false },
    { path: 'c', blob: null, gone: true },
    { path: 'd', blob: blob('4'), gone: false },
  ]
  const files = [...applyOverlay(tree, overlay)].sort((x, y) => compareBytes(x.path, y.path))
  expect(files.map(({ path, blob }) => `${path}${blob}`)).toEqual(['a1', 'b3', 'd4'])
})
