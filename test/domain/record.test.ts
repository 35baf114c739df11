import { describe, expect, test } from 'bun:test'
import { asFault, type Fault } from '../../src/domain/fault.ts'
import { checkRecordText } from '../../src/domain/record.ts'

function refusal(summary: string, body = ''): Pick<Fault, 'code' | 'message'> | null {
  try {
    checkRecordText(summary, body)
    return null
  } catch (thrown) {
    const { code, message } = asFault(thrown)
    return { code, message }
  }
}

describe('what a record may say', () => {
  test('200 characters are counted as people count them', () => {
    expect(refusal('😀'.repeat(200))).toBeNull()
  })

  test('201 are refused with the length found and the limit', () => {
    expect(refusal('😀'.repeat(201))).toEqual({
      code: 'bad_input',
      message: 'The summary has 201 characters; the limit is 200.',
    })
  })

  test.each(['two\nlines', 'two\u2028lines', 'two\rlines'])('one line only: %j', (summary) => {
    expect(refusal(summary)?.message).toBe('The summary has more than one line.')
  })

  test('a summary of white space is none', () => {
    expect(refusal(' \t ')?.message).toBe('The summary is empty.')
  })

  test('a body is measured in bytes', () => {
    expect(refusal('x', 'é'.repeat(8 * 1024))).toBeNull()
    expect(refusal('x', `${'é'.repeat(8 * 1024)}!`)?.message).toBe(
      'The body has 16385 bytes; the limit is 16384.',
    )
  })

  test('what no database can hold is refused, not bent', () => {
    expect(refusal('a\0b')?.message).toBe('The summary holds a NUL character.')
    expect(refusal('x', 'half \ud83d')?.message).toBe('The body holds half a character.')
  })
})
