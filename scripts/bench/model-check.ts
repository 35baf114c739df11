#!/usr/bin/env bun
/**
 * The model check: random histories of claims, writes, lapsed leases, handoffs, merges, crashes and restarts on the
 * real calls and a real store, each answer held against a small reference, each repo's rows against what must hold.
 *
 *   bun scripts/bench/model-check.ts [--histories N] [--seed S] [--backend pglite|postgres] [--workers N]
 *   bun scripts/bench/model-check.ts --mutant generation|cas|fencing|tree [--histories N] [--seed S]
 *   bun scripts/bench/model-check.ts --seed S --steps 0,3,4
 *
 * Histories have the seeds S, S+1, …; on PGlite each is the same every time, so a failing one is replayed by its seed
 * and `--histories 1`, or by the steps that were left of it. `postgres` has two daemons on one database and sends
 * requests at the same moment (AV_TEST_POSTGRES_URL, or a private server for the time of the run). With `--mutant` the
 * program is copied, one safeguard is taken out of the copy, and the run succeeds when a violation is found.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../../src/store/open.ts'
import { linkPostgres } from '../../src/store/postgres.ts'
import { type HistoryOutcome, playHistory, shrinkHistory } from '../../test/model/history.ts'
import { Stage } from '../../test/model/stage.ts'
import { scratchDatabase, separateStore } from '../../test/support/stores.ts'
import { startPostgres } from '../postgres.ts'
import { mutatedCopy } from './model-mutants.ts'

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'pglite' },
    workers: { type: 'string', default: '1' },
    mutant: { type: 'string' },
    steps: { type: 'string' },
  },
})
const histories = Number(values.histories)
const firstSeed = Number(values.seed)
const workers = Number(values.workers)
const steps = values.steps?.split(',').map(Number)
process.exitCode = await main()

async function main(): Promise<number> {
  if (values.mutant !== undefined) return checkMutant(values.mutant)
  if (workers > 1) return shareOut()
  const opened = await openStage()
  try {
    return await run(opened.stage)
  } finally {
    await opened.close()
  }
}

/** The same check in a copy without the safeguard: to find nothing is what fails. */
async function checkMutant(name: string): Promise<number> {
  const copy = await mutatedCopy(name)
  try {
    const done = await runAgain(copy.folder, firstSeed, histories)
    const [found] = done.output.match(/^violation .*$/m) ?? []
    console.log(
      found === undefined
        ? `mutant ${name}: NOT found in ${histories} histories from seed ${firstSeed}\n${done.output}`
        : `mutant ${name}: found, ${found}`,
    )
    return found === undefined ? 1 : 0
  } finally {
    await copy.remove()
  }
}

async function shareOut(): Promise<number> {
  const each = Math.ceil(histories / workers)
  const done = await Promise.all(
    Array.from({ length: workers }, (_, worker) => {
      const from = worker * each
      const share = Math.min(each, histories - from)
      return runAgain(join(import.meta.dir, '../..'), firstSeed + from, share)
    }),
  )
  for (const { output } of done) console.log(output.trimEnd())
  return done.every(({ exit }) => exit === 0) ? 0 : 1
}

async function runAgain(folder: string, seed: number, count: number) {
  const child = Bun.spawn(
    [
      ...[process.execPath, 'scripts/bench/model-check.ts', '--seed', `${seed}`],
      ...['--histories', `${count}`, '--backend', values.backend],
    ],
    { cwd: folder, stdout: 'pipe', stderr: 'inherit' },
  )
  const output = await new Response(child.stdout).text()
  return { output, exit: await child.exited }
}

async function run(stage: Stage): Promise<number> {
  const begun = performance.now()
  let made = 0
  let requests = 0
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const outcome = await playHistory(stage, seed, steps)
    made += outcome.steps
    requests += outcome.requests
    if (outcome.failure !== null) return tellFailure(stage, outcome)
  }
  const secs = (performance.now() - begun) / 1000
  console.log(
    `${values.backend}: ${histories} histories (seeds ${firstSeed} to ${firstSeed + histories - 1}), ` +
      `${made} steps, ${requests} writes and reads acknowledged, no violation; ${secs.toFixed(1)} s, ` +
      `${((secs * 1000) / histories).toFixed(1)} ms a history, ` +
      `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB at most`,
  )
  return 0
}

/** Whole where requests were sent at the same moment: it may not fail a second time. */
async function tellFailure(stage: Stage, failed: HistoryOutcome): Promise<number> {
  const { seed } = failed
  console.log(`violation in the history of seed ${seed}: ${failed.failure}`)
  console.log(
    `replay: bun scripts/bench/model-check.ts --backend ${values.backend} --seed ${seed} --histories 1`,
  )
  if (stage.size > 1 || steps !== undefined) {
    console.log(failed.told.join('\n'))
    return 1
  }
  const least = await shrinkHistory(stage, failed)
  console.log(`what is left of it (--seed ${seed} --histories 1 --steps ${least.chosen.join()}):`)
  console.log(least.told.join('\n'))
  console.log(String(least.failure))
  return 1
}

type Opened = { readonly stage: Stage; readonly close: () => Promise<void> }

async function openStage(): Promise<Opened> {
  if (values.backend === 'postgres') return openTwoDaemons()
  if (values.backend !== 'pglite') throw new RangeError(`no such backend: ${values.backend}`)
  const { store, query, close } = await separateStore()
  return { stage: new Stage([store], query), close }
}

async function openTwoDaemons(): Promise<Opened> {
  const given = process.env.AV_TEST_POSTGRES_URL
  const server = given === undefined ? await startPostgres() : null
  if (server !== null && 'missing' in server) throw new Error(server.missing)
  const scratch = await scratchDatabase(given ?? server?.url ?? '')
  const options = { databaseUrl: scratch.url, home: 'unused', version: '0.0.0-test' }
  const first = await openStore(options)
  const second = await openStore(options)
  const link = await linkPostgres(scratch.url)
  return {
    stage: new Stage([first.store, second.store], link.query),
    close: async () => {
      await first.store.close()
      await second.store.close()
      await link.close()
      await scratch.drop()
      await server?.stop()
    },
  }
}
