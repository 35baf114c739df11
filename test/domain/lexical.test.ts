import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { LexicalIndex, symbolsOf } from '../../src/domain/lexical.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { terms } from '../../src/domain/terms.ts'

/** A file of one symbol a line, each named by its first word. */
function file(blob: string, lines: readonly string[]): FileIndex {
  const words = [...new Set(lines.flatMap((line) => terms(line)))]
  const count = (text: string) => {
    const found = terms(text)
    return words.map((word) => found.filter((term) => term === word).length)
  }
  return {
    ...{ blob: blob as BlobId, language: 'typescript', status: 'parsed', hash: 'h' },
    ...{ bytes: 1, lines: lines.length, words, counts: count(lines.join('\n')) },
    symbols: lines.map((line, at) => ({
      ...{ name: line.split(' ')[0] ?? '', kind: 'function', line: at + 1, endLine: at + 1 },
      ...{ signature: line, doc: '', hash: `h${at}` },
      words: count(line).flatMap((times, word) => (times === 0 ? [] : [word, times])),
    })),
  }
}

const query = (text: string) => [...new Set(terms(text))].map((term) => ({ term, weight: 1 }))
const record = (id: string, position: number, summary: string, paths: readonly string[] = []) => ({
  ...{ id: id as RecordId, position, summary, body: '' },
  anchors: paths.map((path) => ({ path, symbol: null })),
})

test('finds files and symbols, also by their path, in the order of their scores', () => {
  const index = new LexicalIndex()
  index.addFile('src/login.ts', file('a', ['verify token', 'refresh session']))
  index.addFile('src/cart.ts', file('b', ['total price', 'verify price']))
  const view = index.view([
    { path: 'src/cart.ts', blob: 'b' as BlobId },
    { path: 'src/login.ts', blob: 'a' as BlobId },
  ])
  expect(index.searchFiles(view, query('login verify'), 9).map(({ path }) => path)).toEqual([
    'src/login.ts',
    'src/cart.ts',
  ])
  const [best] = index.searchSymbols(view, query('refresh session'), 9)
  expect(best).toMatchObject({ path: 'src/login.ts', ordinal: 1 })
  expect(symbolsOf(view.byPath.get('src/login.ts')!)[1]).toMatchObject({ name: 'refresh', line: 2 })
})

const word = fc.constantFrom('ant', 'bee', 'cat', 'dog', 'eel')
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
const lines = fc.array(line, { maxLength: 4 })

test('what another branch holds, and in what order it came, changes nothing', () => {
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 6 }),
      fc.array(lines, { maxLength: 6 }),
      line,
      fc.boolean(),
      (mine, others, asked, remove) => {
        const own = mine.map((of, at) => ({ path: `p${at}`, index: file(`m${at}`, of) }))
        const beside = others.map((of, at) => ({ path: `p${at}`, index: file(`o${at}`, of) }))
        const entries = own.map(({ path, index }) => ({ path, blob: index.blob }))
        const found = (added: typeof own, gone: typeof own) => {
          const index = new LexicalIndex()
          for (const { path, index: of } of added) index.addFile(path, of)
          const view = index.view(entries)
          for (const { path, index: of } of gone) index.removeFile(path, of.blob)
          return JSON.stringify([
            index.searchFiles(view, query(asked), 4),
            index.searchSymbols(view, query(asked), 4),
          ])
        }
        const alone = found(own, [])
        expect(found([...beside, ...own].reverse(), remove ? beside : [])).toBe(alone)
      },
    ),
    { seed: 3, numRuns: 200 },
  )
})

test('a view counts what it lacks, and outlives the files that it names', () => {
  const index = new LexicalIndex()
  index.addFile('a.ts', file('a', ['ant bee']))
  const view = index.view([
    { path: 'a.ts', blob: 'a' as BlobId },
    { path: 'b.ts', blob: 'b' as BlobId },
  ])
  expect(view.missing).toBe(1)
  index.removeFile('a.ts', 'a' as BlobId)
  expect(index.searchFiles(view, query('ant'), 9)).toEqual([])
})

test('records are found by words, newest first when equal, and only those of the view', () => {
  const index = new LexicalIndex()
  index.addRecord(record('r:1', 1, 'use locks'))
  index.addRecord(record('r:2', 2, 'use locks'))
  index.addRecord(record('r:3', 3, 'drop caches', ['src/a.ts']))
  const ids = (view = index.recordView()) =>
    index.searchRecords(view, query('locks'), 9).map(({ id }) => String(id))
  expect(ids()).toEqual(['r:2', 'r:1'])
  expect(ids(index.recordView(['r:1' as RecordId]))).toEqual(['r:1'])
  index.removeRecord('r:2' as RecordId)
  expect(ids()).toEqual(['r:1'])
  expect(
    index.anchoredAt(index.recordView(), ['src/a.ts', 'src/b.ts']).map(({ id }) => id),
  ).toEqual(['r:3' as RecordId])
})
