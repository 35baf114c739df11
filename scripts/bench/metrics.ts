import type { BenchCase, Shown } from './contender.ts'

/** How one answer did on one task; shares from 0 to 1. `symbols` null: no symbol was to be found. */
export type Marks = {
  readonly files: number
  readonly filesAt5: number
  readonly symbols: number | null
  readonly anyFile: number
  readonly tokens: number
  readonly over: boolean
}

export function marksOf(shown: Shown, of: BenchCase, budget: number): Marks {
  const files = new Set(shown.files)
  const first = new Set(shown.files.slice(0, 5))
  const share = (gold: readonly string[], found: ReadonlySet<string>) =>
    gold.filter((key) => found.has(key)).length / gold.length
  return {
    files: share(of.goldFiles, files),
    filesAt5: share(of.goldFiles, first),
    symbols: of.goldSymbols.length === 0 ? null : share(of.goldSymbols, shown.symbols),
    anyFile: of.goldFiles.some((path) => files.has(path)) ? 1 : 0,
    tokens: shown.tokens,
    over: shown.tokens > budget,
  }
}

export type Summary = {
  readonly tasks: number
  readonly fileRecall: number
  readonly fileRecallAt5: number
  readonly symbolRecall: number
  readonly anyFile: number
  readonly tokens: number
}

export function summarise(marks: readonly Marks[]): Summary {
  return {
    tasks: marks.length,
    fileRecall: rounded(mean(marks.map(({ files }) => files))),
    fileRecallAt5: rounded(mean(marks.map(({ filesAt5 }) => filesAt5))),
    symbolRecall: rounded(mean(marks.flatMap(({ symbols }) => symbols ?? []))),
    anyFile: rounded(mean(marks.map(({ anyFile }) => anyFile))),
    tokens: Math.round(mean(marks.map(({ tokens }) => tokens))),
  }
}

export type Difference = {
  /** In points (hundredths), `ours` less `theirs`. */
  readonly points: number
  /** The middle 95 % of the resampled differences. */
  readonly low: number
  readonly high: number
}

/** Paired bootstrap with a fixed seed: the same marks give the same interval. */
export function compare(
  ours: readonly Marks[],
  theirs: readonly Marks[],
  pick: (marks: Marks) => number | null,
): Difference {
  const differences = ours.flatMap((marks, at) => {
    const a = pick(marks)
    const b = pick(theirs[at]!)
    return a === null || b === null ? [] : [a - b]
  })
  const { low, high } = resampled(differences)
  const points = (value: number) => Math.round(value * 1_000) / 10
  return { points: points(mean(differences)), low: points(low), high: points(high) }
}

/** A mean share with the middle 95 % of its resampled means. */
export type Share = { readonly share: number; readonly low: number; readonly high: number }

export function shareOf(shares: readonly number[]): Share {
  const { low, high } = resampled(shares)
  return { share: rounded(mean(shares)), low: rounded(low), high: rounded(high) }
}

/** The middle 95 % of the means of samples drawn from `values`; 0 for none. */
function resampled(values: readonly number[]): { readonly low: number; readonly high: number } {
  let state = 99
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(next() * values.length)]!
    return values.length === 0 ? 0 : sum / values.length
  }).sort((a, b) => a - b)
  return {
    low: means[Math.floor(RESAMPLES * 0.025)]!,
    high: means[Math.floor(RESAMPLES * 0.975)]!,
  }
}

const RESAMPLES = 1_000

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
