import { Fault } from './fault.ts'

/** How many characters a person would count: Unicode code points. */
export function countChars(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The first `max` code points. */
export function clipChars(text: string, max: number): string {
  if (text.length <= max) return text
  return [...text].slice(0, max).join('')
}

/**
 * Text as every database takes it.
 * @throws Fault `bad_input` for NUL and lone surrogates, which no Postgres text can hold.
 */
export function assertStorable(field: string, text: string): void {
  const bad = text.includes('\0')
    ? 'a NUL character'
    : text.isWellFormed()
      ? null
      : 'half a character'
  if (bad === null) return
  throw new Fault('bad_input', `The ${field} holds ${bad}.`, 'Send it as plain UTF-8 text.', {
    detail: { reason: 'not_text', field },
  })
}

const encoder = new TextEncoder()
export const utf8Bytes = (text: string): number => encoder.encode(text).length
