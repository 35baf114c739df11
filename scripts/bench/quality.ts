#!/usr/bin/env bun
/**
 * Does a pack hold what the work turned out to need? Measured on the history of a local repository:
 *
 *   bun scripts/bench/quality.ts --repo DIR [--tasks 300] [--budget 800] [--ablate] [--json]
 *
 * Each task is a commit: its message the goal, its parent the state, the files and definitions it
 * changed what should have been found. `av` answers by the functions the daemon calls; the baselines
 * answer within the same budget of tokens, and for line M, the prototype that av has to beat, the
 * difference is told. `--ablate` also leaves out one part of av at a time.
 * A DIR that is no repository is skipped, with its reason.
 */
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ABLATIONS, AV } from './av-contender.ts'
import { baselines } from './baselines.ts'
import { loadCases } from './bench-cases.ts'
import type { BenchCase, BenchWorld, Contender } from './contender.ts'
import { givenHistory } from './given-history.ts'
import type { History } from './history.ts'
import { lineM } from './line-m.ts'
import {
  compare,
  type Difference,
  type Marks,
  marksOf,
  type Summary,
  summarise,
} from './metrics.ts'
import { repoMap } from './repo-map.ts'

export type Quality = Summary & {
  readonly repo: string
  readonly budget: number
  readonly hard: Summary
  readonly baselines: Readonly<Record<string, Summary & { readonly hard: Summary }>>
  readonly overLineM: Gains
  readonly ablations: Readonly<Record<string, Summary & { readonly without: Gains }>>
  readonly overBudget: number
  readonly overBudgetTasks: readonly string[]
  readonly repeatsDiffer: number
  readonly msPerPack: number
}
/** What av has over it. */
type Gains = Readonly<Record<'fileRecall' | 'fileRecallAt5' | 'symbolRecall', Difference>>

export async function quality(
  history: History,
  repo: string,
  options: { readonly tasks: number; readonly budget: number; readonly ablate: boolean },
): Promise<Quality> {
  const { world, cases } = await loadCases(history, options.tasks, true)
  const run = (contender: Contender) => runAll(contender, world, cases, options.budget)
  const started = performance.now()
  const ours = run(AV)
  const msPerPack = (performance.now() - started) / Math.max(1, cases.length)
  const again = run(AV)
  const hard = (marks: readonly Marks[]) => marks.filter((_, at) => cases[at]!.hard)
  const prototype = lineM()
  const toBeat = run(prototype)
  const rivals = [...baselines(), repoMap(), prototype].map((contender) => {
    const marks = contender === prototype ? toBeat : run(contender)
    return [contender.name, { ...summarise(marks), hard: summarise(hard(marks)) }] as const
  })
  const ablations = (options.ablate ? ABLATIONS : []).map((contender) => {
    const marks = run(contender)
    return [contender.name, { ...summarise(marks), without: gainsOver(ours, marks) }] as const
  })
  return {
    ...{ repo, budget: options.budget, ...summarise(ours), hard: summarise(hard(ours)) },
    baselines: Object.fromEntries(rivals),
    overLineM: gainsOver(ours, toBeat),
    ablations: Object.fromEntries(ablations),
    overBudget: ours.filter(({ over }) => over).length,
    overBudgetTasks: cases.filter((_, at) => ours[at]!.over).map(({ task }) => task.commit.id),
    repeatsDiffer: ours.filter((marks, at) => !Bun.deepEquals(marks, again[at])).length,
    msPerPack: Math.round(msPerPack * 10) / 10,
  }
}

function runAll(
  contender: Contender,
  world: BenchWorld,
  cases: readonly BenchCase[],
  budget: number,
): Marks[] {
  return cases.map((of) => marksOf(contender.answer(world, of, budget), of, budget))
}

function gainsOver(ours: readonly Marks[], theirs: readonly Marks[]): Gains {
  return {
    fileRecall: compare(ours, theirs, ({ files }) => files),
    fileRecallAt5: compare(ours, theirs, ({ filesAt5 }) => filesAt5),
    symbolRecall: compare(ours, theirs, ({ symbols }) => symbols),
  }
}

function table(result: Quality): string {
  const row = (name: string, all: Summary, hard: Summary | null) => {
    const of = ({ fileRecall, fileRecallAt5, symbolRecall }: Summary) =>
      [fileRecall, fileRecallAt5, symbolRecall].map((value) => value.toFixed(3)).join('  ')
    return `${name.padEnd(32)} ${of(all)}   ${hard === null ? '' : of(hard)}   ${all.tokens}`
  }
  const gain = ({ points, low, high }: Difference) => `${points} [${low}, ${high}]`
  const gains = ({ fileRecall, fileRecallAt5, symbolRecall }: Gains) =>
    `files ${gain(fileRecall)}, at 5 ${gain(fileRecallAt5)}, symbols ${gain(symbolRecall)}`
  return [
    `${result.repo}: ${result.tasks} tasks (${result.hard.tasks} hard), ${result.budget} tokens, ${result.msPerPack} ms a pack, ${result.overBudget} over budget`,
    `${''.padEnd(32)} files  at 5   symbols hard: files  at 5   symbols   tokens`,
    row('av', result, result.hard),
    ...Object.entries(result.baselines).map(([name, summary]) => row(name, summary, summary.hard)),
    ...Object.entries(result.ablations).map(([name, summary]) => row(name, summary, null)),
    `av less line M: ${gains(result.overLineM)}`,
    ...Object.entries(result.ablations).map(
      ([name, { without }]) => `av less ${name}: ${gains(without)}`,
    ),
  ].join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      repo: { type: 'string' },
      tasks: { type: 'string', default: '300' },
      budget: { type: 'string', default: '800' },
      ablate: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const history = await givenHistory('quality', values.repo)
  const result = await quality(history, repoName(values.repo!), {
    tasks: Number(values.tasks),
    budget: Number(values.budget),
    ablate: values.ablate,
  })
  process.stdout.write(`${values.json ? JSON.stringify(result, null, 2) : table(result)}\n`)
}

/** The folder's name, or its parent's where that is only a place to keep a repository in. */
function repoName(dir: string): string {
  const path = resolve(dir).replace(/\/\.git$/, '')
  return /^(?:repo|git|bare|mirror)$/.test(basename(path))
    ? basename(resolve(path, '..'))
    : basename(path)
}
