import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nthHighest } from '../../src/domain/nth-highest.ts'

test('is what stands in that place of the sorted numbers, which stay as they were', () => {
  const few = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 200 })
  const any = fc.array(
    fc.maxSafeNat().map((n) => n | 0),
    { minLength: 1, maxLength: 200 },
  )
  fc.assert(
    fc.property(fc.oneof(few, any), fc.integer({ min: 1, max: 220 }), (numbers, n) => {
      const given = Int32Array.from(numbers)
      const sorted = numbers.toSorted((a, b) => b - a)
      expect(nthHighest(given, n)).toBe(sorted[Math.min(n, sorted.length) - 1]!)
      expect([...given]).toEqual(numbers)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('there is no number before the first, and none of none', () => {
  expect(() => nthHighest(Int32Array.of(1), 0)).toThrow(RangeError)
  expect(() => nthHighest(new Int32Array(0), 1)).toThrow(RangeError)
})
