import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Bench, type Case, expectRefusal, factsOf, setUpBench } from './error-case.ts'
import { inputCases } from './error-cases-input.ts'
import { moreCases } from './error-cases-more.ts'
import { placeCases } from './error-cases-place.ts'
import { storeCases } from './error-cases-store.ts'

/** The list "Errors people meet" of the command line's contract, in its words. */
const ERRORS_PEOPLE_MEET = [
  'not in a repository',
  'or in one without `av init`',
  'jj missing',
  'or older than the minimum',
  'the workspace folder was deleted',
  'two daemons',
  'a daemon of another version',
  'a store of a newer version (refused, untouched)',
  'the disk full (nothing acknowledged is lost)',
  'Postgres unreachable (writes refused, never queued silently)',
  'Postgres without rights to migrate',
  'Qdrant down (packs go on, `degraded: semantic`)',
  'an unwritable `AV_HOME`',
  'a summary of 201 characters',
  'a path outside the repository',
  'a symbol that does not exist',
  'a claim lost',
  'a second merge at the same moment',
  'a file that is not UTF-8',
  'has 2 GB',
  'or is a broken link',
  'a repository without commits',
  'or whose trunk has another name',
] as const

type Row = (typeof ERRORS_PEOPLE_MEET)[number]

const CASES: Readonly<Record<Row, Case>> = { ...placeCases, ...storeCases, ...inputCases }
const LONG_MS = 90_000

let bench: Bench
const benchMade = new AsyncDisposableStack()
beforeAll(async () => {
  bench = await setUpBench(benchMade)
}, LONG_MS)
afterAll(() => benchMade.disposeAsync())

test('every row of the list has a case, and every case its row', () => {
  expect(Object.keys(CASES).sort()).toEqual([...ERRORS_PEOPLE_MEET].sort())
})

describe('an error people meet', () => {
  for (const row of ERRORS_PEOPLE_MEET) define(row, CASES[row])
})

describe('beyond the list', () => {
  for (const [row, each] of Object.entries(moreCases)) define(row, each)
})

function define(row: string, each: Case): void {
  const missing = each.missing?.() ?? null
  const name = missing === null ? row : `${row} (skipped: ${missing})`
  test.skipIf(missing !== null)(name, () => meet(each), LONG_MS)
}

async function meet(each: Case): Promise<void> {
  await using made = new AsyncDisposableStack()
  if (each.is === 'survived') return await each.prove(bench, made)
  const attempt = await each.provoke(bench, made)
  const before = attempt.machine === bench.machine ? await factsOf(bench.machine, bench.root) : null
  await expectRefusal(each, attempt)
  // Nothing was lost of what had been acknowledged, and nothing of the refused was kept.
  if (before !== null) expect(await factsOf(bench.machine, bench.root)).toBe(before)
  await each.after?.(bench, attempt)
}
