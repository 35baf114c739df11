import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Group, Postings } from '../../src/domain/postings.ts'

const COMMON = 0
const RARE = 700

test('a term gives back its postings in their order, however long the chain of chunks', () => {
  const postings = new Postings()
  const expected: number[] = []
  // Over two blocks, and many times over the largest chunk.
  for (let doc = 0; doc < 300_000; doc++) {
    const count = 1 + (doc % 300)
    const ids = doc % 50_000 === 0 ? [COMMON, RARE] : [COMMON]
    postings.add([{ ids, counts: ids.map(() => count) }])
    expected.push(doc * 256 + Math.min(count, 255))
  }
  const room = new Uint32Array(postings.numbers)
  const of = (term: number) => {
    const found = postings.collect(term, postings.everything().mask, room)
    return room.slice(0, found)
  }
  expect(of(COMMON)).toEqual(Uint32Array.from(expected))
  expect([...of(RARE)].map((posting) => posting >>> 8)).toEqual(
    [0, 1, 2, 3, 4, 5].map((n) => n * 50_000),
  )
  expect([of(RARE + 1).length, of(1_000_000).length]).toEqual([0, 0])
})

test('adding, removing and sweeping out leave what a list of documents would hold', () => {
  const document = fc.uniqueArray(fc.nat(9), { maxLength: 6 })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: fc.array(document, { maxLength: 400 }) }) },
    { weight: 3, arbitrary: fc.record({ remove: fc.nat() }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const postings = new Postings()
      const model = new Map<number, { group: Group; documents: number[][] }>()
      let owner = 0
      for (const each of steps) {
        if ('add' in each) {
          const documents = each.add.map((ids) => ({ ids, counts: ids.map((id) => id + 1) }))
          model.set(owner, { group: postings.add(documents, owner), documents: each.add })
          owner++
          continue
        }
        const key = [...model.keys()][each.remove % Math.max(1, model.size)]
        if (key === undefined) continue
        postings.remove(model.get(key)!.group)
        model.delete(key)
      }
      const { mask } = postings.everything()
      const room = new Uint32Array(postings.numbers)
      for (let term = 0; term < 10; term++) {
        const found = postings.collect(term, mask, room)
        const places = [...room.slice(0, found)].map((posting) => {
          const group = postings.groupAt(posting >>> 8)!
          return [group.owner, (posting >>> 8) - group.start, posting & 255]
        })
        const expected = [...model].flatMap(([key, { documents }]) =>
          documents.flatMap((ids, at) => (ids.includes(term) ? [[key, at, term + 1]] : [])),
        )
        expect(places).toEqual(expected)
      }
    }),
    { seed: 6, numRuns: 60 },
  )
})
