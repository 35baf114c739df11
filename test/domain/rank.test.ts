import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareBytes } from '../../src/domain/order.ts'
import { fuse, fusedScore, ranking, scaled } from '../../src/domain/rank.ts'

const lists = fc.dictionary(
  fc.constantFrom('words', 'symbols', 'records'),
  fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', '😀', '\uffff')),
)
const weights = { words: 1_000, symbols: 500, records: 150 }

test('what a list ranks r-th gets weight × 1,000,000 / (20 + r) from it, rounded down', () => {
  const found = fuse(
    { words: ranking(['a', 'b']), symbols: ranking(['b', 'c']), unknown: ranking(['c']) },
    weights,
    compareBytes,
  )
  expect(found).toEqual([
    { key: 'b', ranks: { words: 2, symbols: 1 }, score: 45_454_545 + 23_809_523 },
    { key: 'a', ranks: { words: 1 }, score: 47_619_047 },
    { key: 'c', ranks: { symbols: 2, unknown: 1 }, score: 22_727_272 },
  ])
})

test('of equal scores the first is the one whose key comes first by bytes', () => {
  const one = new Map([
    ['😀', 1],
    ['\uffff', 1],
    ['b', 1],
    ['a', 1],
  ])
  const order = fuse({ words: one }, weights, compareBytes).map(({ key }) => key)
  expect(order).toEqual(['a', 'b', '\uffff', '😀'])
})

test('neither the order of the lists nor that of their entries changes a byte', () => {
  fc.assert(
    fc.property(lists, (given) => {
      const ranks = Object.entries(given).map(([list, keys]) => [list, ranking(keys)] as const)
      const turned = ranks
        .toReversed()
        .map(([list, of]) => [list, new Map([...of].toReversed())] as const)
      const a = fuse(Object.fromEntries(ranks), weights, compareBytes)
      const b = fuse(Object.fromEntries(turned), weights, compareBytes)
      expect(JSON.stringify(b)).toBe(JSON.stringify(a))
    }),
    { seed: 31, numRuns: 300 },
  )
})

test('scores are whole, best first, and recomputed from the ranks alone', () => {
  fc.assert(
    fc.property(lists, (given) => {
      const ranks = Object.entries(given).map(([list, keys]) => [list, ranking(keys)])
      const found = fuse(Object.fromEntries(ranks), weights, compareBytes)
      expect(new Set(found.map(({ key }) => key))).toEqual(new Set(Object.values(given).flat()))
      for (const [at, { score, ranks: of }] of found.entries()) {
        expect(Number.isSafeInteger(score)).toBe(true)
        expect(fusedScore(of, weights)).toBe(score)
        expect(score).toBeLessThanOrEqual(found[at - 1]?.score ?? Number.POSITIVE_INFINITY)
      }
    }),
    { seed: 32, numRuns: 300 },
  )
})

test('a ranking counts from 1, and a key has its first place', () => {
  expect([...ranking(['x', 'y', 'x', 'z'])]).toEqual([
    ['x', 1],
    ['y', 2],
    ['z', 3],
  ])
})

test('a factor in thousandths is rounded down', () => {
  expect(scaled(16_393_442, 730)).toBe(11_967_212)
  expect(scaled(1, 999)).toBe(0)
})
