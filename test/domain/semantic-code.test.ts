import { describe, expect, test } from 'bun:test'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import { selectCandidates } from '../../src/domain/pack-select.ts'
import { queryOf } from '../../src/domain/query.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { surroundings } from '../../src/domain/semantic-around.ts'
import { codeAround, isWhole, wholeCode } from '../../src/domain/semantic-code.ts'
import { terms } from '../../src/domain/terms.ts'

const FILES = [
  ['src/login.ts', 'verify', 'verify the password of a login'],
  ['src/paint.ts', 'mix', 'mix the colours of a paint'],
  ['src/total.ts', 'total', 'sum the prices of a cart'],
] as const

function world(files: typeof FILES | readonly (typeof FILES)[number][] = FILES) {
  const lexical = new LexicalIndex()
  for (const [path, name, text] of files) lexical.addFile(path, fileOf(path, name, text))
  lexical.addRecord({
    ...{ id: 'r:old' as RecordId, position: 1, summary: 'Passwords are hashed', body: '' },
    anchors: [{ path: 'src/total.ts', symbol: null }],
  })
  const view = lexical.view(files.map(([path]) => ({ path, blob: path as BlobId })))
  return { lexical, view, records: lexical.recordView() }
}

function fileOf(path: string, name: string, text: string): FileIndex {
  const words = [...new Set(terms(text))]
  return {
    ...{ blob: path as BlobId, status: 'parsed', hash: 'h', bytes: 1, lines: 2 },
    ...{ language: 'typescript', words, counts: words.map(() => 1) },
    symbols: [
      {
        ...{ name, kind: 'function', line: 1, endLine: 2, signature: `${name}()`, doc: '' },
        ...{ hash: 'h', words: words.flatMap((_, at) => [at, 1]) },
      },
    ],
  }
}

describe('code that is compared with a goal', () => {
  test('is all of a small view: each file and each symbol by its text', () => {
    const { view } = world()
    expect(isWhole(view)).toBe(true)
    const code = wholeCode(view)
    const texts = [...code.files, ...code.symbols].map((key) => code.textOf(key))
    expect(texts.sort()).toEqual([
      ...['mix()\nsrc/paint.ts', 'src/login.ts\nverify()', 'src/paint.ts\nmix()'],
      ...['src/total.ts\ntotal()', 'total()\nsrc/total.ts', 'verify()\nsrc/login.ts'],
    ])
  })

  test('of a large one is what the words find, and what found records are anchored at', () => {
    const { lexical, view, records } = world()
    const query = queryOf('hash the password', [])
    const code = codeAround(lexical, view, query, surroundings(lexical, view, records, query))
    expect(code.files.map((key) => code.textOf(key)).sort()).toEqual([
      ...['src/login.ts\nverify()', 'src/total.ts\ntotal()'],
    ])
  })

  test('comes back as places, closest first, ties by path, in whatever order it was indexed', () => {
    for (const files of [FILES, FILES.toReversed()]) {
      const code = wholeCode(world(files).view)
      const hits = (keys: typeof code.files) =>
        keys.map((key) => ({ key, score: code.textOf(key).includes('total') ? 2 : 1 }))
      expect(code.listsOf(hits(code.files), hits(code.symbols))).toEqual({
        files: ['src/total.ts', 'src/login.ts', 'src/paint.ts'],
        symbols: ['src/total.ts', 'src/login.ts', 'src/paint.ts'].map((path) => ({
          ...{ path, ordinal: 0 },
        })),
      })
    }
  })
})

test('what is only close in meaning is a candidate, and says by which list', () => {
  const { lexical, view, records } = world()
  const { files, symbols } = selectCandidates({
    ...{ index: lexical, view, records, goal: 'Verify the login', focus: [], changed: [] },
    ...{ ownRecords: [], ownPaths: [] },
    semantic: {
      ...{ files: ['src/paint.ts'], symbols: [{ path: 'src/paint.ts', ordinal: 0 }], records: [] },
    },
  })
  expect(files.map(({ path }) => path)).toEqual(['src/login.ts', 'src/paint.ts'])
  expect(files[1]?.ranks).toEqual({ semantic: 1, semanticSymbols: 1 })
  expect(symbols.map(({ symbol }) => symbol.name)).toEqual(['verify', 'mix'])
})
