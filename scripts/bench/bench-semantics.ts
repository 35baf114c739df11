import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalText, recordText } from '../../src/domain/embedding-text.ts'
import type { LexicalView } from '../../src/domain/lexical.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { queryOf } from '../../src/domain/query.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { surroundings } from '../../src/domain/semantic-around.ts'
import { codeAround, isWhole, wholeCode } from '../../src/domain/semantic-code.ts'
import { NO_SEMANTICS, type SemanticLists } from '../../src/domain/semantic-lists.ts'
import { areWhole, recordsAround } from '../../src/domain/semantic-records.ts'
import { dot, type Vector } from '../../src/domain/vector.ts'
import { recordKey, recordOf, type VectorKey } from '../../src/domain/vector-key.ts'
import { LIMITS } from '../../src/domain/weights.ts'
import { BuiltinEmbedder } from '../../src/index/embedder-builtin.ts'
import { readTable } from '../../src/index/token-table.ts'
import type { BenchCase, BenchWorld } from './contender.ts'

/** The lists of the built-in table for a case, as the daemon makes them. */
export function benchSemantics(
  world: BenchWorld,
  of: BenchCase,
  focus: readonly string[],
): SemanticLists {
  const { task, view } = of
  const known = lists.get(view)
  const text = goalText(task.goal, focus)
  if (known?.text === text) return known.found
  embedder ??= new BuiltinEmbedder(readTable(readFileSync(TABLE)))
  const goal = embedder.vectorOf(text)
  const found = goal === null ? NO_SEMANTICS : listsFor(goal, world, of, focus)
  lists.set(view, { text, found })
  return found
}

function listsFor(
  goal: Vector,
  { lexical, records: texts }: BenchWorld,
  { task, view, records }: BenchCase,
  focus: readonly string[],
): SemanticLists {
  const query = queryOf(task.goal, focus)
  const around = surroundings(lexical, view, records, query)
  const code = isWhole(view) ? wholeCode(view) : codeAround(lexical, view, query, around)
  const textOf = (key: VectorKey) => code.textOf(key)
  const ids = areWhole(records)
    ? lexical.recordIds(records, -1)
    : recordsAround(lexical, view, records, query, around)
  const recordTextOf = (key: VectorKey) => textOfRecord(texts, recordOf(key))
  const recordKeys = ids.map(recordKey)
  return {
    ...code.listsOf(
      closest(goal, textOf, code.files, LIMITS.files),
      closest(goal, textOf, code.symbols, LIMITS.symbols),
    ),
    records: closest(goal, recordTextOf, recordKeys, LIMITS.records).map(({ key }) =>
      recordOf(key),
    ),
  }
}

function textOfRecord(records: BenchWorld['records'], id: RecordId): string {
  const { summary, body } = records.get([id])[0]!
  return recordText(summary, body)
}

const TABLE = join(import.meta.dir, '../../assets/token-table.data')
let embedder: BuiltinEmbedder | null = null
const vectors = new Map<VectorKey, Vector | null>()
const lists = new WeakMap<LexicalView, { text: string; found: SemanticLists }>()

function closest(
  goal: Vector,
  textOf: (key: VectorKey) => string,
  keys: readonly VectorKey[],
  limit: number,
) {
  const hits = keys.flatMap((key) => {
    const vector = vectorOf(key, textOf)
    return vector === null ? [] : [{ key, score: dot(goal, vector, 0) }]
  })
  return hits.sort((a, b) => b.score - a.score || compareBytes(a.key, b.key)).slice(0, limit)
}

function vectorOf(key: VectorKey, textOf: (key: VectorKey) => string): Vector | null {
  const known = vectors.get(key)
  if (known !== undefined) return known
  const vector = embedder!.vectorOf(textOf(key))
  vectors.set(key, vector)
  return vector
}
