import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileCarryGlobs } from '../../src/domain/carry-glob.ts'

const matched = (glob: string, paths: readonly string[]) =>
  paths.filter(compileCarryGlobs([glob], [glob]))

const PATHS = [
  'README.md',
  'docs/a.md',
  'docs/deep/b.md',
  'docs/deep/b.ts',
  'docs',
  '.hid/h.md',
  'docs/.hid/h.md',
  'docs/.a.md',
  '.md',
  'a.MD',
  'x.md.ts',
  '😀.md',
  'new\nline.md',
]

test.each([
  ['**/*.md', ['README.md', 'docs/a.md', 'docs/deep/b.md', '😀.md', 'new\nline.md']],
  ['*.md', ['README.md', '😀.md', 'new\nline.md']],
  ['docs/*.md', ['docs/a.md']],
  ['docs/**', ['docs/a.md', 'docs/deep/b.md', 'docs/deep/b.ts']],
  ['docs/**/*.md', ['docs/a.md', 'docs/deep/b.md']],
  ['**', PATHS.filter((path) => !/(?:^|\/)\./.test(path))],
  ['.hid/*.md', ['.hid/h.md']],
  ['**/.hid/*.md', ['.hid/h.md', 'docs/.hid/h.md']],
  ['docs/.*', ['docs/.a.md']],
  ['?md', []],
  ['?.md', ['😀.md']],
  ['docs/?.md', ['docs/a.md']],
  ['docs?a.md', []],
  ['docs*a.md', []],
  // Within a component two stars are no more than one.
  ['**.md', ['README.md', '😀.md', 'new\nline.md']],
  ['**b.md', []],
  ['[ab].md', []],
  ['{README,x}.md', []],
  ['!x', []],
  ['/README.md', []],
  ['README.md/', []],
  ['', []],
  ['docs', ['docs']],
  ['readme.md', []],
  [`${'**/'.repeat(80)}*.md`, []],
])('%s', (glob, paths) => {
  expect(matched(glob, PATHS)).toEqual(paths)
})

test('both the team and the operator must name the path', () => {
  const within = compileCarryGlobs(['**', 'docs/**'], ['**/*.md', 'notes/*'])
  expect(PATHS.filter(within)).toEqual(matched('**/*.md', PATHS))
  expect(within('notes/x.ts')).toBe(true)
  expect(compileCarryGlobs([], ['**'])('a.md')).toBe(false)
  expect(compileCarryGlobs(['**'], [])('a.md')).toBe(false)
})

test('globs past the hundredth match nothing', () => {
  const many = [...Array.from({ length: 100 }, (_, i) => `n${i}`), 'a.md']
  expect(compileCarryGlobs(many, ['**'])('a.md')).toBe(false)
  expect(compileCarryGlobs(many.slice(1), ['**'])('a.md')).toBe(true)
})

test('no glob makes a path slow', () => {
  const glob = 'a*'.repeat(99)
  const deep = '**/a*/'.repeat(33).slice(0, 200)
  const path = `${'a'.repeat(200)}/`.repeat(20)
  expect(matched(`${glob}b`, [`${'a'.repeat(4_000)}c`])).toEqual([])
  expect(matched(deep, [`${path}.c`])).toEqual([])
})

/** The same rules, told by what a glob expands to instead of by rows. */
function expands(glob: readonly string[], path: readonly string[]): boolean {
  const [part, ...rest] = glob
  const [name, ...below] = path
  if (part === undefined) return name === undefined
  if (part === '**') {
    const hidden = name === undefined || name.startsWith('.')
    if (rest.length === 0) return !hidden && (below.length === 0 || expands(glob, below))
    return expands(rest, path) || (!hidden && expands(glob, below))
  }
  return name !== undefined && spells(part, name, true) && expands(rest, below)
}
function spells(part: string, name: string, first: boolean): boolean {
  const wild = part[0] === '*' || part[0] === '?'
  if (part === '') return name === ''
  if (first && wild && name.startsWith('.')) return false
  if (part[0] === '*') {
    return spells(part.slice(1), name, false) || (name !== '' && spells(part, name.slice(1), false))
  }
  const same = name !== '' && (part[0] === '?' || part[0] === name[0])
  return same && spells(part.slice(1), name.slice(1), false)
}

test('rows and expansion agree', () => {
  const text = (chars: readonly string[], min: number) =>
    fc.string({ unit: fc.constantFrom(...chars), minLength: min, maxLength: 4 })
  const part = fc.oneof(fc.constant('**'), text(['a', 'b', '.', '*', '?'], 1))
  const glob = fc.array(part, { minLength: 1, maxLength: 4 })
  const path = fc.array(text(['a', 'b', '.'], 1), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(glob, path, (parts, names) => {
      const found = matched(parts.join('/'), [names.join('/')]).length === 1
      expect(found).toBe(expands(parts, names))
    }),
    { seed: 7, numRuns: 20_000 },
  )
})
