import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { symbolHash } from '../../src/domain/anchor.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { terms } from '../../src/domain/terms.ts'
import { indexOf } from './indexed.ts'

async function names(path: string, text: string): Promise<string[]> {
  return (await indexOf(path, text)).symbols.map(({ name }) => name)
}

describe('what counts as a definition', () => {
  test('functions inside a function are its own affair', async () => {
    const text =
      'function a() {\n  function b() {}\n  const c = () => 1\n  class D {}\n}\nclass E {}\n'
    expect(await names('a.ts', text)).toEqual(['a', 'E'])
  })

  test('unless that function is all there is', async () => {
    const text =
      'type O = { x: 1 }\nexport function a() {\n  function b() {\n    function c() {}\n  }\n  return b\n}\n'
    expect(await names('a.ts', text)).toEqual(['O', 'a', 'a.b'])
  })

  test('what an anonymous wrapper holds is found', async () => {
    expect(
      await names('a.js', '(function () {\n  function a() {}\n  class B { c() {} }\n})()\n'),
    ).toEqual(['a', 'B', 'B.c'])
    expect(
      await names(
        'a.test.ts',
        "describe('x', () => {\n  const make = () => 1\n  const n = 2\n})\n",
      ),
    ).toEqual(['make'])
  })

  test('methods of an object are found where the object has a name', async () => {
    const text =
      'export const useStore = create((set) => ({\n  add: () => set(1),\n  drop() {},\n  n: 1,\n}))\n'
    expect(await names('a.ts', text)).toEqual(['useStore', 'useStore.add', 'useStore.drop'])
    expect(await names('a.vue.js', 'export default {\n  setup() {},\n}\n')).toEqual([
      'default',
      'default.setup',
    ])
    expect(await names('a.js', 'app.use({\n  handle() {},\n})\n')).toEqual([])
  })

  test('a prototype counts where the file does not define it, and once where it is repeated in one line', async () => {
    const text =
      'int a(void);\nint b(void);\nint a(void) { return 1; }\ntypedef struct s { int x; } s;\n'
    expect(await names('a.c', text)).toEqual(['b', 'a', 's'])
  })

  test('names stand in the place they are defined for, wherever that is written', async () => {
    expect(await names('a.go', 'package a\nfunc (s *Store[K]) Get() {}\n')).toEqual(['Store.Get'])
    expect(
      await names('a.rs', 'impl<T> fmt::Display for a::B<T> {\n    fn fmt(&self) {}\n}\n'),
    ).toEqual(['a.B.fmt'])
    expect(await names('a.cpp', 'template <class T>\nint ns::A<T>::b() { return 1; }\n')).toEqual([
      'ns.A.b',
    ])
    expect(
      await names('a.js', 'module.exports.a = () => 1\nB.prototype.c = function () {}\n'),
    ).toEqual(['a', 'B.c'])
  })
})

