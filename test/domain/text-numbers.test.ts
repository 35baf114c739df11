import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextNumbers } from '../../src/domain/text-numbers.ts'

/** Any UTF-16 units, halves of pairs among them. */
const units = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((codes) => String.fromCharCode(...codes))
const text = fc.oneof(units, fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string())

test('numbers are those of a Map, and every text comes back whole', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 300 }), fc.array(text), (given, asked) => {
      const numbers = new TextNumbers()
      const model = new Map<string, number>()
      for (const each of given) {
        if (!model.has(each)) model.set(each, model.size)
        expect(numbers.number(each)).toBe(model.get(each)!)
      }
      for (const each of [...asked, ...given]) expect(numbers.find(each)).toBe(model.get(each))
      for (const [each, number] of model) expect(numbers.text(number)).toBe(each)
      expect(numbers.size).toBe(model.size)
    }),
    { seed: 5, numRuns: 200 },
  )
})

test('a number that nobody has is refused', () => {
  const numbers = new TextNumbers()
  numbers.number('ant')
  for (const wrong of [1, -1, Number.NaN]) expect(() => numbers.text(wrong)).toThrow(RangeError)
})
