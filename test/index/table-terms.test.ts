import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { terms } from '../../src/domain/terms.ts'
import { TableTerms } from '../../src/index/table-terms.ts'

const ROWS = ['status', 'stat', 'code', 'cod', 'us', 'usual', '#statuscode', 'é', '語テ', 'login']
const rowOf = new Map(ROWS.map((term, row) => [term, row]))

test('rows are counted as by cutting the text into terms and looking each up', () => {
  const counted = new TableTerms(rowOf)
  const word = fc.oneof(
    fc.array(fc.constantFrom(...ROWS, 'x', 'Code'), { maxLength: 5 }).map((some) => some.join('')),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  )
  const text = fc.array(fc.tuple(word, fc.constantFrom(' ', '\n', '_')), { maxLength: 12 })
  fc.assert(
    fc.property(text, (words) => {
      const whole = words.flat().join('')
      const found = new Map<number, number>()
      counted.count(whole, (row, count) => {
        expect(found.has(row)).toBe(false)
        found.set(row, count)
      })
      expect([...found].sort()).toEqual([...plainly(whole)].sort())
    }),
    { seed: 1, numRuns: 500 },
  )
})

/** The same in the plainest way. */
function plainly(text: string): Map<number, number> {
  const counts = new Map<number, number>()
  const [first, ...rest] = text.split('\n')
  const add = (term: string, times: number) => {
    const row = rowOf.get(term)!
    counts.set(row, (counts.get(row) ?? 0) + times)
  }
  for (const [part, times] of [
    [first!, 3],
    [rest.join('\n'), 1],
  ] as const) {
    for (const term of terms(part)) {
      if (rowOf.has(term)) add(term, times)
      else for (const each of partsOf(term)) add(each, times)
    }
  }
  return counts
}

function partsOf(term: string): readonly string[] {
  if (!/^[a-z]{6,40}$/.test(term)) return []
  const parts: string[] = []
  for (let rest = term; rest !== ''; ) {
    const fits = ROWS.filter((row) => row.length >= 3 && rest.startsWith(row))
    const [longest] = fits.sort((a, b) => b.length - a.length)
    if (longest === undefined) return []
    parts.push(longest)
    rest = rest.slice(longest.length)
  }
  return parts
}
