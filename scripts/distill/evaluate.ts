#!/usr/bin/env bun
/**
 * Step 7 of the table: what a pack gains by it, on the tasks of the benchmark.
 *
 *   bun scripts/distill/evaluate.ts --repo DIR [--table FILE] [--tasks 300] [--budget 800]
 *
 * The candidates of `av` are ranked again with semantic lists of files and of definitions beside the
 * others, at several weights, and packed; each row is the gain over the same pack without, in points
 * with the middle 95 % of a paired bootstrap. The histories it learned from are not for this.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileText, goalText, recordText, symbolText } from '../../src/domain/embedding-text.ts'
import { type IndexedFile, symbolsOf } from '../../src/domain/lexical.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { buildPack } from '../../src/domain/pack.ts'
import type { Candidates, FileCandidate, SymbolCandidate } from '../../src/domain/pack-candidate.ts'
import { selectCandidates } from '../../src/domain/pack-select.ts'
import { fusedScore, ranking, scaled } from '../../src/domain/rank.ts'
import { filesOfRecords } from '../../src/domain/record-rank.ts'
import { dot, type Vector } from '../../src/domain/vector.ts'
import { factorOf, wantedBy } from '../../src/domain/wanted-code.ts'
import { FACTORS, WEIGHTS, type WeightTable } from '../../src/domain/weights.ts'
import { BuiltinEmbedder } from '../../src/index/embedder-builtin.ts'
import { readTable } from '../../src/index/token-table.ts'
import { loadCases } from '../bench/bench-cases.ts'
import type { BenchCase, BenchWorld } from '../bench/contender.ts'
import { History } from '../bench/history.ts'
import { compare, type Marks, marksOf, summarise } from '../bench/metrics.ts'
import { shownBy } from './shown-by.ts'

/** Weights of the semantic lists, in thousandths. */
type Variant = {
  readonly files: number
  /** Files by their closest definition. */
  readonly bySymbols: number
  /** Files that the closest records are anchored at. */
  readonly byRecords: number
  readonly symbols: number
  /** What a definition's score is multiplied by besides: more lists for files must not push it out. */
  readonly factor: number
}
const NONE: Variant = { files: 0, bySymbols: 0, byRecords: 0, symbols: 0, factor: 1_000 }
const VARIANTS: readonly Variant[] = [
  NONE,
  { ...NONE, bySymbols: 300, factor: 1_150 },
  { ...NONE, files: 250, symbols: 300 },
  { ...NONE, bySymbols: 300, symbols: 300 },
  { ...NONE, bySymbols: 300, symbols: 300, factor: 1_100 },
  { ...NONE, files: 250, bySymbols: 250, symbols: 300, factor: 1_150 },
  { ...NONE, files: 250, bySymbols: 250, byRecords: 150, symbols: 300, factor: 1_200 },
]
const FILES_MAX = 100
const SYMBOLS_MAX = 600

const { values } = parseArgs({
  options: {
    repo: { type: 'string' },
    table: { type: 'string', default: 'assets/token-table.data' },
    tasks: { type: 'string', default: '300' },
    budget: { type: 'string', default: '800' },
  },
})
const history = values.repo === undefined ? null : await History.open(resolve(values.repo))
if (history === null) {
  console.error('usage: evaluate.ts --repo DIR')
  process.exit(2)
}
const embedder = new BuiltinEmbedder(readTable(readFileSync(values.table)))
const { world, cases } = await loadCases(history, Number(values.tasks), false)
const budget = Number(values.budget)
const vectors = new Map<string, Vector | null>()
const fileTexts = new Map<
  IndexedFile,
  { readonly file: string; readonly symbols: readonly string[] }
>()

