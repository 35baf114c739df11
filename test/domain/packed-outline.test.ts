import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { packSymbols, unpackSymbols } from '../../src/domain/packed-file.ts'
import { OutlineReader } from '../../src/domain/packed-outline.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'é', '\u0000', '\u0001', ' ', '😀') })
const symbol = fc.record({
  ...{ name: text, signature: text, doc: text, kind: fc.constant('function' as const) },
  ...{ line: fc.nat(99), endLine: fc.nat(99), hash: fc.constantFrom('', 'h'.repeat(32)) },
  words: fc.constant([]),
})
const file = fc.array(symbol, { minLength: 1, maxLength: 8 }).map(packSymbols)

test('each symbol is read as it comes unpacked, in whatever order it is asked for', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(file, fc.nat(7)), { maxLength: 20 }), (asked) => {
      const reader = new OutlineReader()
      for (const [packed, nth] of [...asked, ...asked.toReversed()]) {
        const symbols = unpackSymbols(packed)
        const ordinal = nth % symbols.length
        const { signature, doc } = symbols[ordinal]!
        expect(reader.read(packed, ordinal)).toEqual({ signature, doc })
        for (const [at, { signature, doc }] of symbols.entries()) {
          if (at > ordinal) expect(reader.read(packed, at)).toEqual({ signature, doc })
        }
      }
    }),
    { seed: 1, numRuns: 200 },
  )
})
