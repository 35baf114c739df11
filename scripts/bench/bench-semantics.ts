import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalText } from '../../src/domain/embedding-text.ts'
import type { LexicalView } from '../../src/domain/lexical.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { queryOf } from '../../src/domain/query.ts'
import {
  codeAround,
  isWhole,
  type SemanticCode,
  wholeCode,
} from '../../src/domain/semantic-code.ts'
import { NO_SEMANTICS, type SemanticLists } from '../../src/domain/semantic-lists.ts'
import { dot, type Vector } from '../../src/domain/vector.ts'
import type { VectorKey } from '../../src/domain/vector-key.ts'
import { LIMITS } from '../../src/domain/weights.ts'
import { BuiltinEmbedder } from '../../src/index/embedder-builtin.ts'
import { readTable } from '../../src/index/token-table.ts'
import type { BenchCase, BenchWorld } from './contender.ts'

/** The lists of the built-in table for a case, as the daemon makes them. */
export function benchSemantics(
  { lexical }: BenchWorld,
  { task, view, records }: BenchCase,
  focus: readonly string[],
): SemanticLists {
  const known = lists.get(view)
  const text = goalText(task.goal, focus)
  if (known?.text === text) return known.found
  embedder ??= new BuiltinEmbedder(readTable(readFileSync(TABLE)))
  const goal = embedder.vectorOf(text)
  const code = isWhole(view)
    ? wholeCode(view)
    : codeAround(lexical, view, records, queryOf(task.goal, focus))
  const found =
    goal === null
      ? NO_SEMANTICS
      : code.listsOf(
          closest(goal, code, code.files, LIMITS.files),
          closest(goal, code, code.symbols, LIMITS.symbols),
        )
  lists.set(view, { text, found })
  return found
}

const TABLE = join(import.meta.dir, '../../assets/token-table.data')
let embedder: BuiltinEmbedder | null = null
const vectors = new Map<VectorKey, Vector | null>()
const lists = new WeakMap<LexicalView, { text: string; found: SemanticLists }>()

function closest(goal: Vector, code: SemanticCode, keys: readonly VectorKey[], limit: number) {
  const hits = keys.flatMap((key) => {
    const vector = vectorOf(key, code)
    return vector === null ? [] : [{ key, score: dot(goal, vector, 0) }]
  })
  return hits.sort((a, b) => b.score - a.score || compareBytes(a.key, b.key)).slice(0, limit)
}

function vectorOf(key: VectorKey, code: SemanticCode): Vector | null {
  const known = vectors.get(key)
  if (known !== undefined) return known
  const vector = embedder!.vectorOf(code.textOf(key))
  vectors.set(key, vector)
  return vector
}
