import { fullGC, heapSize, heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LexicalIndex, type RecordText } from '../../src/domain/lexical.ts'
import type { RecordId } from '../../src/domain/record.ts'

const ids = ['r:1', 'r:2', 'r:3', 'r:4'] as RecordId[]
const anchor = fc.record({
  path: fc.constantFrom('a.ts', 'b.ts', 'ü.ts'),
  symbol: fc.constantFrom(null, '', 'A.b', 'é'),
  hash: fc.constantFrom(null, 'aa', 'bb'),
})
const added = fc.record({
  id: fc.constantFrom(...ids),
  position: fc.nat(9),
  anchors: fc.array(anchor, { maxLength: 4 }),
})

test('records come, go and come again as in a Map', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(added, fc.constantFrom(...ids)), { maxLength: 12 }), (steps) => {
      const index = new LexicalIndex()
      const model = new Map<RecordId, RecordText>()
      for (const step of steps) {
        if (typeof step === 'string') {
          index.removeRecord(step)
          model.delete(step)
          continue
        }
        const record = { ...step, summary: 'use locks', body: '' }
        index.addRecord(record)
        if (!model.has(record.id)) model.set(record.id, record)
      }
      const everything = index.recordView()
      expect(ids.filter((id) => index.hasRecord(id))).toEqual(ids.filter((id) => model.has(id)))
      expect(index.recordIds(everything, 4).sort()).toEqual(
        ids.filter((id) => (model.get(id)?.position ?? 0) > 4),
      )
      expect(sorted(index.anchors())).toEqual(
        sorted([...model.values()].flatMap(({ anchors }) => anchors)),
      )
      for (const path of ['a.ts', 'b.ts', 'ü.ts', 'c.ts']) {
        const found = index.anchoredAt(everything, [path, path]).map(plain)
        const expected = [...model.values()].filter(({ anchors }) =>
          anchors.some((each) => each.path === path),
        )
        expect(sorted(found)).toEqual(sorted(expected.map(plain)))
      }
      const hits = index.searchRecords(everything, [{ term: 'lock', weight: 1 }], 9)
      expect(sorted(hits.map(({ id, anchors }) => ({ id, anchors })))).toEqual(
        sorted([...model.values()].map(({ id, anchors }) => ({ id, anchors }))),
      )
    }),
    { seed: 7, numRuns: 300 },
  )
})

function plain({ id, position, anchors }: Pick<RecordText, 'id' | 'position' | 'anchors'>) {
  return { id, position, anchors }
}

function sorted(items: Iterable<unknown>): string[] {
  return [...items].map((item) => JSON.stringify(item)).sort()
}

const RECORDS = 100_000
/** Of which postings take 180; held as objects, such records took 990 bytes and eleven objects each. */
const BYTES_A_RECORD = 550
const OBJECTS_A_RECORD = 3

test('a hundred thousand records take a bounded part of the memory, and few objects', () => {
  fullGC()
  const before = { bytes: heapSize(), objects: heapStats().objectCount }
  const index = new LexicalIndex()
  for (let n = 0; n < RECORDS; n++) {
    const words = Array.from({ length: 8 }, (_, at) => `word${(n * 31 + at * 7_919) % 20_000}`)
    index.addRecord({
      id: `r:${n.toString(16).padStart(8, '0')}` as RecordId,
      ...{ position: n, summary: words.join(' '), body: '' },
      anchors: [
        { path: `src/part${n % 40}/file${n % 20_000}.ts`, symbol: `Thing.run${n % 5_000}` },
      ],
    })
  }
  fullGC()
  const bytes = heapSize() - before.bytes
  const objects = heapStats().objectCount - before.objects
  expect(index.size.records).toBe(RECORDS)
  expect(bytes / RECORDS).toBeLessThan(BYTES_A_RECORD)
  expect(objects / RECORDS).toBeLessThan(OBJECTS_A_RECORD)
})
