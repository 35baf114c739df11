import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Anchor, symbolHash, textHash } from '../../src/domain/anchor.ts'
import { anchorIn, anchorsIn, recordsMovedTo } from '../../src/domain/anchor-moves.ts'
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
    'a method of a class that went to another file under another name',
    { 'b.js': `class Visit {\n${METHOD}\n}\n` },
    symbolAnchor('a.js', 'Session.refresh', METHOD),
    { mark: 'moved', at: { path: 'b.js', symbol: 'Visit.refresh' } },
  ],
  [
    'a method that several other classes have just so: nobody knows which, if any',
    { 'b.js': `class Visit {\n${METHOD}\n}\n`, 'c.js': `class Stay {\n${METHOD}\n}\n` },
    symbolAnchor('a.js', 'Session.refresh', METHOD),
    { mark: 'gone', at: null },
  ],
  [
    'a method that several other classes have just so, and its own in another folder',
    { 'b.js': `class Visit {\n${METHOD}\n}\n`, 'lib/c.js': `class Session {\n${METHOD}\n}\n` },
    symbolAnchor('a.js', 'Session.refresh', METHOD),
    { mark: 'moved', at: { path: 'lib/c.js', symbol: 'Session.refresh' } },
  ],
  [
    'a getter of a class that is gone, though another class has one as short',
    { 'b.js': 'class Visit {\n  id() { return this.x }\n}\n' },
    symbolAnchor('a.js', 'Session.id', '  id() { return this.x }'),
    { mark: 'gone', at: null },
  ],
  [
    'a getter of a class that got another name in its file',
    { 'lib/a.js': 'class Visit {\n  id() { return this.x }\n}\n' },
    symbolAnchor('a.js', 'Session.id', '  id() { return this.x }'),
    { mark: 'moved', at: { path: 'lib/a.js', symbol: 'Visit.id' } },
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

describe('whatever stands where', () => {
  const PATHS = ['a.js', 'lib/a.js', 'lib/b.js']
  const NAMES = ['open', 'shut']
  const textOf = (name: string, body: number) =>
    `function ${name}(now) {\n  return now + ${body}\n}`
  const place = fc.record({ path: fc.constantFrom(...PATHS), name: fc.constantFrom(...NAMES) })
  const definition = fc.record({ name: fc.constantFrom(...NAMES), body: fc.nat(2) })
  const repository = fc.dictionary(
    fc.constantFrom(...PATHS),
    fc.uniqueArray(definition, { selector: ({ name }) => name, maxLength: 2 }),
  )
  const anchor = fc.record({ at: place, body: fc.nat(2), isFile: fc.boolean() })
  const records = fc.array(fc.array(anchor, { minLength: 1, maxLength: 2 }), { maxLength: 5 })

  test('a record is found at a place exactly when its code is told to have moved there', async () => {
    await fc.assert(
      fc.asyncProperty(repository, records, place, async (files, recorded, asked) => {
        const texts = Object.entries(files).map(([path, all]): [string, string] => [
          path,
          all.map(({ name, body }) => `${textOf(name, body)}\n`).join(''),
        ])
        const { index, view } = viewOf(await indexesOf(Object.fromEntries(texts)))
        const seen = { lexical: view, leftOut: new Set<string>(), missing: 0 }
        const anchorsOf = recorded.map((all) =>
          all.map(({ at: { path, name }, body, isFile }) => {
            const text = textOf(name, body)
            if (isFile) return { path, symbol: null, hash: textHash(text) }
            return symbolAnchor(path, name, text)
          }),
        )
        for (const [nth, anchors] of anchorsOf.entries()) {
          const id = `r:${nth}` as RecordId
          index.addRecord({ id, position: nth, summary: '', body: '', anchors })
        }
        const { path, name: symbol } = asked
        const expected = anchorsOf.flatMap((anchors, nth) => {
          const states = anchorsIn(seen, anchors)
          expect(states).toEqual(anchors.map((each) => anchorIn(seen, each)))
          const cameHere = states.some(
            ({ mark, at }) =>
              mark === 'moved' && at?.path === path && (at.symbol ?? symbol) === symbol,
          )
          return cameHere ? [`r:${nth}`] : []
        })
        const found = recordsMovedTo(index, seen, { path, symbol }).map(({ id }) => `${id}`)
        expect(found).toEqual(expected.toReversed())
      }),
      { seed: 11, numRuns: 150 },
    )
  })
})