describe('a symbol', () => {
  const source =
    'import { a } from "a"\n\n/** Says it. */\n@Tagged("x")\nexport class A {\n  b() {\n    return 1\n  }\n}\n'

  test('spans its attributes, not its comment, and is hashed by its own lines', async () => {
    const [symbol] = (await indexOf('a.ts', source)).symbols
    expect(symbol).toMatchObject({
      name: 'A',
      line: 4,
      endLine: 9,
      doc: 'Says it.',
      signature: 'export class A',
    })
    const own = source.split('\n').slice(3, 9).join('\n')
    expect(symbol?.hash).toBe(symbolHash(own, 'A'))
    expect(symbol?.hash).toBe(symbolHash(own.replace('class A', 'class B'), 'B'))
    expect(symbol?.hash).not.toBe(symbolHash(own.replace('return 1', 'return 2'), 'A'))
  })

  test('keeps its hash while only its place and white space at line ends change', async () => {
    const hashes = async (text: string) =>
      (await indexOf('a.ts', text)).symbols.map(({ hash }) => hash)
    const before = await hashes(source)
    expect(await hashes(`// new\n\n${source}`)).toEqual(before)
    expect(await hashes(source.replaceAll('\n', '  \r\n'))).toEqual(before)
    const after = await hashes(source.replace('return 1', 'return 2'))
    expect(after.map((hash, at) => hash === before[at])).toEqual([false, false])
    expect(after).toHaveLength(2)
  })

  test('weighs its name twice, and counts its signature, comment and lines', async () => {
    const index = await indexOf(
      'a.py',
      '# Renews quickly.\ndef renew(clock):\n    return clock.tick()\n',
    )
    const [symbol] = index.symbols
    const pairs: [string, number][] = []
    for (let i = 0; i < (symbol?.words.length ?? 0); i += 2) {
      pairs.push([index.words[symbol!.words[i]!]!, symbol!.words[i + 1]!])
    }
    // renew: name twice, signature, comment, line; clock: signature and two lines.
    expect(Object.fromEntries(pairs)).toEqual({ renew: 5, quickly: 1, clock: 3, tick: 1 })
  })

  test('takes the first 60 lines into its document, not the rest', async () => {
    const lines = Array.from({ length: 80 }, (_, i) => `    word${i}x()`).join('\n')
    const index = await indexOf('a.py', `def f():\n${lines}\n`)
    const held = new Set(
      index.symbols[0]?.words.filter((_, i) => i % 2 === 0).map((i) => index.words[i]),
    )
    expect([held.has('#word58x'), held.has('#word59x')]).toEqual([true, false])
  })
})

describe('every index', () => {
  const name = fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/)
  const long = fc.string({ unit: 'binary', maxLength: 400 })
  /** Declarations with comments, parameters and strings that may hold anything. */
  const declaration = fc
    .tuple(name, long, long)
    .map(
      ([id, comment, value]) =>
        `// ${comment.replaceAll(/[\n\r]/g, ' ')}\nfunction ${id}(\n  a = ${JSON.stringify(value)},\n  b: ${'B'.repeat(value.length)},\n) {\n  return a\n}\nclass C${id} { ${id} = (x) => { } }\n`,
    )

  test('keeps the limits, the order and the sums', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(declaration, { maxLength: 5 }), long, async (parts, tail) => {
        const text = `${parts.join('\n')}${tail}`.replaceAll('\0', '')
        const index = await indexOf('a.ts', text)
        for (const symbol of index.symbols) {
          for (const line of [symbol.signature, symbol.doc]) {
            expect(line.length).toBeLessThanOrEqual(160)
            expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]|^\s|\s$/u)
            expect(line.isWellFormed()).toBe(true)
          }
          expect(symbol.signature).not.toBe('')
          expect(symbol.line).toBeGreaterThan(0)
          expect(symbol.endLine).toBeGreaterThanOrEqual(symbol.line)
          expect(symbol.endLine).toBeLessThanOrEqual(index.lines)
          const own = new Set(symbol.words.filter((_, i) => i % 2 === 0).map((i) => index.words[i]))
          expect(terms(symbol.name).filter((term) => !own.has(term))).toEqual([])
        }
        const order = index.symbols.map(
          ({ line, endLine, name }) => [line, -endLine, name] as const,
        )
        expect(order).toEqual(
          order.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || compareBytes(a[2], b[2])),
        )
        const counted = Map.groupBy(
          terms(new TextDecoder().decode(new TextEncoder().encode(text))),
          (term) => term,
        )
        const sums = new Map([...counted].map(([term, all]) => [term, all.length]))
        expect(
          new Map(
            index.words.map((word, i) => [word, index.counts[i]]).filter(([, n]) => n !== 0) as [
              string,
              number,
            ][],
          ),
        ).toEqual(sums)
      }),
      { seed: 5, numRuns: 150 },
    )
  }, 60_000)
})
