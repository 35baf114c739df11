#!/usr/bin/env bun
/**
 * Step 4 of the table: the pairs as rows of it, cut as the product will cut them.
 *
 *   bun scripts/distill/encode.ts --pairs DIR --vocabulary FILE --out DIR
 *
 * Each line becomes `{"goal":[row,count,…],"files":[{"path":…,"text":[…],"symbols":[[…],…]}]}`.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareBytes } from '../../src/domain/order.ts'
import { TableTerms } from '../../src/index/table-terms.ts'
import type { Pair } from './pairs.ts'

const { values } = parseArgs({
  options: { pairs: { type: 'string' }, vocabulary: { type: 'string' }, out: { type: 'string' } },
})
const { pairs, vocabulary, out } = values
if (pairs === undefined || vocabulary === undefined || out === undefined) {
  console.error('usage: encode.ts --pairs DIR --vocabulary FILE --out DIR')
  process.exit(2)
}
const rows = readFileSync(vocabulary, 'utf8').trimEnd().split('\n')
const terms = new TableTerms(new Map(rows.map((row, at) => [row.split('\t')[0]!, at])))
const encode = (text: string) => {
  const counts: number[] = []
  terms.count(text, (row, count) => counts.push(row, count))
  return counts
}

mkdirSync(out, { recursive: true })
for (const file of readdirSync(pairs).sort(compareBytes)) {
  const lines = readFileSync(join(pairs, file), 'utf8').trimEnd().split('\n')
  const encoded = lines.map((line) => {
    const { goal, files } = JSON.parse(line) as Pair
    const texts = files.map(({ path, text, symbols }) => {
      return { path, text: encode(text), symbols: symbols.map(encode) }
    })
    return `${JSON.stringify({ goal: encode(goal), files: texts })}\n`
  })
  await Bun.write(join(out, file), encoded.join(''))
}
