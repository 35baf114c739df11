import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CodeSymbol } from '../../src/domain/code.ts'
import { packSymbols, unpackSymbol, unpackSymbols } from '../../src/domain/packed-file.ts'

const symbol: fc.Arbitrary<CodeSymbol> = fc.record({
  name: fc.constantFrom('open', 'File.open', 'File.close', 'ö', ''),
  kind: fc.constantFrom('function', 'method'),
  line: fc.nat(),
  endLine: fc.nat(),
  signature: fc.string(),
  doc: fc.string(),
  hash: fc.constantFrom('a', 'b'),
  words: fc.constant([]),
})

test('packed symbols come back, all or one of them, each knowing which of its name it is', () => {
  fc.assert(
    fc.property(fc.array(symbol, { maxLength: 12 }), (symbols) => {
      const packed = packSymbols(symbols)
      const listed = symbols.map(({ words: _, ...shown }, at) => ({
        ...shown,
        nth: symbols.slice(0, at).filter(({ name }) => name === shown.name).length,
      }))
      expect(unpackSymbols(packed)).toEqual(listed)
      expect(symbols.map((_, at) => unpackSymbol(packed, at))).toEqual(listed)
    }),
  )
})
