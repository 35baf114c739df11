import { expect, test } from 'bun:test'
import {
  EMBEDDING_CHARS_MAX,
  fileText,
  goalText,
  recordText,
  symbolText,
} from '../../src/domain/embedding-text.ts'
import { vectorKey } from '../../src/domain/vector-key.ts'

const symbol = { signature: 'function sign(key: Key)', doc: 'Signs a token.' }

test('each kind of thing has its text', () => {
  expect(fileText('src/jwt.ts', [symbol, { signature: 'class Key', doc: '' }])).toBe(
    'src/jwt.ts\nfunction sign(key: Key): Signs a token.\nclass Key',
  )
  expect(symbolText('src/jwt.ts', symbol)).toBe(
    'function sign(key: Key): Signs a token.\nsrc/jwt.ts',
  )
  expect(recordText('Keys rotate', '')).toBe('Keys rotate')
  expect(goalText('rotate keys', ['jwt', 'src/key.ts'])).toBe('jwt src/key.ts\nrotate keys')
})

test('no text is longer than its limit, or ends in half a character', () => {
  const many = Array.from({ length: 9_000 }, () => symbol)
  expect(fileText('a', many)).toHaveLength(EMBEDDING_CHARS_MAX)
  const astral = goalText(`x${'😀'.repeat(EMBEDDING_CHARS_MAX)}`, [])
  expect([astral.length, astral.isWellFormed()]).toEqual([EMBEDDING_CHARS_MAX, true])
})

test('a text is named by its content', () => {
  expect(String(vectorKey('Keys rotate'))).toBe('94e854719504ea83c1107ebc9784e9af')
})