const semantic = cases.map(rankBySense)
const alone = semantic.map(({ files }, at) => recallOf(files, cases[at]!))
const base = cases.map((of) => candidatesOf(world, of).files.map(({ path }) => path))
const lexical = base.map((files, at) => recallOf(files, cases[at]!))
console.log(`${values.repo}: ${cases.length} tasks; file recall at 5 and 20`)
console.log(`  as av ranks them   ${mean(lexical, 0)} ${mean(lexical, 1)}`)
console.log(`  by the table alone ${mean(alone, 0)} ${mean(alone, 1)}`)
const packs = VARIANTS.map((variant) => run(variant))
const hard = cases.map((of) => of.hard)
for (const [at, variant] of VARIANTS.entries()) {
  const marks = packs[at]!
  const { fileRecall, fileRecallAt5, symbolRecall } = summarise(marks)
  const gain = (pick: (of: Marks) => number | null, only = cases.map(() => true)) => {
    const keep = (all: readonly Marks[]) => all.filter((_, i) => only[i])
    const { points, low, high } = compare(keep(marks), keep(packs[0]!), pick)
    return `${points} [${low}, ${high}]`
  }
  console.log(
    [
      `  files ${variant.files} by symbols ${variant.bySymbols} by records ${variant.byRecords} symbols ${variant.symbols} factor ${variant.factor}:`,
      `${fileRecall.toFixed(3)} ${fileRecallAt5.toFixed(3)} ${symbolRecall.toFixed(3)}`,
      `| files ${gain((m) => m.files)} at 5 ${gain((m) => m.filesAt5)} symbols ${gain((m) => m.symbols)}`,
      `| hard: files ${gain((m) => m.files, hard)} at 5 ${gain((m) => m.filesAt5, hard)}`,
    ].join(' '),
  )
}
process.exit(0)

function mean(rows: readonly (readonly [number, number])[], at: 0 | 1): string {
  return (rows.reduce((sum, row) => sum + row[at], 0) / rows.length).toFixed(3)
}

function recallOf(paths: readonly string[], { goldFiles }: BenchCase): readonly [number, number] {
  const share = (k: number) =>
    goldFiles.filter((path) => paths.slice(0, k).includes(path)).length / goldFiles.length
  return [share(5), share(20)]
}

function run(variant: Variant): Marks[] {
  return cases.map((of, at) => {
    const candidates = withSense(candidatesOf(world, of), semantic[at]!, of, variant)
    return marksOf(shownBy(pack(candidates, of, variant), of, world.countTokens), of, budget)
  })
}

function candidatesOf({ lexical: index }: BenchWorld, of: BenchCase): Candidates {
  const { goal } = of.task
  return selectCandidates({
    ...{ index, view: of.view, records: of.records, goal, focus: [], changed: [] },
    ...{ ownRecords: [], ownPaths: [] },
  })
}

type Sense = {
  readonly files: readonly string[]
  readonly ofRecords: readonly string[]
  readonly symbols: readonly { readonly path: string; readonly ordinal: number }[]
}

function rankBySense(of: BenchCase): Sense {
  const goal = embedder.vectorOf(goalText(of.task.goal, []))
  if (goal === null) return { files: [], ofRecords: [], symbols: [] }
  const scoreOf = (text: string) => {
    const vector = vectorOf(text)
    return vector === null ? Number.NEGATIVE_INFINITY : dot(goal, vector, 0)
  }
  const files: { path: string; score: number }[] = []
  const symbols: { path: string; ordinal: number; score: number }[] = []
  for (const [path, file] of of.view.byPath) {
    const texts = textsOf(path, file)
    files.push({ path, score: scoreOf(texts.file) })
    texts.symbols.forEach((text, ordinal) => {
      symbols.push({ path, ordinal, score: scoreOf(text) })
    })
  }
  files.sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
  symbols.sort((a, b) => b.score - a.score || compareBytes(a.path, b.path) || a.ordinal - b.ordinal)
  return {
    files: files.slice(0, FILES_MAX).map(({ path }) => path),
    ofRecords: filesOfRecords(closestRecords(goal, of), of.view),
    symbols: symbols.slice(0, SYMBOLS_MAX),
  }
}

function closestRecords(goal: Vector, of: BenchCase) {
  const floor = dot(goal, goal, 0) / 5
  return world.records
    .get([...(of.records.only ?? [])])
    .map(({ id, anchors, position, summary, body }) => {
      const vector = vectorOf(recordText(summary, body))
      const score = vector === null ? 0 : Math.max(0, dot(goal, vector, 0) - floor)
      return { id, anchors, position, score }
    })
    .sort((a, b) => b.score - a.score || b.position - a.position)
}

function textsOf(path: string, file: IndexedFile) {
  const known = fileTexts.get(file)
  if (known !== undefined) return known
  const symbols = symbolsOf(file)
  const texts = { file: fileText(path, symbols), symbols: symbols.map((s) => symbolText(path, s)) }
  fileTexts.set(file, texts)
  return texts
}

function vectorOf(text: string): Vector | null {
  const known = vectors.get(text)
  if (known !== undefined) return known
  const vector = embedder.vectorOf(text)
  vectors.set(text, vector)
  return vector
}

