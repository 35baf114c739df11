/**
 * The file of static vectors that is built in: one int8 row and one weight for each term.
 *
 *   8 bytes   `avtable1`
 *   4 × u32   terms, dims, bytes of the header, bytes of the vocabulary (little-endian, as all here)
 *   header    JSON in UTF-8, padded with spaces
 *   terms     in UTF-8, in the order of their bytes, each ended by `\n`, padded with `\n`
 *   weights   u16 each: what a row is multiplied by
 *   rows      int8, `dims` each
 *
 * Header and vocabulary are padded so that the weights begin at an even place.
 */
export type TokenTable = {
  /** Names the table by its content. */
  readonly id: string
  readonly dims: number
  /** Term → its row. */
  readonly rowOf: ReadonlyMap<string, number>
  readonly weights: Uint16Array
  readonly rows: Int8Array
}

/** @throws RangeError on anything but a whole, sound table: the file is part of the program */
export function readTable(bytes: Uint8Array): TokenTable {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  if (bytes.length < START || decoder.decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw new RangeError('not a token table')
  }
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, START)
  const [terms, dims, header, vocabulary] = [8, 12, 16, 20].map((at) => numbers.getUint32(at, true))
  const termsAt = START + header!
  const weightsAt = termsAt + vocabulary!
  const rowsAt = weightsAt + 2 * terms!
  if (dims === 0 || bytes.length !== rowsAt + terms! * dims!) {
    throw new RangeError('the token table is cut short')
  }
  const head: unknown = JSON.parse(decoder.decode(bytes.subarray(START, termsAt)))
  const words = decoder.decode(bytes.subarray(termsAt, weightsAt)).split('\n', terms)
  const weights = new Uint16Array(terms!)
  const raw = new DataView(bytes.buffer, bytes.byteOffset + weightsAt, 2 * terms!)
  for (let row = 0; row < terms!; row++) weights[row] = raw.getUint16(2 * row, true)
  return {
    id: idIn(head),
    dims: dims!,
    rowOf: new Map(words.map((word, row) => [word, row])),
    weights,
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, terms! * dims!),
  }
}

const MAGIC = 'avtable1'
const START = 24

function idIn(head: unknown): string {
  const id = typeof head === 'object' && head !== null && 'id' in head ? head.id : null
  if (typeof id === 'string' && /^[0-9a-f]{12}$/.test(id)) return id
  throw new RangeError('the token table has no id')
}
