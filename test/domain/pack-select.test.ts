import { describe, expect, test } from 'bun:test'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import { type SelectionInput, selectCandidates } from '../../src/domain/pack-select.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { terms } from '../../src/domain/terms.ts'

/** Files of one function each, named by `name`, whose words are those of `text`. */
const FILES: readonly (readonly [path: string, name: string, text: string])[] = [
  ['src/auth/login.ts', 'Login.verify', 'verify the password of a login'],
  ['src/auth/session.ts', 'Session.refresh', 'refresh a session token'],
  ['src/cart/total.ts', 'total', 'sum the prices of a cart'],
  ['test/auth/login.test.ts', 'verifies', 'verify the password of a login'],
  ['docs/login.md', 'Login', 'verify the password of a login'],
]

function input(change: Partial<SelectionInput> = {}): SelectionInput {
  const index = new LexicalIndex()
  for (const [path, name, text] of FILES) index.addFile(path, fileOf(path, name, text))
  index.addRecord({
    ...{ id: 'r:old' as RecordId, position: 1, summary: 'Passwords are hashed', body: '' },
    anchors: [{ path: 'src/cart/total.ts', symbol: null }],
  })
  return {
    ...{ index, view: index.view(FILES.map(([path]) => ({ path, blob: path as BlobId }))) },
    ...{ records: index.recordView(), goal: 'Verify the login password', focus: [] },
    ...{ changed: [], ownRecords: [], ownPaths: [] },
    ...change,
  }
}

function fileOf(path: string, name: string, text: string): FileIndex {
  const words = [...new Set(terms(text))]
  return {
    ...{ blob: path as BlobId, status: 'parsed', hash: 'h', bytes: 1, lines: 9 },
    language: path.endsWith('.md') ? 'markdown' : 'typescript',
    ...{ words, counts: words.map(() => 1) },
    symbols: [
      {
        ...{ name, kind: 'function', line: 3, endLine: 8, signature: name, doc: '', hash: 'h' },
        words: words.flatMap((_, at) => [at, 1]),
      },
    ],
  }
}

const paths = (change: Partial<SelectionInput> = {}) =>
  selectCandidates(input(change)).files.map(({ path }) => path)

describe('files', () => {
  test('that are code come before tests and documents that match as well', () => {
    expect(paths()[0]).toBe('src/auth/login.ts')
  })

  test('that are tests are wanted when the goal speaks of tests', () => {
    const scoreOf = (goal: string) => {
      const { files } = selectCandidates(input({ goal }))
      return files.find(({ path }) => path === 'test/auth/login.test.ts')!.factor
    }
    expect(scoreOf('Verify the login password')).toBe(500)
    expect(scoreOf('Fix the flaky test that verifies the login password')).toBe(1_000)
  })

  test('that a record with the same words is anchored at come in', () => {
    expect(paths({ goal: 'Hash passwords' })).toContain('src/cart/total.ts')
  })

  test('that the goal names are known by the end of their path', () => {
    const { files } = selectCandidates(input({ goal: 'Look at cart/total.ts again' }))
    expect(files[0]).toMatchObject({ path: 'src/cart/total.ts', ranks: { named: 1 } })
  })

  test('in focus or changed are first, whatever the goal says', () => {
    expect(paths({ focus: ['src/cart/total.ts'] })[0]).toBe('src/cart/total.ts')
    expect(paths({ focus: ['src/cart'] })[0]).toBe('src/cart/total.ts')
    expect(paths({ focus: ['Session.refresh'] })[0]).toBe('src/auth/session.ts')
    const { files } = selectCandidates(
      input({ changed: [{ path: 'src/cart/total.ts', symbols: ['total'] }] }),
    )
    expect(files.map(({ path }) => path)).toContain('src/cart/total.ts')
  })
})

test('symbols in focus or changed say so in their ranks', () => {
  const { symbols } = selectCandidates(
    input({
      focus: ['src/auth/session.ts:5'],
      changed: [{ path: 'src/cart/total.ts', symbols: ['total', 'no such'] }],
    }),
  )
  expect(symbols.find(({ path }) => path === 'src/auth/session.ts')?.ranks).toMatchObject({
    focus: 1,
  })
  expect(symbols.find(({ path }) => path === 'src/cart/total.ts')?.ranks).toMatchObject({
    changed: 1,
  })
})

test('a record is ranked by its words and by what it is anchored at', () => {
  const { records } = selectCandidates(input({ goal: 'Hash passwords in the cart total' }))
  expect(records).toEqual([{ id: 'r:old' as RecordId, ranks: { anchored: 1, words: 1 } }])
})

test('records anchored at what was changed say so: its definitions first, then by turns', () => {
  const { index } = input()
  const at = (id: string, position: number, symbol: string | null) =>
    index.addRecord({
      ...{ id: id as RecordId, position, summary: 'zebra', body: '' },
      anchors: [{ path: 'src/auth/session.ts', symbol }],
    })
  at('r:older', 2, 'Session.refresh')
  at('r:newer', 3, 'Session.refresh')
  at('r:file', 4, null)
  at('r:gone', 5, 'Session.gone')
  const ranksOf = (symbols: readonly string[]) => {
    const changed = [{ path: 'src/auth/session.ts', symbols }]
    const given = { index, records: index.recordView(), goal: 'unheard-of', changed }
    const { records } = selectCandidates(input(given))
    const ranked = records.flatMap(({ id, ranks }) => (ranks.changed ? [[id, ranks.changed]] : []))
    return Object.fromEntries(ranked)
  }
  expect(ranksOf([])).toEqual({ 'r:gone': 1, 'r:file': 2, 'r:newer': 3, 'r:older': 4 })
  const exact = { 'r:newer': 1, 'r:older': 2, 'r:gone': 3, 'r:file': 4 }
  expect(ranksOf(['Session.refresh'])).toEqual(exact)
})

test("the task's files are what it changed, names, has records on, and the first five", () => {
  const { taskFiles } = selectCandidates(
    input({
      goal: 'zebra',
      focus: ['src/auth/session.ts'],
      changed: [{ path: 'gone.ts', symbols: [] }],
      ownPaths: ['src/cart/total.ts'],
    }),
  )
  expect(taskFiles).toEqual([
    'gone.ts',
    // The focus is searched for by its words too: its folder's other files are among the first five.
    'src/auth/login.ts',
    'src/auth/session.ts',
    'src/cart/total.ts',
    'test/auth/login.test.ts',
  ])
})

test('a goal that matches nothing gives no candidates', () => {
  const { files, symbols, records } = selectCandidates(input({ goal: 'zebra' }))
  expect([files, symbols, records]).toEqual([[], [], []])
})
