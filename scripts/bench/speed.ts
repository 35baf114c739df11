#!/usr/bin/env bun
/**
 * Speed and memory, beside a peer or a bound in the same run:
 *
 *   bun scripts/bench/speed.ts [--only NAME,NAME…] [--repo DIR] [--json]
 *
 * pack     a pack in the daemon: 20,000 files, 100,000 records (made up, seeded), real store and handlers;
 *          60 after a start, then 60 once its code has run for a while
 * small    the same with 500 files and 1,000 records
 * process  `av pack` as a whole process, warm daemon, beside `git status` in the same folder
 * index    the first index of DIR's code by the compiled binary, beside hashing all of it (a bound)
 *          and, where it is installed, ctags (a peer)
 * change   ten changed files: until the pack knows them
 * change-large  the same in the daemon, of 20,000 files that import from each other, 100,000 records;
 *          then with six changed files, two that are new and two that are gone
 *
 * Without `--only` all of them, in the order small, pack, change-large, process, index, change.
 * `process`, `index` and `change` need `--repo`, a local git repository, and dist/av (or AV_TEST_BINARY).
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MadeUp } from './made-up.ts'
import { inDaemon, type View } from './made-up-daemon.ts'
import { peakRss } from './peak-rss.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'small,pack,change-large,process,index,change' },
    repo: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const BINARY = process.env.AV_TEST_BINARY ?? join(import.meta.dir, '../../dist/av')
const PACKS = 60
const CHANGES = 25
const RUNS = 25
const CODE = /\.(?:tsx?|jsx?|mjs|py|go|rs|java|c|cc|cpp|cs|rb|php|kt|scala|sh)$/

type Figure = { readonly what: string; readonly value: string; readonly target: string }
const figures: Figure[] = []

const parts: Readonly<Record<string, () => Promise<void>>> = {
  small: () => packs(500, 1_000, 'p50 <= 5 ms'),
  pack: () => packs(20_000, 100_000, 'p50 <= 40 ms, p95 <= 120 ms, RSS <= 700 MB'),
  'change-large': async () => {
    await largeChanges(20_000, 100_000, false)
    await largeChanges(20_000, 100_000, true)
  },
  process: wholeProcess,
  index: coldIndex,
  change: afterChanges,
}
for (const name of values.only.split(',')) {
  const part = parts[name]
  if (part === undefined) fail(`there is no part ${name}`)
  await part()
}
if (values.json) console.log(JSON.stringify(figures, null, 2))
else
  for (const { what, value, target } of figures)
    console.log(`${what}: ${value} (to reach: ${target})`)

// --- packs in the daemon

/** Packs for one goal after another, of a view that stays. */
async function packs(files: number, records: number, target: string): Promise<void> {
  await inDaemon(new MadeUp(files, records), async ({ pack, rss }) => {
    const what = packOf(files, records)
    const some = async (count: number) => {
      const times: number[] = []
      for (let i = 0; i < count; i++) times.push(await timed(pack))
      return times
    }
    const first = await timed(pack)
    figures.push({ what: `${what}: the first after a start`, value: ms(first), target: '-' })
    figures.push({ what, value: `${spread(await some(PACKS))}, ${rss()}`, target })
    await some(2 * PACKS)
    const later = `${what}, once ${3 * PACKS} were made`
    figures.push({ what: later, value: `${spread(await some(PACKS))}, ${rss()}`, target })
  })
}

/**
 * Ten files at a time change, others each time, as in a workspace where somebody goes on working.
 * @param isMoving whether files come and go as well
 */
