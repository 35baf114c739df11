import { compareBytes } from '../../src/domain/order.ts'

/** A sound table of a few terms, for tests: each row given as it is, weight 100 unless it says so. */
export function madeUpTable(
  rows: Readonly<Record<string, readonly number[]>>,
  weights: Readonly<Record<string, number>> = {},
): Uint8Array<ArrayBuffer> {
  const terms = Object.keys(rows).sort(compareBytes)
  const dims = terms.length === 0 ? 4 : rows[terms[0]!]!.length
  const padded = (text: string, filler: string) => text + filler.repeat(text.length % 2)
  const encoder = new TextEncoder()
  const header = encoder.encode(padded('{"id":"0123456789ab"}', ' '))
  const vocabulary = encoder.encode(padded(terms.map((term) => `${term}\n`).join(''), '\n'))
  const start = 24 + header.length + vocabulary.length
  const bytes = new Uint8Array(start + terms.length * (2 + dims))
  const view = new DataView(bytes.buffer)
  bytes.set(encoder.encode('avtable1'))
  const numbers = [terms.length, dims, header.length, vocabulary.length]
  for (const [at, number] of numbers.entries()) view.setUint32(8 + 4 * at, number, true)
  bytes.set(header, 24)
  bytes.set(vocabulary, 24 + header.length)
  for (const [row, term] of terms.entries()) {
    view.setUint16(start + 2 * row, weights[term] ?? 100, true)
    bytes.set(Int8Array.from(rows[term]!), start + 2 * terms.length + row * dims)
  }
  return bytes
}
