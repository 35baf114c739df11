import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dot, type Vector } from '../../src/domain/vector.ts'
import { BuiltinEmbedder, loadBuiltinEmbedder } from '../../src/index/embedder-builtin.ts'
import { readTable } from '../../src/index/token-table.ts'
import { madeUpTable } from './made-up-table.ts'

const table = madeUpTable(
  {
    login: [100, 0, 0, 0],
    session: [80, 60, 0, 0],
    status: [0, 0, 127, 0],
    code: [0, 0, 0, 127],
    noise: [0, 100, 0, 0],
  },
  { noise: 1 },
)
const embedder = new BuiltinEmbedder(readTable(table))
const real = await loadBuiltinEmbedder()

test('a text is the weighted sum of its terms', () => {
  expect(embedder.vectorOf('Login noise')).toEqual(Int8Array.of(56, 1, 0, 0))
})

test('words of a kind lie closer than others', () => {
  const near = closeness(embedder, 'login', 'session')
  expect(near).toBeGreaterThan(closeness(embedder, 'login', 'status code'))
})

test('a compound word is its parts; one with a rest that is unknown is passed over', () => {
  expect(embedder.vectorOf('statuscode')).toEqual(embedder.vectorOf('status code'))
  expect(embedder.vectorOf('statusquoted')).toBeNull()
})

test('the first line counts three times', () => {
  expect(embedder.vectorOf('login\nstatus')).toEqual(embedder.vectorOf('status login login login'))
})

test('a text without a known term has no vector', () => {
  expect([embedder.vectorOf(''), embedder.vectorOf('登録 zzz')]).toEqual([null, null])
})

test('only the first 4,000 characters count', () => {
  const long = `login\n${'x '.repeat(2_000)} status`
  expect(embedder.vectorOf(long)).toEqual(embedder.vectorOf('login'))
})

test('texts asked for together are those asked for alone, in order', async () => {
  const texts = ['login', 'nothing', 'code of status']
  expect(await embedder.embed(texts)).toEqual(texts.map((text) => embedder.vectorOf(text)))
})

test('a table that is cut short, longer, or none is refused', () => {
  const longer = new Uint8Array([...table, 0])
  for (const bytes of [table.slice(0, -1), longer, table.slice(0, 10), new Uint8Array(64)]) {
    expect(() => readTable(bytes)).toThrow(RangeError)
  }
})

test('a table is read from the middle of a buffer too', () => {
  const shifted = new Uint8Array([1, 2, 3, ...table]).subarray(3)
  expect(new BuiltinEmbedder(readTable(shifted)).vectorOf('login')).toEqual(
    embedder.vectorOf('login'),
  )
})

test('the table in the binary gives the same bytes every time, in whatever order it is asked', async () => {
  const again = await loadBuiltinEmbedder()
  fc.assert(
    fc.property(fc.array(fc.lorem({ maxCount: 8 }), { minLength: 1, maxLength: 6 }), (texts) => {
      const forwards = texts.map((text) => real.vectorOf(text))
      const backwards = texts.toReversed().map((text) => again.vectorOf(text))
      expect(backwards.reverse()).toEqual(forwards)
    }),
    { seed: 43, numRuns: 100 },
  )
})

test('the table in the binary is as it was when it was measured', () => {
  expect(real.id).toBe('table-e10d02a7b71b-1')
  const vector = real.vectorOf('fix: refresh token is rejected after the session expired')!
  expect([...vector.subarray(0, 8)]).toEqual([-55, -20, -74, -35, 62, 105, -4, 19])
  expect(closeness(real, 'login', 'authentication')).toBeGreaterThan(
    closeness(real, 'login', 'compiler'),
  )
})

function closeness(by: BuiltinEmbedder, a: string, b: string): number {
  return dot(by.vectorOf(a) as Vector, by.vectorOf(b) as Vector, 0)
}