async function largeChanges(files: number, records: number, isMoving: boolean): Promise<void> {
  const made = new MadeUp(files, records, true)
  await inDaemon(made, async ({ call, repo, view, pack, rss, cpuMs }) => {
    const overlay = new Map<string, View['overlay'][number]>()
    const now = () => ({ ...view, overlay: [...overlay.values()] })
    const packAgain = async () => {
      await call('index.state', { repo, view: now() })
      await pack(now())
    }
    for (let i = 0; i < 10; i++) await packAgain()
    const wall: Longer[] = []
    const cpu: Longer[] = []
    const cost = async (work: () => Promise<unknown>) => {
      const before = cpuMs()
      return { wall: await timed(work), cpu: cpuMs() - before }
    }
    for (let round = 0; round < CHANGES; round++) {
      const edits = isMoving ? made.move(round) : made.edit(round)
      for (const { path, file } of edits) {
        overlay.set(path, { path, blob: file?.blob ?? null, gone: file === null })
      }
      const sent = edits.flatMap(({ file }) => file ?? [])
      const after = await cost(async () => {
        // As a client does: it asks, sends what is missing, and asks again.
        await call('index.state', { repo, view: now() })
        await call('index.files', { repo, version: 'bench', files: sent })
        await packAgain()
      })
      const others = [await cost(packAgain), await cost(packAgain), await cost(packAgain)]
      wall.push({ changed: after.wall, unchanged: middle(others.map((each) => each.wall)) })
      cpu.push({ changed: after.cpu, unchanged: middle(others.map((each) => each.cpu)) })
    }
    figures.push({
      what: `after 10 changed files${isMoving ? ' (2 new, 2 gone)' : ''} of ${files}, ${records} records, what the next pack takes longer`,
      value: `${longer(wall)}; of the daemon's CPU ${longer(cpu)}; ${rss()}`,
      target: '<= 200 ms, RSS <= 700 MB',
    })
  })
}

type Longer = { readonly changed: number; readonly unchanged: number }

function longer(times: readonly Longer[]): string {
  const [changed, unchanged] = [times.map((t) => t.changed), times.map((t) => t.unchanged)]
  const more = times.map((t) => Math.max(0, t.changed - t.unchanged))
  return `${spread(more)} (${ms(middle(changed))} against ${ms(middle(unchanged))})`
}

function middle(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0
}

function packOf(files: number, records: number): string {
  return `pack in the daemon, ${files} files, ${records} records`
}

// --- the compiled binary

async function wholeProcess(): Promise<void> {
  await inClone(async ({ av, run, workspace }) => {
    await av(['pack'], workspace)
    const pack: number[] = []
    const status: number[] = []
    for (let i = 0; i < RUNS; i++) {
      pack.push(await timed(() => av(['pack'], workspace)))
      status.push(await timed(() => run(['git', 'status'], workspace)))
    }
    figures.push({
      what: '`av pack` as a whole process, warm daemon',
      value: `${spread(pack)}; \`git status\` there ${spread(status)}`,
      target: 'p50 <= max(3 x git status, 60 ms)',
    })
  })
}

