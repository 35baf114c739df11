#!/usr/bin/env bun
/**
 * What the session ledger saves over a session of ten packs, on the history of a local repository:
 *
 *   bun scripts/bench/ledger.ts --repo DIR [--tasks 50] [--budget 800] [--json]
 *
 * Each task (a commit, as in quality.ts) is one session of one reader, in two ways: the same task moving on, which has
 * changed one more of its files each time; and ten different focuses. A token is sent again when it belongs to an item
 * that the reader had, unchanged, at that tier or a richer one. A DIR that is no repository is skipped, with its reason.
 */
import { parseArgs } from 'node:util'
import { deliveredBy, type Ledger, type Sent, sentAfter } from '../../src/domain/ledger.ts'
import type { Pack } from '../../src/domain/pack-finish.ts'
import type { Manifest } from '../../src/domain/receipt.ts'
import { type Tier, tierRank } from '../../src/domain/section-fill.ts'
import { WEIGHTS } from '../../src/domain/weights.ts'
import { type Moment, packOf } from './av-contender.ts'
import { loadCases } from './bench-cases.ts'
import type { BenchCase, BenchWorld } from './contender.ts'
import { givenHistory } from './given-history.ts'
import type { History } from './history.ts'

const PACKS = 10

type Way = { readonly name: string; readonly moments: (paths: readonly string[]) => Moment[] }

const WAYS: readonly Way[] = [
  {
    name: 'the same task moving on',
    moments: (paths) =>
      Array.from({ length: PACKS }, (_, at) => ({
        focus: [],
        changed: paths.slice(0, at).map((path) => ({ path, symbols: [] })),
      })),
  },
  {
    name: 'ten different focuses',
    moments: (paths) =>
      Array.from({ length: PACKS }, (_, at) => ({
        focus: paths.slice(at, at + 1),
        changed: [],
      })),
  },
]

/** Of one session. `items`: what the reader knows of at its end. */
type Read = {
  readonly tokens: number
  readonly resent: number
  readonly line: number
  readonly items: number
  readonly files: number
  readonly symbols: number
}

export type LedgerFigures = {
  readonly way: string
  readonly sessions: number
  readonly without: Read
  readonly with: Read
  /** Of the tokens that go out without a ledger, those that it need not send again, its own line paid for. */
  readonly savedShare: number
  readonly itemsRatio: number
}

export async function ledgerFigures(
  history: History,
  options: { readonly tasks: number; readonly budget: number },
): Promise<readonly LedgerFigures[]> {
  const { world, cases } = await loadCases(history, options.tasks, false)
  return WAYS.map(({ name, moments }) => {
    const sessions = cases.map((of) => {
      const first = packOf(world, of, options.budget)
      const asked = moments(pathsOf(first.manifest).slice(0, PACKS))
      const run = (isKept: boolean) => readAll(world, of, options.budget, asked, isKept)
      return { without: run(false), with: run(true) }
    })
    const without = meanOf(sessions.map((session) => session.without))
    const kept = meanOf(sessions.map((session) => session.with))
    const saved = without.resent - kept.resent - kept.line
    return {
      ...{ way: name, sessions: sessions.length, without, with: kept },
      savedShare: rounded(saved / without.tokens),
      itemsRatio: rounded(kept.items / without.items),
    }
  })
}

/** Every pack is delivered. Without a ledger the reader still notices what comes again. */
function readAll(
  world: BenchWorld,
  of: BenchCase,
  budget: number,
  moments: readonly Moment[],
  isKept: boolean,
): Read {
  const had = new Map<string, Sent>()
  const files = new Set<string>()
  const symbols = new Set<string>()
  let [tokens, resent, line] = [0, 0, 0]
  for (const moment of moments) {
    const ledger: Ledger = isKept ? had : new Map()
    const pack = packOf(world, of, budget, WEIGHTS, { ...moment, ledger })
    if (pack.tokens > budget) throw new Error(`a pack of ${pack.tokens} tokens for ${budget}`)
    tokens += pack.tokens
    resent += resentIn(pack, had)
    line += world.countTokens(/^sent before: .*\n/m.exec(pack.text)?.[0] ?? '')
    for (const item of deliveredBy(pack.manifest)) {
      had.set(item.id, sentAfter(had.get(item.id) ?? null, item))
    }
    for (const path of pathsOf(pack.manifest)) files.add(path)
    for (const place of placesOf(pack.manifest)) symbols.add(place)
  }
  const found = (gold: readonly string[], known: ReadonlySet<string>) =>
    gold.length === 0 ? 1 : gold.filter((each) => known.has(each)).length / gold.length
  return {
    ...{ tokens, resent, line, items: had.size },
    ...{ files: found(of.goldFiles, files), symbols: found(of.goldSymbols, symbols) },
  }
}

function resentIn({ manifest }: Pack, had: ReadonlyMap<string, Sent>): number {
  let tokens = 0
  for (const { id, tier, costs, hashes } of manifest.items) {
    const before = had.get(id)
    if (tier === null || before === undefined || hashes === undefined) continue
    const isSame = hashes[before.tier] === before.hash && isAtMost(tier, before.tier)
    if (isSame) tokens += costs[tier] ?? 0
  }
  return tokens
}

const isAtMost = (tier: Tier, other: Tier) => tierRank(tier) <= tierRank(other)

/** Files shown, best first. */
function pathsOf({ items }: Manifest): string[] {
  return items.flatMap(({ path, tier }) => (path === undefined || tier === null ? [] : [path]))
}

function placesOf({ items }: Manifest): string[] {
  const paths = new Map(items.map(({ id, path }) => [id, path]))
  return items.flatMap(({ symbol, line, parent, tier }) =>
    symbol === undefined || tier === null ? [] : [`${paths.get(parent ?? '')}\0${line}`],
  )
}

function meanOf(reads: readonly Read[]): Read {
  const mean = (of: (read: Read) => number) =>
    rounded(reads.reduce((sum, read) => sum + of(read), 0) / Math.max(1, reads.length))
  return {
    tokens: mean(({ tokens }) => tokens),
    resent: mean(({ resent }) => resent),
    line: mean(({ line }) => line),
    items: mean(({ items }) => items),
    files: mean(({ files }) => files),
    symbols: mean(({ symbols }) => symbols),
  }
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

function table(figures: readonly LedgerFigures[]): string {
  return figures
    .map(({ way, sessions, without, with: kept, savedShare, itemsRatio }) => {
      const row = (name: string, read: Read) =>
        `  ${name.padEnd(8)} tokens ${read.tokens}, sent again ${read.resent}, line ${read.line}, items ${read.items}, files ${read.files}, symbols ${read.symbols}`
      return [
        `${way}: ${sessions} sessions of ${PACKS} packs`,
        row('without', without),
        row('with', kept),
        `  saved ${savedShare} of all tokens; ${itemsRatio} times the items`,
      ].join('\n')
    })
    .join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      repo: { type: 'string' },
      tasks: { type: 'string', default: '50' },
      budget: { type: 'string', default: '800' },
      json: { type: 'boolean', default: false },
    },
  })
  const history = await givenHistory('ledger', values.repo)
  const { tasks, budget } = values
  const figures = await ledgerFigures(history, { tasks: Number(tasks), budget: Number(budget) })
  process.stdout.write(`${values.json ? JSON.stringify(figures, null, 2) : table(figures)}\n`)
}
