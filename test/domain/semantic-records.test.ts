import { expect, test } from 'bun:test'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import { selectCandidates } from '../../src/domain/pack-select.ts'
import { queryOf } from '../../src/domain/query.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { surroundings } from '../../src/domain/semantic-around.ts'
import { areWhole, RECORDS_WHOLE_MAX, recordsAround } from '../../src/domain/semantic-records.ts'
import { terms } from '../../src/domain/terms.ts'

type Recorded = { readonly summary: string; readonly path?: string; readonly hash?: string }

function world(records: readonly Recorded[], order = records.map((_, at) => at)) {
  const lexical = new LexicalIndex()
  for (const path of ['src/login.ts', 'src/paint.ts']) lexical.addFile(path, fileOf(path))
  for (const at of order) {
    const { summary, path, hash = null } = records[at]!
    lexical.addRecord({
      ...{ id: `r:${at}` as RecordId, position: at + 1, summary, body: '' },
      anchors: path === undefined ? [] : [{ path, symbol: null, hash }],
    })
  }
  const paths = ['src/login.ts', 'src/paint.ts']
  const view = lexical.view(paths.map((path) => ({ path, blob: path as BlobId })))
  return { lexical, view, records: lexical.recordView() }
}

function fileOf(path: string): FileIndex {
  const words = [...new Set(terms(path))]
  return {
    ...{ blob: path as BlobId, status: 'parsed', hash: `hash of ${path}`, bytes: 1, lines: 9 },
    ...{ language: 'typescript', words, counts: words.map(() => 1), symbols: [] },
  }
}

function around({ lexical, view, records }: ReturnType<typeof world>, goal: string) {
  const query = queryOf(goal, [])
  const found = recordsAround(
    ...([lexical, view, records, query] as const),
    surroundings(lexical, view, records, query),
  )
  return [...found].sort()
}

test('up to 20,000 current records all are compared', () => {
  const { lexical, records } = world([])
  const add = (at: number) =>
    lexical.addRecord({
      ...{ id: `r:${at}` as RecordId, position: at, summary: '', body: '', anchors: [] },
    })
  for (let at = 0; at < RECORDS_WHOLE_MAX; at++) add(at)
  expect(areWhole(records)).toBe(true)
  add(RECORDS_WHOLE_MAX)
  expect(areWhole(records)).toBe(false)
  lexical.removeRecord('r:7' as RecordId)
  expect(areWhole(records)).toBe(true)
})

test('of more, those that share a word, and those at files around, wherever these stood then', () => {
  const recorded = [
    { summary: 'Rotate the session key' },
    { summary: 'Nothing in common', path: 'src/login.ts' },
    { summary: 'Nothing in common', path: 'src/paint.ts' },
    { summary: 'Nothing either', path: 'src/sign-in.ts', hash: 'hash of src/login.ts' },
    { summary: 'Elsewhere', path: 'src/gone.ts', hash: 'another' },
    { summary: 'Session of a login', path: 'src/login.ts' },
  ]
  // The last one's words lead to its file, and that to what else was said of it.
  const expected = ['r:0', 'r:1', 'r:3', 'r:5']
  expect<string[]>(around(world(recorded), 'session')).toEqual(expected)
  expect<string[]>(around(world(recorded, [5, 3, 1, 0, 2, 4]), 'session')).toEqual(expected)
})

test('a bound keeps the best by words and the newest of those around', () => {
  const many = [
    ...Array.from({ length: 400 }, (_, at) => ({ summary: at < 390 ? 'session' : 'session key' })),
    ...Array.from({ length: 300 }, () => ({ summary: 'other', path: 'src/login.ts' })),
    { summary: 'session key', path: 'src/login.ts' },
  ]
  const found = around(world(many), 'session key')
  const numbers = found.map((id) => Number(id.slice(2)))
  const isOther = (at: number) => at >= 400 && at < 700
  expect(numbers.filter((at) => !isOther(at)).length).toBe(300)
  expect(numbers.filter((at) => at >= 390 && at < 400).length).toBe(10)
  // The newest 200 at that file; one of them the words found as well.
  expect(numbers.filter(isOther).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 199 }, (_, at) => 501 + at),
  )
})

test('a record that is only close in meaning is a candidate, and says by which list', () => {
  const { lexical, view, records } = world([{ summary: 'Paint dries' }, { summary: 'Log in' }])
  const { records: ranked } = selectCandidates({
    ...{ index: lexical, view, records, goal: 'Paint', focus: [], changed: [] },
    ...{ ownRecords: [], ownPaths: [] },
    semantic: { files: [], symbols: [], records: ['r:1' as RecordId, 'r:0' as RecordId] },
  })
  expect(ranked).toEqual([
    { id: 'r:0' as RecordId, ranks: { semantic: 2, words: 1 } },
    { id: 'r:1' as RecordId, ranks: { semantic: 1 } },
  ])
})
