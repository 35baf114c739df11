import type { Weights } from './rank.ts'
import type { RecordKind } from './record.ts'

/**
 * What each list is worth in fusion, in thousandths, by the kind of thing it ranks. Set by
 * measurement (`scripts/bench/quality.ts`); other values are another index version.
 */
export const WEIGHTS = {
  file: {
    ...{ words: 1_000, symbols: 400, records: 500, graph: 600, named: 500 },
    ...{ focus: 3_000, changed: 1_500, semantic: 500, semanticSymbols: 400 },
  },
  symbol: {
    ...{ words: 1_000, file: 1_000, graph: 300, focus: 3_000, changed: 1_500, semantic: 300 },
  },
  record: { words: 1_000, anchored: 1_000, changed: 4_000, own: 1_500, semantic: 100 },
  folder: { files: 1_000 },
  rule: { required: 1_000, matched: 1_000 },
  work: { shared: 1_000 },
  goal: { task: 1_000 },
  /** A line that others stand under: worth what they are. */
  group: {},
} as const satisfies Record<string, Weights>

/** A table of the same shape: what a benchmark leaves out to see what it was worth. */
export type WeightTable = Readonly<Record<keyof typeof WEIGHTS, Weights>>

/** What a score is multiplied by, in thousandths, for what is less often wanted. */
export const FACTORS = {
  /** Tests, unless the goal speaks of them. */
  test: 500,
  /** Files that are no code, unless the goal speaks of documents. */
  prose: 500,
  /** A symbol beside a file: sets how much of Code goes to which. */
  symbol: 450,
} as const

/** By kind of record, in thousandths. */
export const RECORD_FACTORS = {
  decision: 1_000,
  attempt: 1_000,
  handoff: 800,
  review: 700,
  note: 700,
  intent: 500,
} as const satisfies Readonly<Record<RecordKind, number>>

/** How deep each list is read, and how many symbols of one file are candidates. */
export const LIMITS = {
  files: 100,
  /** The best files by words and records, whose neighbours are candidates. */
  graphSeeds: 8,
  symbols: 600,
  records: 60,
  recordsForFiles: 20,
  filesOfRecords: 60,
  anchoredRecords: 60,
  symbolsPerFile: 10,
  symbolsWithCalls: 24,
} as const
