import { describe, expect, test } from 'bun:test'
import { type Anchor, symbolHash, textHash } from '../../src/domain/anchor.ts'
import { anchorIn } from '../../src/domain/anchor-moves.ts'
import { selectCandidates } from '../../src/domain/pack-select.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { indexesOf, type Texts, viewOf } from './code-of.ts'

const REFRESH = 'function refresh(now) {\n  return now + 15\n}'
const METHOD = '  refresh(now) {\n    return now + 15\n  }'
const FILE = `${REFRESH}\n`

async function stateOf(texts: Texts, anchor: Anchor, missing = 0) {
  const { view } = viewOf(await indexesOf(texts))
  return anchorIn({ lexical: view, leftOut: new Set(), missing }, anchor)
}

function symbolAnchor(path: string, symbol: string, text: string): Anchor {
  return { path, symbol, hash: symbolHash(text, symbol) }
}

const CASES: readonly (readonly [
  what: string,
  texts: Texts,
  anchor: Anchor,
  state: Awaited<ReturnType<typeof stateOf>>,
])[] = [
  [
    'where it was',
    { 'a.js': FILE },
    symbolAnchor('a.js', 'refresh', REFRESH),
    { mark: null, at: { path: 'a.js', symbol: 'refresh' } },
  ],
  [
    'changed in its place, though a copy of the old text stands elsewhere',
    { 'a.js': 'function refresh(now) {\n  return now\n}\n', 'b.js': FILE },
    symbolAnchor('a.js', 'refresh', REFRESH),
    { mark: 'changed', at: { path: 'a.js', symbol: 'refresh' } },
  ],
  [
    'in a file of another name',
    { 'lib/b.js': FILE },
    symbolAnchor('a.js', 'refresh', REFRESH),
    { mark: 'moved', at: { path: 'lib/b.js', symbol: 'refresh' } },
  ],
  [
    'taken out of a file that is still there',
    { 'a.js': 'function other() {}\n', 'b.js': FILE },
    symbolAnchor('a.js', 'refresh', REFRESH),
    { mark: 'moved', at: { path: 'b.js', symbol: 'refresh' } },
  ],
  [
    'a method of a class that got another name',
    { 'a.js': `class Visit {\n${METHOD}\n}\n` },
    symbolAnchor('a.js', 'Session.refresh', METHOD),
    { mark: 'moved', at: { path: 'a.js', symbol: 'Visit.refresh' } },
  ],
  [
    'under another name, its calls of itself too',
    { 'a.js': 'function renew(now) {\n  return now ? now : renew(15)\n}\n' },
    symbolAnchor('a.js', 'refresh', 'function refresh(now) {\n  return now ? now : refresh(15)\n}'),
    { mark: 'moved', at: { path: 'a.js', symbol: 'renew' } },
  ],
  [
    'gone, though something as short as it has another name: that says nothing',
    { 'a.js': 'function renew() {}\n' },
    symbolAnchor('a.js', 'refresh', 'function refresh() {}'),
    { mark: 'gone', at: null },
  ],
  [
    'a whole file moved',
    { 'lib/a.js': FILE },
    { path: 'a.js', symbol: null, hash: textHash(FILE) },
    { mark: 'moved', at: { path: 'lib/a.js', symbol: null } },
  ],
  [
    'of several copies the one in a file of the same name',
    { 'b/z.js': FILE, 'c/a.js': FILE },
    symbolAnchor('a.js', 'refresh', REFRESH),
    { mark: 'moved', at: { path: 'c/a.js', symbol: 'refresh' } },
  ],
  [
    'a file of which copies with other names remain: nobody knows which',
    { 'b.js': FILE, 'c.js': FILE },
    { path: 'a.js', symbol: null, hash: textHash(FILE) },
    { mark: 'gone', at: null },
  ],
  [
    'gone for good',
    { 'b.js': 'function other() {}\n' },
    symbolAnchor('a.js', 'refresh', REFRESH),
    { mark: 'gone', at: null },
  ],
  [
    'not there when it was recorded',
    { 'b.js': FILE },
    { path: 'a.js', symbol: 'refresh', hash: null },
    { mark: 'missing', at: null },
  ],
]

describe('anchored code is', () => {
  for (const [what, texts, anchor, state] of CASES) {
    test(what, async () => expect(await stateOf(texts, anchor)).toEqual(state))
  }
})

test('while files are missing from the index nobody says that code is gone or has moved', async () => {
  const anchor = symbolAnchor('a.js', 'refresh', REFRESH)
  expect((await stateOf({ 'b.js': FILE }, anchor, 1)).mark).toBeNull()
})

test('a record counts where its code is now: for the file, and among those anchored there', async () => {
  const files = await indexesOf({
    'src/visit.js': `// keeps a visit alive\n${FILE}`,
    'src/total.js': 'function total(cart) {\n  return cart.sum\n}\n',
  })
  const { index, view } = viewOf(files)
  index.addRecord({
    ...{ id: 'r:1' as RecordId, position: 1, body: '' },
    summary: 'Tokens live a quarter of an hour',
    anchors: [symbolAnchor('src/session.js', 'refresh', REFRESH)],
  })
  const select = (goal: string) =>
    selectCandidates({
      ...{ index, view, records: index.recordView(), goal, focus: [] },
      ...{ changed: [], ownRecords: [], ownPaths: [] },
    })
  const byRecord = select('How long do tokens live')
  expect(byRecord.files.map(({ path, ranks }) => [path, ranks.records])).toEqual([
    ['src/visit.js', 1],
  ])
  const byCode = select('Keep a visit alive')
  expect(byCode.records).toEqual([{ id: 'r:1' as RecordId, ranks: { anchored: 1 } }])
})