/** The candidates ranked again, with those that only the table found among them. */
function withSense(
  candidates: Candidates,
  sense: Sense,
  { view, task }: BenchCase,
  variant: Variant,
): Candidates {
  const wanted = wantedBy(task.goal)
  const weights = weightsOf(variant).file
  const listed = (weight: number, paths: readonly string[]) => ranking(weight === 0 ? [] : paths)
  const ofSymbols = sense.symbols.map(({ path }) => path)
  const lists = {
    sense: listed(variant.files, sense.files),
    senseOfSymbols: listed(variant.bySymbols, ofSymbols),
    senseOfRecords: listed(variant.byRecords, sense.ofRecords),
  }
  const known = new Map(candidates.files.map((file) => [file.path, file]))
  const paths = new Set([known, ...Object.values(lists)].flatMap((list) => [...list.keys()]))
  const files = [...paths].map((path): FileCandidate => {
    const file = view.byPath.get(path)!
    const { blob, lines, symbols } = file
    const ranks = { ...known.get(path)?.ranks }
    for (const [list, of] of Object.entries(lists)) {
      const rank = of.get(path)
      if (rank !== undefined) ranks[list] = rank
    }
    const factor = factorOf(file, wanted)
    const score = scaled(fusedScore(ranks, weights), factor)
    return { path, blob, lines, symbolCount: symbols.size, ranks, factor, score }
  })
  files.sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
  return {
    ...candidates,
    files,
    symbols: symbolsWithSense(candidates, sense, files, view, variant, wanted),
  }
}

function symbolsWithSense(
  candidates: Candidates,
  sense: Sense,
  files: readonly FileCandidate[],
  view: BenchCase['view'],
  variant: Variant,
  wanted: ReturnType<typeof wantedBy>,
): readonly SymbolCandidate[] {
  const weights = weightsOf(variant).symbol
  const key = (path: string, line: number, name: string) => `${path}\0${line}\0${name}`
  const known = new Map(
    candidates.symbols.map((of) => [key(of.path, of.symbol.line, of.symbol.name), of]),
  )
  const fileRank = ranking(files.map(({ path }) => path))
  const ranksBySense = new Map<string, number>()
  if (variant.symbols > 0) {
    sense.symbols.forEach(({ path, ordinal }, at) => {
      const file = view.byPath.get(path)!
      const symbol = symbolsOf(file)[ordinal]!
      const id = key(path, symbol.line, symbol.name)
      ranksBySense.set(id, at + 1)
      if (known.has(id)) return
      const factor = scaled(factorOf(file, wanted), FACTORS.symbol)
      known.set(id, { path, blob: file.blob, symbol, ranks: {}, factor, score: 0 })
    })
  }
  const all = [...known].map(([id, of]): SymbolCandidate => {
    const ranks = { ...of.ranks }
    const factor = scaled(of.factor, variant.factor)
    const file = fileRank.get(of.path)
    if (file !== undefined) ranks.file = file
    const rank = ranksBySense.get(id)
    if (rank !== undefined) ranks.sense = rank
    return { ...of, ranks, factor, score: scaled(fusedScore(ranks, weights), factor) }
  })
  all.sort(
    (a, b) =>
      b.score - a.score ||
      compareBytes(a.path, b.path) ||
      a.symbol.line - b.symbol.line ||
      compareBytes(a.symbol.name, b.symbol.name),
  )
  const counts = new Map<string, number>()
  return all.filter(({ path }) => {
    counts.set(path, (counts.get(path) ?? 0) + 1)
    return counts.get(path)! <= 10
  })
}

function weightsOf(variant: Variant): WeightTable {
  const { files: sense, bySymbols: senseOfSymbols, byRecords: senseOfRecords, symbols } = variant
  return {
    ...WEIGHTS,
    file: { ...WEIGHTS.file, sense, senseOfSymbols, senseOfRecords },
    symbol: { ...WEIGHTS.symbol, sense: symbols },
  }
}

function pack(candidates: Candidates, { task }: BenchCase, variant: Variant): string {
  return buildPack(
    {
      ...{ goal: task.goal, focus: [], changed: [], budget, candidates, conventions: [], live: [] },
      ...{ degraded: [], position: task.at, overlay: task.commit.id, indexVersion: 'bench' },
      records: world.records.get(candidates.records.map(({ id }) => id)),
      task: {
        ...{ id: 'bench-task-ab12', goal: task.goal, kind: 'work', state: 'open', owner: 'agent' },
        ...{ base: task.commit.parents[0]!, checkpoint: null, flags: [], verdict: null },
        ...{ failing: [], lastJournal: null, handoff: null },
      },
    },
    world.countTokens,
    undefined,
    weightsOf(variant),
  ).text
}
