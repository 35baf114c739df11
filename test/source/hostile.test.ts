import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { FileIndex } from '../../src/domain/code.ts'
import { LANGUAGES } from '../../src/source/languages.ts'
import { parseFile } from '../../src/source/parse-file.ts'
import { indexOf, reasonFor, sourceFile } from './indexed.ts'

const SOURCE = '/** Says it. */\nexport function hello(name: string) {\n  return name\n}\n'

describe('bytes', () => {
  test('a byte order mark changes nothing but the size', async () => {
    const plain = await indexOf('a.ts', SOURCE)
    const marked = await indexOf('a.ts', `\ufeff${SOURCE}`)
    expect({ ...marked, bytes: marked.bytes - 3 }).toEqual(plain)
  })

  test('Windows line ends change nothing but the size', async () => {
    const plain = await indexOf('a.ts', SOURCE)
    const windows = await indexOf('a.ts', SOURCE.replaceAll('\n', '\r\n'))
    expect({ ...windows, bytes: windows.bytes - 4 }).toEqual(plain)
  })

  test('text that is not UTF-8 keeps its symbols', async () => {
    const latin1 = Uint8Array.from(`// d\xe9j\xe0 vu\n${SOURCE}`, (unit) => unit.charCodeAt(0))
    const index = await indexOf('a.ts', latin1)
    expect(index.symbols.map(({ name, doc }) => [name, doc])).toEqual([['hello', 'Says it.']])
  })

  test('half a surrogate pair, as WTF-8 writes it, is replaced', async () => {
    const bytes = Buffer.concat([
      Buffer.from('// x '),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('\nfunction f() {}\n'),
    ])
    const index = await indexOf('a.js', new Uint8Array(bytes))
    expect(index.symbols.map(({ doc }) => doc)).toEqual(['x \ufffd\ufffd\ufffd'])
  })

  test('an empty file has an index', async () => {
    expect(await indexOf('a.py', '')).toMatchObject({
      language: 'python',
      status: 'parsed',
      lines: 0,
      words: [],
      symbols: [],
    })
  })

  test('a last line without its end counts', async () => {
    const { lines, symbols } = await indexOf('a.py', 'x = 1\ndef f(): pass')
    expect([lines, symbols[0]?.line, symbols[0]?.endLine]).toEqual([2, 2, 2])
  })
})

describe('size', () => {
  test('one line of a megabyte is no source', async () => {
    expect(await reasonFor('a.ts', `const a = "${'x'.repeat(1_000_000)}"\n`)).toBe('minified')
  })

  test('a line of a megabyte among others leaves the file its words', async () => {
    const text = `${'hello = 1\n'.repeat(600)}${'x+'.repeat(450_000)}\n`
    expect(await indexOf('a.py', text)).toMatchObject({
      status: 'unparsable',
      words: ['hello'],
      counts: [600],
    })
  })

  test('ten thousand definitions: the first half', async () => {
    const index = await indexOf('a.py', 'def f(): pass\n'.repeat(10_000))
    expect(index.symbols).toHaveLength(5_000)
    expect(index.symbols.at(-1)?.line).toBe(5_000)
  })

  test('definitions nested without end: the first eight levels', async () => {
    const index = await indexOf(
      'a.ts',
      `${'class A{static a=class {\n'.repeat(400)}${'}}'.repeat(400)}\n`,
    )
    expect(
      Math.max(...index.symbols.map(({ name }) => name.split('.').length)),
    ).toBeLessThanOrEqual(9)
  })

  test('what symbols share of one line is counted a bounded number of times', async () => {
    const words = Array.from({ length: 2_000 }, (_, i) => `w${i}q`).join(' ')
    const line = Array.from({ length: 500 }, (_, i) => `class C${i} { m() {} }`).join(' ')
    const index = await indexOf('a.js', `// ${words}\n${line} // ${words}\n${'\n'.repeat(50)}`)
    expect(index.symbols).toHaveLength(1_000)
    const pairs = index.symbols.reduce((sum, { words }) => sum + words.length / 2, 0)
    expect(pairs).toBeLessThan(100_000)
  })
})

describe('nesting and noise', () => {
  const grammars = LANGUAGES.filter(({ grammar }) => grammar !== null)
  const texts = {
    brackets: '['.repeat(10_000),
    braces: `{${'{\n'.repeat(9_999)}`,
    parentheses: `x = ${'('.repeat(5_000)}1${')'.repeat(5_000)}\n`,
    quotes: `"${'\'"`\n'.repeat(3_000)}`,
    operators: `a ${'< b ? c : *d & '.repeat(200)}\n`,
  }
  const cases = grammars.flatMap(({ name, extensions }) =>
    Object.entries(texts).map(
      ([what, text]) => [what, name, extensions.split(' ')[0] ?? '', text] as const,
    ),
  )
  test.each(cases)(
    '%s in %s end',
    async (_, name, extension, text) => {
      const result = await parseFile(sourceFile(`a.${extension}`, `${text}\n${'\n'.repeat(20)}`))
      expect(result.kind === 'indexed' && result.index.language).toBe(name)
    },
    30_000,
  )
})

test('a text that makes its grammar want endless memory costs only itself', async () => {
  const script = join(import.meta.dir, 'hungry-text.ts')
  const child = Bun.spawn([process.execPath, script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { hungry, next } = (await new Response(child.stdout).json()) as Record<string, FileIndex>
  expect(hungry).toMatchObject({ status: 'unparsable', symbols: [], lines: 15_000 })
  expect(next?.symbols.map(({ name }) => name)).toEqual(['hello'])
  expect(await child.exited).toBe(0)
}, 60_000)
