#!/usr/bin/env bun
/**
 * Speed and memory, beside a peer or a bound in the same run:
 *
 *   bun scripts/bench/speed.ts [--only pack,small,process,index,change] [--repo DIR] [--json]
 *
 * pack     a pack in the daemon: 20,000 files, 100,000 records (made up, seeded), real store and handlers
 * small    the same with 500 files and 1,000 records
 * process  `av pack` as a whole process, warm daemon, beside `git status` in the same folder
 * index    the first index of DIR's code by the compiled binary, beside hashing all of it (a bound)
 *          and, where it is installed, ctags (a peer)
 * change   ten changed files: until the pack knows them
 *
 * `process`, `index` and `change` need `--repo`, a local git repository, and dist/av (or AV_TEST_BINARY).
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { CallName, Output, Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { CodeIndexes } from '../../src/ops/code-indexes.ts'
import type { Deps, Handler } from '../../src/ops/deps.ts'
import { handlers } from '../../src/ops/handlers.ts'
import { SemanticSearch } from '../../src/ops/semantic.ts'
import { loadTokenCounter } from '../../src/ops/tokens.ts'
import { migrate } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { openPGlite } from '../../src/store/pglite.ts'
import { sqlStore } from '../../src/store/sql-store.ts'
import { seededWorld } from '../../src/world.ts'
import { MadeUp } from './made-up.ts'
import { peakRss, residentBytes } from './peak-rss.ts'
import { sourceDaemon } from './source-daemon.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'small,pack,process,index,change' },
    repo: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const BINARY = process.env.AV_TEST_BINARY ?? join(import.meta.dir, '../../dist/av')
const PACKS = 60
const RUNS = 25
const CALLER: Caller = { actor: 'bench', kind: 'human', session: null, generation: 1 }
const CODE = /\.(?:tsx?|jsx?|mjs|py|go|rs|java|c|cc|cpp|cs|rb|php|kt|scala|sh)$/

type Figure = { readonly what: string; readonly value: string; readonly target: string }
const figures: Figure[] = []

const parts: Readonly<Record<string, () => Promise<void>>> = {
  small: () => packs(500, 1_000, 'p50 <= 5 ms'),
  pack: () => packs(20_000, 100_000, 'p50 <= 40 ms, p95 <= 120 ms, RSS <= 700 MB'),
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

/** A store of made-up files and records, and a daemon started on it that is asked for packs. */
async function packs(files: number, records: number, target: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'av-speed-'))
  const made = new MadeUp(files, records)
  const { repo, task, view } = await fillStore(home, made)
  const client = sourceDaemon(home)
  const onePack = async () => {
    const focus = [made.goal()]
    const what = { task, focus, budget: 800, explain: false }
    const args = { ...what, repo, view, changed: [], indexing: false }
    const { data } = await client.call('pack', args, CALLER)
    if (data.items.length < 3) fail('an empty pack measures nothing')
  }
  const status = await client.call('migrate', {}, CALLER)
  if (status.data.store !== 'pglite') fail('not the embedded store')
  try {
    const first = await timed(onePack)
    const times: number[] = []
    for (let i = 0; i < PACKS; i++) times.push(await timed(onePack))
    const { pid } = JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as { pid: number }
    const rss = `RSS ${Math.round(residentBytes(pid) / 1e6)} MB`
    figures.push(
      { what: `${packOf(files, records)}: the first after a start`, value: ms(first), target: '-' },
      { what: packOf(files, records), value: `${spread(times)}, ${rss}`, target },
    )
    process.kill(pid, 'SIGTERM')
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** By the daemon's own handlers, in this process, before a daemon is there. */
async function fillStore(home: string, made: MadeUp) {
  const { database, link } = await openPGlite(join(home, 'pgdata'), {})
  const schema = await migrate(link, MIGRATIONS, '0.0.0-bench')
  const store = sqlStore(database)
  let counter: Promise<(text: string) => number> | null = null
  const deps: Deps = {
    ...{ store, world: seededWorld(11), schema, leaseSecs: 86_400 },
    indexes: new CodeIndexes(store),
    semantic: new SemanticSearch(store, () => fail('not asked')),
    countTokens: () => {
      counter ??= loadTokenCounter()
      return counter
    },
    daemon: () => fail('not asked'),
  }
  const call = <N extends CallName>(name: N, input: Sent<N>): Promise<Output<N>> => {
    const handle: Handler<N> = handlers[name]
    return handle(deps, input as Parameters<Handler<N>>[1], CALLER)
  }
  const { id: repo } = await call('init', made.repo)
  const view = { tree: `${'a'.repeat(40)}/bench`, overlay: [] }
  const { id: task } = await call('task.start', { goal: made.goal(), repo, base: null })
  await made.fill(call, (text, values) => link.query(text, values), repo, view.tree)
  await store.close()
  return { repo, task, view }
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