async function coldIndex(): Promise<void> {
  await inClone(async ({ av, run, clone, folder, env }) => {
    const files = (await run(['git', 'ls-files', '-z'], clone))
      .split('\0')
      .filter((f) => CODE.test(f))
    const hashedAt = performance.now()
    let bytes = 0
    let lines = 0
    for (const file of files) {
      const content = await readFile(join(clone, file))
      createHash('sha1').update(content).digest()
      bytes += content.length
      lines += content.toString('latin1').split('\n').length
    }
    const bound = performance.now() - hashedAt
    const fresh = { ...env, AV_HOME: join(folder, 'home-cold') }
    await run([BINARY, 'daemon', 'start'], folder, fresh)
    const startedAt = performance.now()
    const child = Bun.spawn([BINARY, 'init'], {
      cwd: clone,
      env: fresh,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    const rss = Math.round((await peakRss(child.pid, child.exited)) / 1e6)
    const took = performance.now() - startedAt
    await run([BINARY, 'daemon', 'stop'], folder, fresh)
    const rate = (time: number) => `${(bytes / 1e6 / (time / 1000)).toFixed(1)} MB/s`
    const indexing = await indexMs(join(fresh.AV_HOME, 'daemon.log'))
    figures.push({
      what: `cold index, ${files.length} files of code, ${lines} lines, ${(bytes / 1e6).toFixed(1)} MB`,
      value: `${rate(indexing)} (all of \`av init\` ${ms(took)}), client RSS ${rss} MB; reading and hashing alone ${rate(bound)}${await ctags(run, clone, rate)}`,
      target: '>= 3 MB/s, client RSS <= 350 MB',
    })
    await av(['daemon', 'stop'], folder)
  })
}

/** From the first to the last call about the index, as the daemon logged them. */
async function indexMs(log: string): Promise<number> {
  const rows = (await readFile(log, 'utf8')).split('\n').filter((row) => / index\.\w+ /.test(row))
  const at = (row: string | undefined) => Date.parse((row ?? '').split(' ')[0] ?? '')
  return at(rows.at(-1)) - at(rows[0])
}

async function ctags(
  run: (argv: readonly string[], cwd: string) => Promise<string>,
  clone: string,
  rate: (time: number) => string,
): Promise<string> {
  if (Bun.which('ctags') === null) return '; ctags is not installed'
  const took = await timed(() => run(['ctags', '-R', '-f', '/dev/null', '.'], clone))
  return `; ctags -R ${rate(took)}`
}

async function afterChanges(): Promise<void> {
  await inClone(async ({ av, run, workspace }) => {
    const files = (await run(['git', 'ls-files'], workspace))
      .split('\n')
      .filter((f) => CODE.test(f))
    await av(['pack'], workspace)
    const times: number[] = []
    for (let round = 0; round < 10; round++) {
      for (const file of files.slice(round * 10, round * 10 + 10)) {
        await appendFile(join(workspace, file), `\n// changed in round ${round}\n`)
      }
      const before = await timed(() => av(['pack'], workspace))
      const after = await timed(() => av(['pack'], workspace))
      times.push(Math.max(0, before - after))
    }
    figures.push({
      what: 'after 10 changed files, what the next `av pack` takes longer',
      value: spread(times),
      target: '<= 200 ms',
    })
  })
}

type Clone = {
  readonly folder: string
  readonly clone: string
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly av: (words: readonly string[], cwd: string) => Promise<string>
  readonly run: (
    argv: readonly string[],
    cwd: string,
    env?: Readonly<Record<string, string>>,
  ) => Promise<string>
}

/** A clone of `--repo` that av was set up for, with one task; all of it temporary. */
async function inClone(work: (clone: Clone) => Promise<void>): Promise<void> {
  const { repo } = values
  if (repo === undefined || !existsSync(repo)) return skip('no --repo that is there')
  if (!existsSync(BINARY)) return skip(`${BINARY} is not built`)
  const folder = await mkdtemp(join(tmpdir(), 'av-speed-'))
  const env: Readonly<Record<string, string>> = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder, AV_ACTOR: 'bench' },
    ...{ AV_HOME: join(folder, 'home'), AV_WORKSPACES: join(folder, 'ws') },
  }
  const run = async (argv: readonly string[], cwd: string, other = env) => {
    const child = Bun.spawn([...argv], { cwd, env: other, stdin: 'ignore', stderr: 'pipe' })
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if ((await child.exited) !== 0) fail(`${argv.join(' ')}: ${err}`)
    return out
  }
  const av = (words: readonly string[], cwd: string) => run([BINARY, ...words], cwd)
  const clone = join(folder, 'repo')
  try {
    await run(['git', 'clone', '-q', '--no-hardlinks', repo, clone], folder)
    await av(['init'], clone)
    await av(['task', 'start', 'Make the first request faster', '--id', 'speed'], clone)
    const workspace = (await av(['task', 'path', 'speed'], clone)).trim()
    await work({ folder, clone, workspace, env, av, run })
  } finally {
    await run([BINARY, 'daemon', 'stop'], folder)
    await rm(folder, { recursive: true, force: true })
  }
}

// --- figures

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return `p50 ${ms(at(0.5))}, p95 ${ms(at(0.95))}`
}

function ms(time: number): string {
  return `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`
}

function skip(reason: string): void {
  console.error(`skipped: ${reason}`)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
