#!/usr/bin/env bun
/**
 * Is the decision, or the dead end, that concerns the code in the pack? On the history of a local repository:
 *
 *   bun scripts/bench/decisions.ts --repo DIR [--tasks 300] [--budget 800] [--among-notes] [--misses N] [--json]
 *
 * Records are older commits that say why and reverts (`bench-decisions.ts`), the newest 1,000, anchored
 * at the definitions they changed; with `--among-notes` the other commits are notes beside them. A task
 * is a commit (as in quality.ts) that changes a definition which such a record is anchored at; its
 * parent's tree is the state. A record is there when its id begins a line of the pack, at whatever tier.
 *
 * wanted  of each definition changed the newest record: which share of these is in
 * newest  the newest one of all
 * any     at least one of those wanted
 * all     share of every record anchored at a definition changed, those that were followed by others too
 *
 * Asked when the task is fresh (its goal is all there is), when it has begun (its files are changed),
 * and after a checkpoint (the definitions are known too). The baselines spend the whole budget on lines
 * of records. A DIR that is no repository is skipped, with its reason.
 */
import { parseArgs } from 'node:util'
import type { PackRecord } from '../../src/domain/pack-history.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { type Moment, packOf } from './av-contender.ts'
import { queryTerms } from './baselines.ts'
import { casesOf } from './bench-cases.ts'
import { BenchDecisions, type Concerning } from './bench-decisions.ts'
import { evenly, tasksOf } from './bench-tasks.ts'
import { Answer, type BenchCase, type BenchWorld } from './contender.ts'
import { Corpus } from './corpus.ts'
import { givenHistory } from './given-history.ts'
import type { History } from './history.ts'
import { type Share, shareOf } from './metrics.ts'

export type DecisionFigures = {
  readonly tasks: number
  readonly wanted: Share
  readonly newest: Share
  readonly any: Share
  readonly all: Share
  /** Records shown, on average. */
  readonly shown: number
}
type Row = DecisionFigures & { readonly hard: DecisionFigures }
export type DecisionResult = {
  readonly budget: number
  readonly records: number
  /** On average, of a task. */
  readonly wantedPerTask: number
  readonly moments: Readonly<Record<string, Readonly<Record<string, Row>>>>
  readonly misses: readonly Miss[]
}
/** A task that lacks a record wanted of it, with what it got. */
export type Miss = {
  readonly commit: string
  readonly goal: string
  readonly moment: string
  readonly changed: readonly string[]
  readonly lacking: readonly string[]
  readonly text: string
}

type DecisionCase = { readonly of: BenchCase; readonly concerning: Concerning }
/** The ids of the records it shows, best first. */
type Finder = (world: BenchWorld, each: DecisionCase, moment: Moment, budget: number) => string[]

export async function decisions(
  history: History,
  options: {
    readonly tasks: number
    readonly budget: number
    readonly amongNotes: boolean
    readonly misses: number
  },
): Promise<DecisionResult> {
  const { world, cases, records } = await decisionCases(history, options)
  const { budget } = options
  const misses: Miss[] = []
  const moments = Object.entries(MOMENTS).map(([name, momentOf]) => {
    const rows = Object.entries(FINDERS).map(([finder, find]) => {
      const shown = cases.map((each) => new Set(find(world, each, momentOf(each), budget)))
      return [finder, rowOf(cases, shown)] as const
    })
    misses.push(...missesOf(world, cases, name, momentOf, budget).slice(0, options.misses))
    return [name, Object.fromEntries(rows)] as const
  })
  const wanted = cases.reduce((sum, { concerning }) => sum + concerning.wanted.length, 0)
  return {
    ...{ budget, records, wantedPerTask: Math.round((wanted * 10) / cases.length) / 10 },
    ...{ moments: Object.fromEntries(moments), misses },
  }
}

async function decisionCases(
  history: History,
  { tasks: wanted, amongNotes }: { readonly tasks: number; readonly amongNotes: boolean },
): Promise<{
  readonly world: BenchWorld
  readonly cases: readonly DecisionCase[]
  readonly records: number
}> {
  const { tasks, commits } = await tasksOf(history, Number.POSITIVE_INFINITY)
  const corpus = Corpus.open(history)
  const decided = await BenchDecisions.read(history, corpus, { commits, tasks }, amongNotes)
  const concerned = tasks.filter((task) => decided.concerning(task).wanted.length > 0)
  const chosen = evenly(concerned, wanted)
  const { world, cases } = await casesOf(history, corpus, chosen, decided.records, false)
  return {
    ...{ world, records: decided.records.size },
    cases: cases.map((of) => ({ of, concerning: decided.concerning(of.task) })),
  }
}

const MOMENTS: Readonly<Record<string, (each: DecisionCase) => Moment>> = {
  fresh: () => ({ focus: [], changed: [] }),
  begun: ({ of }) => ({
    focus: [],
    changed: of.goldFiles.map((path) => ({ path, symbols: [] })),
  }),
  'checkpoint taken': ({ concerning }) => ({ focus: [], changed: concerning.changed }),
}

