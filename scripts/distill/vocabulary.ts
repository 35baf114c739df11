#!/usr/bin/env bun
/**
 * Step 2 of the table: its terms, and the word that stands for each before the teacher.
 *
 *   bun scripts/distill/vocabulary.ts --pairs DIR --teacher DIR --out FILE [--terms 30000]
 *
 * A term is what `domain/terms` makes of a word. Terms come from the pairs (seen in at least two
 * histories, or five times in one) and from the teacher's own whole words, so that subjects no
 * history spoke of have a vector too. Writes one line each: term, word, count.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareBytes } from '../../src/domain/order.ts'
import { terms } from '../../src/domain/terms.ts'
import type { Pair } from './pairs.ts'

type Seen = { count: number; readonly repos: Set<string>; readonly words: Map<string, number> }

const TERM = /^[a-z][a-z0-9]{1,23}$/
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g
const COUNT_MIN = 5

const { values } = parseArgs({
  options: {
    pairs: { type: 'string' },
    teacher: { type: 'string' },
    out: { type: 'string' },
    terms: { type: 'string', default: '30000' },
  },
})
const { pairs, teacher, out } = values
if (pairs === undefined || teacher === undefined || out === undefined) {
  console.error('usage: vocabulary.ts --pairs DIR --teacher DIR --out FILE')
  process.exit(2)
}
const termsMax = Number(values.terms)

const seen = new Map<string, Seen>()
for (const file of readdirSync(pairs).sort(compareBytes)) {
  const lines = readFileSync(join(pairs, file), 'utf8').trimEnd().split('\n')
  for (const line of lines) count(JSON.parse(line) as Pair, file)
}
const common = [...seen]
  .filter(([term, { count, repos }]) => TERM.test(term) && (repos.size > 1 || count >= COUNT_MIN))
  .sort(([a, x], [b, y]) => y.count - x.count || compareBytes(a, b))
const chosen = new Map(
  common.slice(0, termsMax).map(([term, { count, words }]) => {
    const [word] = [...words].sort(([a, x], [b, y]) => y - x || compareBytes(a, b))[0] ?? [term]
    return [term, { word, count }]
  }),
)
const fromPairs = chosen.size
for (const word of readFileSync(join(teacher, 'vocab.txt'), 'utf8').split('\n')) {
  if (chosen.size >= termsMax) break
  const [term, ...more] = TERM.test(word) ? terms(word) : []
  if (term === undefined || more.length > 0 || !TERM.test(term) || chosen.has(term)) continue
  chosen.set(term, { word, count: 0 })
}
await Bun.write(
  out,
  [...chosen].map(([term, { word, count }]) => `${term}\t${word}\t${count}\n`).join(''),
)
console.log(`${chosen.size} terms, ${fromPairs} of them from the pairs`)

function count({ goal, files }: Pair, repo: string): void {
  for (const text of [goal, ...files.map(({ text }) => text)]) {
    for (const word of text.match(WORD) ?? []) {
      const lower = word.toLowerCase()
      const [term] = terms(lower)
      if (term === undefined) continue
      const known = seen.get(term) ?? { count: 0, repos: new Set(), words: new Map() }
      known.count++
      known.repos.add(repo)
      known.words.set(lower, (known.words.get(lower) ?? 0) + 1)
      seen.set(term, known)
    }
  }
}
