import { expect, test } from 'bun:test'
import { TELLING_KINDS, uncovered } from '../../src/domain/coverage.ts'

const SESSION = ['src/auth.ts:Session', 'src/auth.ts:Session.refresh', 'src/auth.ts:SessionStore']

test.each([
  ['nothing', [], SESSION],
  ['its file', [{ path: 'src/auth.ts', symbol: null }], []],
  ['another file', [{ path: 'src/auth.tsx', symbol: null }], SESSION],
  ['a folder, which covers nothing', [{ path: 'src', symbol: null }], SESSION],
  ['the enclosing symbol', [{ path: 'src/auth.ts', symbol: 'Session' }], [SESSION[2]!]],
  [
    'the symbol, which does not cover what encloses it',
    [{ path: 'src/auth.ts', symbol: 'Session.refresh' }],
    [SESSION[0]!, SESSION[2]!],
  ],
  ['the same name elsewhere', [{ path: 'src/b.ts', symbol: 'Session' }], SESSION],
] as const)('anchored at %s', (_, anchors, expected) => {
  expect(uncovered(SESSION, anchors)).toEqual(expected)
})

test('paths and names may hold colons', () => {
  const symbols = ['src/a:b.ts:Sym.x', 'docs/a.md:Note: the rest', 'src/a:c.ts:Sym']
  const anchors = [
    { path: 'src/a:b.ts', symbol: 'Sym' },
    { path: 'docs/a.md', symbol: 'Note: the rest' },
  ]
  expect(uncovered(symbols, anchors)).toEqual(['src/a:c.ts:Sym'])
  expect(uncovered(symbols, [{ path: 'src/a:b.ts', symbol: null }])).toEqual([
    'docs/a.md:Note: the rest',
    'src/a:c.ts:Sym',
  ])
})

test('the order given stays, and a symbol without a path is never covered', () => {
  const symbols = ['z.ts:B', 'a.ts:A', 'loose']
  expect(uncovered(symbols, [{ path: 'loose', symbol: null }])).toEqual(symbols)
})

test('neither the goal nor a review tells why', () => {
  expect([...TELLING_KINDS]).toEqual(['decision', 'attempt', 'note', 'handoff'])
})
