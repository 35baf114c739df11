#!/usr/bin/env bun
/**
 * Many agents at once, by the compiled binary: each round is a task from start to merge.
 *
 *   bun scripts/bench/load.ts [--agents 8] [--rounds 50] [--backend pglite|postgres] [--daemons 4] [--json]
 *
 * pglite: one home, one clone, one daemon. postgres: a private server (or `AV_TEST_POSTGRES_URL`), `--daemons` homes
 * with a daemon and a clone each, and a bare repository as the team's remote. A round: start, two records, an edit,
 * checkpoint, submit, approve by another agent, merge; every fifth round edits lines that all agents edit, so that
 * approvals go stale and merges conflict, and is carried to its end all the same. Afterwards nothing may be missing:
 * each record that was acknowledged is in the log, each merge is on trunk once, trunk is linear, each line is in its file.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { startPostgres } from '../postgres.ts'
import { Agent, BINARY, type Home, type Outcome } from './load-agent.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '50' },
    backend: { type: 'string', default: 'pglite' },
    daemons: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
})
const AGENTS = Number(values.agents)
const ROUNDS = Number(values.rounds)

if (!existsSync(BINARY)) fail('dist/av is not built: bun scripts/build.ts')
const folder = await mkdtemp(join(tmpdir(), 'av-load-'))
const database = values.backend === 'postgres' ? await scratchDatabase() : null
try {
  await run()
} finally {
  await database?.stop()
  await rm(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const homes = await makeHomes(database === null ? 1 : Number(values.daemons))
  const agents = Array.from({ length: AGENTS }, (_, at) => {
    const home = homes[at % homes.length]
    if (home === undefined) throw new Error('no home')
    return new Agent(home, at, AGENTS)
  })
  const began = performance.now()
  const outcomes = await Promise.all(agents.map((agent) => agent.work(ROUNDS)))
  const seconds = (performance.now() - began) / 1_000
  const lost = await missing(homes, outcomes)
  for (const home of homes) await home.av('load', home.clone, ['daemon', 'stop'])
  report(seconds, outcomes, lost)
  if (lost.length > 0) process.exit(1)
}

async function makeHomes(count: number): Promise<readonly Home[]> {
  const { makeHome } = await import('./load-agent.ts')
  const seed = join(folder, 'seed')
  mkdirSync(join(seed, 'src'), { recursive: true })
  for (let agent = 0; agent < AGENTS; agent++) {
    writeFileSync(join(seed, `src/agent-${agent}.ts`), 'export const rounds: string[] = []\n')
  }
  writeFileSync(join(seed, 'src/shared.ts'), 'export const shared: string[] = [\n]\n')
  if (count > 1) writeFileSync(join(seed, '.av.toml'), 'remote = "origin"\n')
  git(seed, ['init', '-q', '-b', 'main'])
  git(seed, ['add', '-A'])
  git(seed, ['commit', '-q', '-m', 'seed'])
  git(folder, ['clone', '-q', '--bare', seed, join(folder, 'remote.git')])
  const homes: Home[] = []
  for (let at = 0; at < count; at++) {
    const clone = join(folder, `clone-${at}`)
    git(folder, ['clone', '-q', join(folder, 'remote.git'), clone])
    if (count === 1) git(clone, ['remote', 'remove', 'origin'])
    const home = makeHome(folder, at, clone, database?.url ?? null)
    await home.av('load', clone, ['init'])
    homes.push(home)
  }
  return homes
}

/** What was acknowledged and is not there. */
async function missing(homes: readonly Home[], outcomes: readonly Outcome[]): Promise<string[]> {
  const [home] = homes
  if (home === undefined) throw new Error('no home')
  const lost: string[] = []
  if (database !== null) await home.av('load', home.clone, ['sync'])
  const log = await home.av('load', home.clone, ['log', '--all'])
  const recorded = new Set((log.data.items as { id: string }[]).map(({ id }) => id))
  for (const { records } of outcomes) {
    for (const id of records) if (!recorded.has(id)) lost.push(`record ${id}`)
  }
  const trunk = database === null ? home.clone : join(folder, 'remote.git')
  const commits = git(trunk, ['log', '--format=%H %P', 'main']).trim().split('\n')
  if (commits.some((line) => line.split(' ').length > 2)) lost.push('trunk is not linear')
  const onTrunk = commits.map((line) => line.slice(0, 40))
  for (const { landed } of outcomes) {
    for (const commit of landed) if (!onTrunk.includes(commit)) lost.push(`merge ${commit}`)
  }
  const merges = outcomes.reduce((sum, { landed }) => sum + landed.length, 0)
  if (commits.length !== merges + 1) lost.push(`${commits.length} commits for ${merges} merges`)
  git(folder, ['clone', '-q', trunk, join(folder, 'check')])
  for (const [agent, { lines }] of outcomes.entries()) {
    const text = readFileSync(join(folder, 'check', `src/agent-${agent}.ts`), 'utf8')
    const shared = readFileSync(join(folder, 'check', 'src/shared.ts'), 'utf8')
    for (const line of lines) {
      if (!text.includes(line) && !shared.includes(line)) lost.push(`line ${line}`)
    }
  }
  return lost
}

function report(seconds: number, outcomes: readonly Outcome[], lost: readonly string[]): void {
  const times = new Map<string, number[]>()
  for (const { ms } of outcomes) {
    for (const [command, each] of ms) times.set(command, [...(times.get(command) ?? []), ...each])
  }
  const sum = (pick: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + pick(outcome), 0)
  const figures = {
    backend: values.backend,
    daemons: database === null ? 1 : Number(values.daemons),
    agents: AGENTS,
    rounds: sum(({ landed }) => landed.length),
    seconds: Math.round(seconds),
    roundsPerMinute: Math.round((sum(({ landed }) => landed.length) / seconds) * 60),
    conflicts: sum(({ conflicts }) => conflicts),
    stale: sum(({ stale }) => stale),
    waits: sum(({ waits }) => waits),
    lost,
    commands: [...times]
      .map(([command, ms]) => ({
        command,
        count: ms.length,
        p50: percentile(ms, 0.5),
        p95: percentile(ms, 0.95),
      }))
      .sort((a, b) => (a.command < b.command ? -1 : 1)),
  }
  if (values.json) {
    console.log(JSON.stringify(figures, null, 2))
    return
  }
  const { commands, ...rest } = figures
  console.log(rest)
  console.table(commands)
}

function percentile(ms: readonly number[], share: number): number {
  const sorted = [...ms].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
}

async function scratchDatabase() {
  const given = process.env.AV_TEST_POSTGRES_URL
  const clusters = given === undefined ? await startPostgres() : null
  if (clusters !== null && 'missing' in clusters) fail(clusters.missing)
  const server = given ?? (clusters !== null && 'url' in clusters ? clusters.url : '')
  const name = `av_load_${process.pid}`
  const admin = new SQL(server)
  await admin.unsafe(`CREATE DATABASE ${name}`)
  await admin.close()
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    stop: async () => {
      const last = new SQL(server)
      await last.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await last.close()
      if (clusters !== null && 'stop' in clusters) await clusters.stop()
    },
  }
}

function git(cwd: string, words: readonly string[]): string {
  const who = ['-c', 'user.name=Load', '-c', 'user.email=load@example.com']
  const done = Bun.spawnSync(['git', ...who, ...words], { cwd })
  if (done.exitCode !== 0) fail(`git ${words.join(' ')}: ${done.stderr}`)
  return done.stdout.toString()
}

function fail(why: string): never {
  console.error(why)
  process.exit(1)
}