const FINDERS: Readonly<Record<string, Finder>> = {
  av: (world, { of }, moment, budget) => idsIn(packOf(world, of, budget, undefined, moment).text),
  'newest at the files': (world, { of }, { changed }, budget) => {
    const { lexical, records } = world
    const found = lexical.searchFiles(of.view, queryTerms(of.task.goal), FILES_OPENED)
    const paths = (changed.length > 0 ? changed : found).map(({ path }) => path)
    const there = records.get(lexical.anchoredAt(of.records, paths).map(({ id }) => id))
    return listed(
      world,
      there.sort((a, b) => b.position - a.position),
      budget,
    )
  },
  'BM25 over records': (world, { of }, _, budget) => {
    const hits = world.lexical.searchRecords(of.records, queryTerms(of.task.goal), RECORDS_READ)
    return listed(world, world.records.get(hits.map(({ id }) => id)), budget)
  },
}

const FILES_OPENED = 5
const RECORDS_READ = 100

function idsIn(text: string): string[] {
  return [...text.matchAll(/^- (r:[0-9a-f]+) /gm)].map(([, id]) => id!)
}

/** As many as the whole budget holds, a line each. */
function listed(world: BenchWorld, records: readonly PackRecord[], budget: number): string[] {
  const answer = new Answer(budget, world.countTokens)
  const fitting = records.findIndex(
    ({ id, kind, summary }) => !answer.take(`- ${id} ${kind}: ${summary.slice(0, 56)}\n`, id),
  )
  return records.slice(0, fitting < 0 ? records.length : fitting).map(({ id }) => id)
}

function rowOf(cases: readonly DecisionCase[], shown: readonly ReadonlySet<string>[]): Row {
  const figures = (wanted: (of: BenchCase) => boolean): DecisionFigures => {
    const of = cases.flatMap((each, at) =>
      wanted(each.of) ? [{ ...each, shown: shown[at]! }] : [],
    )
    const share = (value: (each: (typeof of)[number]) => number) => shareOf(of.map(value))
    const shareIn = (ids: readonly RecordId[], among: ReadonlySet<string>) =>
      ids.filter((id) => among.has(id)).length / ids.length
    const records = of.reduce((sum, each) => sum + each.shown.size, 0)
    return {
      tasks: of.length,
      wanted: share((each) => shareIn(each.concerning.wanted, each.shown)),
      newest: share((each) => shareIn(each.concerning.all.slice(0, 1), each.shown)),
      any: share((each) => Math.ceil(shareIn(each.concerning.wanted, each.shown))),
      all: share((each) => shareIn(each.concerning.all, each.shown)),
      shown: Math.round((records * 10) / Math.max(1, of.length)) / 10,
    }
  }
  return { ...figures(() => true), hard: figures(({ hard }) => hard) }
}

function missesOf(
  world: BenchWorld,
  cases: readonly DecisionCase[],
  name: string,
  momentOf: (each: DecisionCase) => Moment,
  budget: number,
): Miss[] {
  return cases.flatMap((each) => {
    const { of, concerning } = each
    const { text } = packOf(world, of, budget, undefined, momentOf(each))
    const shown = new Set(idsIn(text))
    const lacking = concerning.wanted.filter((id) => !shown.has(id))
    if (lacking.length === 0) return []
    const line = ({ id, summary, anchors }: PackRecord) =>
      `${id} ${summary} [${anchors.map(({ path, symbol }) => `${path}:${symbol}`).join(', ')}]`
    return [
      {
        ...{ commit: of.task.commit.id, goal: of.task.goal, moment: name, text },
        changed: concerning.changed.map(({ path, symbols }) => `${path}: ${symbols.join(', ')}`),
        lacking: world.records.get(lacking).map(line),
      },
    ]
  })
}

function table({ budget, records, wantedPerTask, moments, misses }: DecisionResult): string {
  const of = ({ share, low, high }: Share) =>
    `${share.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`
  const cells = (figures: DecisionFigures) =>
    [figures.wanted, figures.newest, figures.any, figures.all].map(of).join('  ')
  const rows = Object.entries(moments).flatMap(([moment, finders]) => [
    `${moment}:`,
    ...Object.entries(finders).flatMap(([name, row]) => [
      `  ${name.padEnd(22)} ${cells(row)}  ${row.shown}`,
      `  ${`  hard (${row.hard.tasks})`.padEnd(22)} ${cells(row.hard)}`,
    ]),
  ])
  const tasks = Object.values(moments)[0]!.av!.tasks
  return [
    `${tasks} tasks, ${budget} tokens, ${records} records, ${wantedPerTask} wanted of a task`,
    `${''.padEnd(24)} ${['wanted', 'newest', 'any', 'all'].map((name) => name.padEnd(22)).join(' ')} shown`,
    ...rows,
    ...misses.flatMap(({ commit, goal, moment, changed, lacking, text }) => [
      `\n=== ${moment}: ${commit.slice(0, 12)} ${goal}\nchanges ${changed.join('; ')}`,
      `lacks ${lacking.join('\n      ')}\n--- ${text}`,
    ]),
  ].join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      repo: { type: 'string' },
      tasks: { type: 'string', default: '300' },
      budget: { type: 'string', default: '800' },
      'among-notes': { type: 'boolean', default: false },
      misses: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
  })
  const history = await givenHistory('decisions', values.repo)
  const result = await decisions(history, {
    ...{ tasks: Number(values.tasks), budget: Number(values.budget) },
    ...{ amongNotes: values['among-notes'], misses: Number(values.misses) },
  })
  process.stdout.write(`${values.json ? JSON.stringify(result, null, 2) : table(result)}\n`)
}
