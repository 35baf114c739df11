import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cutTo, twoColumns, wrap } from '../../src/cli/columns.ts'
import { relativeTime } from '../../src/cli/relative-time.ts'
import { prose, visible, visibleJson, visibleLine } from '../../src/cli/visible.ts'

describe('text of others', () => {
  const SHOWN: readonly (readonly [text: string, shown: string])[] = [
    ['plain é 修 🦊 👩\u200d💻 می\u200cخواهم', 'plain é 修 🦊 👩\u200d💻 می\u200cخواهم'],
    ['\x1b[31mred\x1b[0m', '^[[31mred^[[0m'],
    ['\x00\x07\x08\x7f', '^@^G^H^?'],
    ['one\r\ntwo\tthree\n', 'one^M\ntwo\tthree\n'],
    ['\x9b1m\x85', '<U+009B>1m<U+0085>'],
    ['a\u202eb\u2066c\u061cd', 'a<U+202E>b<U+2066>c<U+061C>d'],
    ['a\u200bb\ufeffc\u2028d\u{e0041}e', 'a<U+200B>b<U+FEFF>c<U+2028>d<U+E0041>e'],
  ]
  for (const [text, shown] of SHOWN) {
    test(JSON.stringify(text), () => expect(visible(text)).toBe(shown))
  }

  test('on one line', () => {
    expect(visibleLine('a\nb\tc d')).toBe('a^Jb^Ic d')
    expect(prose('  a\r\n\n b\t\x1bc ')).toBe('a b ^[c')
  })

  test('as JSON it is the same value', () => {
    const value = fc.string({ unit: 'binary', maxLength: 40 })
    fc.assert(
      fc.property(value, (text) => {
        const json = visibleJson(JSON.stringify({ text }))
        expect(JSON.parse(json)).toEqual({ text })
        expect(json).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\ufeff]/u)
      }),
      { seed: 11, numRuns: 500 },
    )
  })
})

describe('times', () => {
  const now = Date.UTC(2026, 0, 2, 12)
  const TIMES: readonly (readonly [instant: string, shown: string])[] = [
    ['2026-01-02T11:59:51.000Z', 'just now'],
    ['2026-01-02T11:59:50.000Z', '10 seconds ago'],
    ['2026-01-02T11:59:00.000Z', '1 minute ago'],
    ['2026-01-02T11:00:01.000Z', '59 minutes ago'],
    ['2026-01-02T09:30:00.000Z', '2 hours ago'],
    ['2026-01-01T12:00:00.000Z', '1 day ago'],
    ['2025-12-04T12:00:00.000Z', '29 days ago'],
    ['2025-12-03T12:00:00.000Z', '2025-12-03'],
    ['2026-01-02T12:20:30.000Z', 'in 20 minutes'],
    ['2026-03-01T00:00:00.000Z', '2026-03-01'],
    ['soon', 'soon'],
  ]
  for (const [instant, shown] of TIMES) {
    test(instant, () => expect(relativeTime(instant, now)).toBe(shown))
  }
})

describe('columns', () => {
  test('words are wrapped, and stay whole', () => {
    expect(wrap('aa bb cc', 5)).toEqual(['aa bb', 'cc'])
    expect(wrap('aaaaaaaa b', 5)).toEqual(['aaaaaaaa', 'b'])
  })

  test('tables share the width of their left column', () => {
    const long = 'x'.repeat(35)
    expect(
      twoColumns(
        [
          [['a', 'one two three four five six']],
          [
            ['bbb', 'x'],
            [long, 'y'],
          ],
        ],
        30,
      ),
    ).toEqual(['  a    one two three four five\n       six\n', `  bbb  x\n  ${long}\n       y\n`])
  })

  test('a line is cut by what it takes on the screen', () => {
    expect(cutTo(5, 'abcde')).toBe('abcde')
    expect(cutTo(5, 'abcdef')).toBe('abcd…')
    expect(cutTo(5, '修复竞争')).toBe('修复…')
  })
})
