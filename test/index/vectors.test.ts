import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSemanticFault } from '../../src/index/semantic-fault.ts'
import { MemoryVectors } from '../../src/index/vectors.ts'
import { expected, randomEntries, randomVector, SUITE_DIMS, vectorSuite } from './vector-suite.ts'

describe('vectors in the daemon', () => {
  const shared = new MemoryVectors()
  vectorSuite(
    () => shared,
    (name) => name,
  )
})

test('whatever comes and goes, the list is that of what is there', async () => {
  const pool = randomEntries(30, 20)
  const step = fc.record({
    put: fc.subarray(pool),
    take: fc.subarray(pool),
    limit: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(1_000),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const index = new MemoryVectors()
      const there = new Set<(typeof pool)[number]>()
      for (const { put, take, limit, seed } of steps) {
        await index.upsert('r', put, null)
        for (const entry of put) there.add(entry)
        await index.delete(
          'r',
          take.map(({ key }) => key),
        )
        for (const entry of take) there.delete(entry)
        const query = randomVector(seed)
        expect(await index.search('r', query, null, limit)).toEqual(
          expected([...there], query).slice(0, limit),
        )
      }
    }),
    { seed: 44, numRuns: 60 },
  )
})

test('a list of keys that is searched again finds what came and went since', async () => {
  const index = new MemoryVectors()
  const entries = randomEntries(5, 22)
  const keys = entries.map(({ key }) => key)
  const query = randomVector(3)
  await index.upsert('r', entries.slice(0, 3), null)
  expect(await index.search('r', query, keys, 9)).toEqual(expected(entries.slice(0, 3), query))
  await index.upsert('r', entries.slice(3), null)
  expect(await index.search('r', query, keys, 9)).toEqual(expected(entries, query))
  await index.delete('r', keys.slice(0, 2))
  expect(await index.search('r', query, keys, 9)).toEqual(expected(entries.slice(2), query))
})

test('memory has a bound, and what is given back can be taken again', async () => {
  const index = new MemoryVectors(10 * SUITE_DIMS)
  const entries = randomEntries(11, 21)
  await index.upsert('a', entries.slice(0, 6), 1)
  await index.upsert('b', entries.slice(0, 4), 1)
  const thrown = await index.upsert('b', entries.slice(4, 5), 2).catch((error: unknown) => error)
  expect(isSemanticFault(thrown) && thrown.detail.reason).toBe('vectors_full')
  expect(await index.position('b')).toBe(1)
  await index.upsert('a', entries.slice(0, 6), 2)
  await index.delete('a', [entries[0]!.key, entries[0]!.key])
  await index.upsert('b', entries.slice(4, 5), 3)
  await index.clear('a')
  await index.upsert('b', entries.slice(5, 10), 4)
  expect(await index.count('b')).toBe(10)
})
