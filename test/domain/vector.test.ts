import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DIMS_MAX, dot, quantise } from '../../src/domain/vector.ts'

const direction = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: 2,
  maxLength: 400,
})

test('a direction becomes int8 of one length, whatever its own', () => {
  expect(quantise([3, 4])).toEqual(Int8Array.of(24, 32))
  expect(quantise([0.000_3, 0.000_4])).toEqual(Int8Array.of(24, 32))
})

test('what has no direction has no vector', () => {
  expect([quantise([]), quantise([0, 0]), quantise([1, Number.NaN])]).toEqual([null, null, null])
  expect(quantise([1, Number.POSITIVE_INFINITY])).toBeNull()
})

test('a component far out of the ordinary is cut, not wrapped', () => {
  const spike = Array.from({ length: 400 }, (_, at) => (at === 0 ? 1 : 0.001))
  expect(quantise(spike)![0]).toBe(127)
})

test('the dot product is the plain sum, at any place and length', () => {
  fc.assert(
    fc.property(direction, fc.nat(9), (values, at) => {
      const vector = quantise(values)
      if (vector === null) return
      const row = new Int8Array(at + vector.length)
      row.set(vector.toReversed(), at)
      const sum = vector.reduce((so, value, i) => so + value * row[at + i]!, 0)
      expect(dot(vector, row, at)).toBe(sum)
    }),
    { seed: 41, numRuns: 300 },
  )
})

test('a dot product is exact as float32, in whatever order it is summed', () => {
  fc.assert(
    fc.property(direction, (values) => {
      const wide = Array.from({ length: DIMS_MAX }, (_, at) => values[at % values.length]!)
      const vector = quantise(wide)
      if (vector === null) return
      let backwards = Math.fround(0)
      for (let i = DIMS_MAX - 1; i >= 0; i--) {
        backwards = Math.fround(backwards + Math.fround(vector[i]! * vector[i]!))
      }
      expect(backwards).toBe(dot(vector, vector, 0))
    }),
    { seed: 42, numRuns: 30 },
  )
})
