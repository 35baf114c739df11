#!/usr/bin/env bun
/**
 * Step 6 of the table: from trained floats to the file that is built in (`src/index/token-table.ts`).
 *
 *   bun scripts/distill/write-table.ts --pairs DIR --vocabulary FILE --rows FILE.npy --out assets/token-table.data
 *
 * The header names the histories of which DIR holds pairs, with their licences and commits.
 * Each row is rounded to int8 by its own largest component; what that took out stands in its weight.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareBytes } from '../../src/domain/order.ts'
import { TERMS_VERSION } from '../../src/domain/terms.ts'
import { readTable } from '../../src/index/token-table.ts'
import { HISTORIES, nameOf } from './histories.ts'

const WEIGHT_MAX = 65_535

const { values } = parseArgs({
  options: {
    pairs: { type: 'string' },
    vocabulary: { type: 'string' },
    rows: { type: 'string' },
    out: { type: 'string' },
  },
})
const { pairs, vocabulary, rows, out } = values
if (pairs === undefined || vocabulary === undefined || rows === undefined || out === undefined) {
  console.error('usage: write-table.ts --pairs DIR --vocabulary FILE --rows FILE.npy --out FILE')
  process.exit(2)
}
const terms = readFileSync(vocabulary, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line, row) => ({ term: line.split('\t')[0]!, row }))
  .sort((a, b) => compareBytes(a.term, b.term))
const { dims, data } = readFloats(readFileSync(rows), terms.length)
const learnedFrom = HISTORIES.filter((of) => existsSync(join(pairs, `${nameOf(of)}.jsonl`)))
const bytes = tableOf(terms, dims, data)
readTable(bytes)
await Bun.write(out, bytes)
console.log(`${terms.length} terms, ${dims} dimensions, ${bytes.length} bytes`)

function tableOf(
  order: readonly { readonly term: string; readonly row: number }[],
  width: number,
  floats: Float32Array,
): Uint8Array {
  const peaks = order.map(({ row }) => {
    let peak = 0
    for (let i = 0; i < width; i++) peak = Math.max(peak, Math.abs(floats[row * width + i]!))
    return peak
  })
  const highest = Math.max(...peaks)
  const weights = new Uint8Array(2 * order.length)
  const rounded = new Int8Array(order.length * width)
  for (const [at, { row }] of order.entries()) {
    const peak = peaks[at]! || 1
    const weight = Math.max(1, Math.round((WEIGHT_MAX * peaks[at]!) / highest))
    new DataView(weights.buffer).setUint16(2 * at, weight, true)
    for (let i = 0; i < width; i++) {
      rounded[at * width + i] = Math.round((127 * floats[row * width + i]!) / peak)
    }
  }
  const words = padded(order.map(({ term }) => `${term}\n`).join(''), '\n')
  const content = Buffer.concat([Buffer.from(words), weights, Buffer.from(rounded.buffer)])
  const id = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const header = Buffer.from(padded(JSON.stringify(headerOf(id)), ' '))
  const start = Buffer.alloc(24)
  start.write('avtable1')
  const numbers = [order.length, width, header.length, Buffer.byteLength(words)]
  for (const [at, number] of numbers.entries()) start.writeUInt32LE(number, 8 + 4 * at)
  return Buffer.concat([start, header, content])
}

function headerOf(id: string) {
  return {
    id,
    terms: `domain/terms ${TERMS_VERSION}`,
    licence: 'Apache-2.0',
    origin:
      'Distilled from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) and trained further on public histories; see scripts/distill.',
    histories: learnedFrom.map(({ repo, licence, commit }) => `${repo}@${commit} ${licence}`),
  }
}

/** Adds fillers to an even number of bytes; the texts here are ASCII. */
function padded(text: string, filler: string): string {
  return text + filler.repeat(text.length % 2)
}

/** Reads a two-dimensional array of float32 as numpy writes it. */
function readFloats(file: Buffer, wanted: number): { dims: number; data: Float32Array } {
  const end = 10 + file.readUInt16LE(8)
  const header = file.toString('latin1', 10, end)
  const shape = /'descr': '<f4', 'fortran_order': False, 'shape': \((\d+), (\d+)\)/.exec(header)
  if (shape === null || Number(shape[1]) !== wanted) {
    throw new Error(`not ${wanted} rows of float32: ${header}`)
  }
  return {
    dims: Number(shape[2]),
    data: new Float32Array(file.buffer.slice(file.byteOffset + end)),
  }
}
