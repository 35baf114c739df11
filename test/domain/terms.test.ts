import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { terms } from '../../src/domain/terms.ts'

test.each([
  ['parseUrl', ['#parseurl', 'parse', 'url']],
  ['HTTPServer2', ['#httpserver2', 'http', 'server']],
  ['snake_case_names', ['#snake_case_names', 'snake', 'case', 'name']],
  ['_private $el', ['private', 'el']],
  ['the queries were tested', ['query', 'were', 'test']],
  ['class bus status x', ['bus', 'status']],
  ['utf8 base64', ['#utf8', 'utf', '#base64', 'base', '64']],
  ['日本語テスト 中', ['日本', '本語', '語テ', 'テス', 'スト', '中']],
  ['한국어', ['한국', '국어']],
  ['Straße हिन्दी עברית', ['straße', 'हिन्दी', 'עברית']],
  ['cafe\u0301', ['café']],
  ['a😀b \ud800', []],
])('%p becomes %p', (text, expected) => {
  expect(terms(text)).toEqual(expected)
})

test('a run that is data is no word', () => {
  expect(terms(`${'x1'.repeat(200)} word`)).toEqual(['word'])
})

test('the same text gives the same terms, memory of others or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const alone = terms(a)
      terms(b)
      expect(terms(a)).toEqual(alone)
      expect(terms(`${a}\n${b}`)).toEqual([...alone, ...terms(b)])
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('an identifier of ASCII alone is cut like one that is not', () => {
  const unit = fc.constantFrom('a', 'b', 'C', 'D', '0', '7', '_', '$', 's', 'ing')
  const plain = (term: string) => !term.startsWith('#')
  fc.assert(
    fc.property(fc.array(unit, { minLength: 2, maxLength: 12 }), (units) => {
      const run = units.join('')
      // A letter without case is a part of its own, and says nothing alone.
      expect(terms(run).filter(plain)).toEqual(terms(`${run}א`).filter(plain))
    }),
    { seed: 1, numRuns: 500 },
  )
})
