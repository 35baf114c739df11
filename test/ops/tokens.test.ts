import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import o200k from 'tiktoken/encoders/o200k_base.json' with { type: 'json' }
import { Tiktoken } from 'tiktoken/lite/init'
import { countTokens } from '../support/token-count.ts'

setDefaultTimeout(60_000)

// The library by itself, without what makes counting fast here. Its code was loaded with the counter:
// a second copy of it would take the first one's memory away.
const encoder = new Tiktoken(o200k.bpe_ranks, o200k.special_tokens, o200k.pat_str)
const expected = (text: string): number => encoder.encode_ordinary(text).length

const TEXTS = [
  '',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '\t',
  'a',
  'Hello, world!',
  'hello  world   again',
  "it's we're I'll they've I'd I'm DON'T WE'RE x'S",
  "''s '' 'tis 'll",
  '<|endoftext|>',
  '<|endofprompt|><|fim_prefix|>',
  '## Decisions & dead ends\n',
  'receipt: rcp:0a1b2c3d\n',
  '- s:deadbeef src/domain/pack.ts:12-40 buildPack\n',
  'L12-40 export function fillSection(items: readonly BudgetItem[]): SectionFill // Fills one.\n',
  'camelCase PascalCase snake_case SCREAMING_CASE kebab-case HTTPServer2 parseURLs',
  '1 12 123 1234 12345 1234567890 3.14159 0xdeadbeef 1_000_000 2031-01-01T00:00:00Z',
  '/usr/local/bin ./a ../b C:\\x\\y file:///a//b',
  'a/\n/b\n//c\r\n///',
  '!!!???...,,,;;;:::',
  '()[]{}<>=>==!=&&||',
  '"quoted" `code` \'single\'',
  '```ts\nconst a = 1\n```\n',
  '{"a":[1,2,{"b":null}],"c":"d\\n"}',
  'if (a) {\n    b()\n        c()\n}\n',
  '\tif a:\n\t\treturn b\n',
  'x'.repeat(50),
  'X'.repeat(50),
  'xY'.repeat(60),
  'ab12'.repeat(50),
  ' '.repeat(100),
  '\n'.repeat(60),
  ' \n \n  \n',
  '-'.repeat(81),
  '='.repeat(200),
  '#'.repeat(7),
  '0'.repeat(100),
  'trailing space ',
  ' leading space',
  'a \n b \r\n c \r d',
  '\u000b\u000c\u001c\u001f\u007f',
  'a\0b',
  '\u001b[31mred\u001b[0m',
  'Größe naïve café Ærøskøbing İstanbul ſharp ẞ',
  "l'été d'où qu'il ſ's",
  'e\u0301a\u0308',
  'Привет, мир! Ёлка',
  'Καλημέρα κόσμε',
  'שלום עולם',
  'مرحبا بالعالم',
  'नमस्ते दुनिया',
  'สวัสดีชาวโลก',
  '你好，世界。这是一个测试',
  'こんにちは世界、テストです',
  '안녕하세요 세계',
  '😀 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️',
  'mixed 日本語 and English, then 😀!',
  '\u00a0\u2003\u3000',
  '\u2028\u2029\u0085',
  '\ufeffBOM',
  '\ud800 lone \udc00',
  '“curly” — dash … ellipsis',
  'ǅ ǈ ʰ ª º',
  '½ ² Ⅷ ①',
  'x'.repeat(700),
  'one two three four '.repeat(60),
]

describe('the counter counts as encode_ordinary does', () => {
  test.each(TEXTS.map((text) => [text]))('%j', (text) => {
    expect(countTokens(text)).toBe(expected(text))
    // Once more from memory.
    expect(countTokens(text)).toBe(expected(text))
  })

  const same = (text: string) => expect(countTokens(text)).toBe(expected(text))

  test('on any ASCII, where it cuts the text itself', () => {
    const char = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...'aZstTmMrReEvVlLdD019') },
      { weight: 2, arbitrary: fc.constantFrom(..."'' \n\r\t/.,-_\"({#") },
      { weight: 1, arbitrary: fc.nat(127).map((code) => String.fromCharCode(code)) },
    )
    fc.assert(fc.property(fc.string({ unit: char, maxLength: 90 }), same), {
      ...{ seed: 61, numRuns: 3_000 },
    })
  })

  test('on a long text, of which it knows some lines', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
      fc.constantFrom(...TEXTS, '/', ' ', '\u0085', '\ufeff', 'a…', ' …a b', 'né à Orléans'),
    )
    const end = fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n', '\n ')
    const lines = fc.array(
      fc.tuple(line, end).map(([text, ending]) => text + ending),
      { minLength: 20, maxLength: 60 },
    )
    const long = (parts: readonly string[]) => {
      for (const part of parts.slice(0, 10)) countTokens(part)
      same(parts.join(''))
      same(parts.join('').trimEnd())
    }
    fc.assert(fc.property(lines, long), { seed: 64, numRuns: 300 })
  })

  test('on any Unicode', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.array(fc.constantFrom(...TEXTS), { maxLength: 6 }).map((parts) => parts.join('')),
    )
    fc.assert(fc.property(text, same), { seed: 62, numRuns: 1_000 })
  })
})

test('blocks add up: a line end before what is neither white space nor a slash is a border', () => {
  const line = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom(...TEXTS))
  const block = line
    .map((text) => text.replace(/\s+/g, ' ').trim().replace(/^\/+/, ''))
    .filter((text) => text !== '' && !/^[\s/]/.test(text))
    .map((text) => `${text}\n`)
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
      const sum = blocks.reduce((total, text) => total + countTokens(text), 0)
      expect(countTokens(blocks.join(''))).toBe(sum)
    }),
    { seed: 63, numRuns: 500 },
  )
})
