import tablePath from '../../assets/token-table.data' with { type: 'file' }
import { TERMS_VERSION } from '../domain/terms.ts'
import { addTimes, quantise, type Vector } from '../domain/vector.ts'
import type { Embedder } from './embedder.ts'
import { TableTerms } from './table-terms.ts'
import { readTable, type TokenTable } from './token-table.ts'

/**
 * The embedder that needs nothing: a text is the sum of its terms' rows in a table. Offline, some
 * microseconds a text, and the same bytes everywhere: all sums are of integers that a double holds
 * exactly, and only the last step, to unit length, divides.
 */
export class BuiltinEmbedder implements Embedder {
  readonly id: string
  private readonly terms: TableTerms
  private readonly sums: Float64Array

  constructor(private readonly table: TokenTable) {
    this.id = `table-${table.id}-${TERMS_VERSION}`
    this.terms = new TableTerms(table.rowOf)
    this.sums = new Float64Array(table.dims)
  }

  async embed(texts: readonly string[]): Promise<readonly (Vector | null)[]> {
    return texts.map((text) => this.vectorOf(text))
  }

  /** Null for a text without a term that the table knows. */
  vectorOf(text: string): Vector | null {
    const { dims, weights, rows } = this.table
    const sums = this.sums.fill(0)
    this.terms.count(text, (row, count) => {
      const times = weights[row]! * TIMES[Math.min(count, TIMES.length - 1)]!
      addTimes(times, rows, row * dims, sums)
    })
    return quantise(sums)
  }
}

/** Reads the table in the binary, once: call it at the first need, not at the start. */
export async function loadBuiltinEmbedder(): Promise<BuiltinEmbedder> {
  return new BuiltinEmbedder(readTable(await Bun.file(tablePath).bytes()))
}

/** A term that comes n times counts as sixteen times the root of n, rounded. */
const TIMES = Array.from({ length: 129 }, (_, count) => Math.round(16 * Math.sqrt(count)))
