#!/usr/bin/env bun
/**
 * The main job on real repositories, by the compiled binary: init, a task, three records, a checkpoint
 * after a real edit, pack, expand, receipt.
 *
 *   bun scripts/bench/main-job.ts --repo DIR [--repo DIR …] [--packs 6] [--out DIR] [--json]
 *
 * DIR is a local git repository (a clone, bare or not); one that is not there is skipped, and that is
 * said. It is cloned into a temporary folder, at the state before its newest fitting commit; that
 * commit's subject is the goal. `--packs` asks for packs of the goals of so many commits; their texts
 * go to `--out`, to be read.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { peakRss } from './peak-rss.ts'

const { values } = parseArgs({
  options: {
    repo: { type: 'string', multiple: true, default: [] },
    packs: { type: 'string', default: '1' },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

const BINARY = process.env.AV_TEST_BINARY ?? join(import.meta.dir, '../../dist/av')
const CODE = /\.(?:tsx?|jsx?|mjs|py|go|rs|java|c|cc|cpp|cs|rb|php|kt|scala|sh)$/
const TEST = /(?:^|\/)(?:tests?|__tests__|e2e)\/|[._-](?:test|spec)\./
const NO_GOAL = /^(?:release|chore|docs?|ci|build|bump|v?\d+\.|style|revert|merge)/i

const RECORDS = [
  ['decision', 'Keep the public signature: callers outside of this repository rely on it'],
  ['attempt', 'Tried to do it in the caller: three callers need it, it belongs here'],
  ['note', 'The tests of this part are slow; run only its own file'],
] as const

type Step = { readonly name: string; readonly ms: number; readonly rssMb: number }
type Figures = {
  readonly repo: string
  readonly files: number
  readonly symbols: number
  readonly sourceMb: number
  readonly indexMbPerSec: number
  readonly clientRssMb: number
  readonly daemonRssMb: number
  readonly packMs: number
  readonly packWarmMs: number
  readonly tokens: number
  readonly steps: readonly Step[]
}

if (values.repo.length === 0) fail('Name at least one repository: --repo DIR')
if (!existsSync(BINARY)) fail('dist/av is not built: bun scripts/build.ts')
const all: Figures[] = []
for (const repo of values.repo) {
  if (!existsSync(repo)) console.error(`skipped: ${repo} is not there`)
  else all.push(await measure(repo))
}
if (values.json) console.log(JSON.stringify(all, null, 2))
else for (const figures of all) print(figures)

async function measure(source: string): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'av-main-job-'))
  const job = new Job(source, folder)
  try {
    return await job.run()
  } finally {
    await job.av(['daemon', 'stop'], folder)
    await rm(folder, { recursive: true, force: true })
  }
}

class Job {
  private readonly steps: Step[] = []
  private readonly clone: string
  private readonly env: Record<string, string>

  constructor(
    private readonly source: string,
    private readonly folder: string,
  ) {
    this.clone = join(folder, nameOf(source))
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      AV_HOME: join(folder, 'home'),
      AV_WORKSPACES: join(folder, 'ws'),
      AV_ACTOR: 'bench',
      ...(process.env.AV_JJ && { AV_JJ: process.env.AV_JJ }),
    }
  }

  async run(): Promise<Figures> {
    await this.git(this.folder, ['clone', '-q', '--no-hardlinks', this.source, this.clone])
    const goals = await this.goals(Number(values.packs))
    const [first] = goals
    if (first === undefined) fail(`${this.source} has no commit that fits`)
    const trunk = (await this.git(this.clone, ['symbolic-ref', '--short', 'HEAD'])).trim()
    await this.git(this.clone, ['reset', '-q', '--hard', `${first.commit}^`])
    await this.step('init', ['init', '--trunk', trunk], this.clone)
    const index = await this.data(['index', 'run'], this.clone)
    const started = await this.step('task start', ['task', 'start', first.goal], this.clone)
    const workspace = String(started.workspace)
    const pack = await this.step('pack', ['pack'], workspace)
    const places = await this.places(pack, workspace)
    const records: string[] = []
    for (const [kind, summary] of RECORDS) {
      const at = places.length === 0 ? [] : ['--at', places[records.length % places.length] ?? '']
      const record = await this.step('record', ['record', kind, summary, ...at], workspace)
      records.push(String(record.id))
    }
    await this.edit(workspace, (places[0] ?? 'README.md').split(':')[0] ?? '')
    await this.step('checkpoint', ['checkpoint', '-m', 'a first step'], workspace)
    const again = await this.step('pack warm', ['pack'], workspace)
    await this.step('expand', ['expand', ...records], workspace)
    await this.step('receipt', ['receipt', String(again.receipt), '--explain'], workspace)
    await this.keepPacks(goals, String(again.text))
    return this.figures(index, again)
  }

  private async figures(
    index: Readonly<Record<string, unknown>>,
    pack: Readonly<Record<string, unknown>>,
  ): Promise<Figures> {
    const daemon = await this.data(['daemon', 'status'], this.folder)
    const initMs = this.ms('init')
    const tree = await this.git(this.clone, ['ls-tree', '-r', '-l', 'HEAD'])
    const bytes = tree
      .split('\n')
      .filter((row) => CODE.test(row))
      .reduce((sum, row) => sum + Number(row.split(/\s+/)[3] ?? 0), 0)
    return {
      repo: nameOf(this.source),
      files: Number(index.files),
      symbols: Number(index.symbols),
      sourceMb: round(bytes / 1e6),
      indexMbPerSec: round(bytes / 1e6 / (initMs / 1000)),
      clientRssMb: Math.max(...this.steps.map(({ rssMb }) => rssMb)),
      daemonRssMb: round(Number(daemon.rssBytes) / 1e6),
      packMs: this.ms('pack'),
      packWarmMs: this.ms('pack warm'),
      tokens: Number(pack.tokens),
      steps: this.steps,
    }
  }

  /** Symbols of the code the pack named, to anchor records at. */
  private async places(
    pack: Readonly<Record<string, unknown>>,
    workspace: string,
  ): Promise<string[]> {
    const manifest = await this.data(['receipt', String(pack.receipt)], workspace)
    const { items } = (manifest.manifest ?? {}) as { items?: readonly Item[] }
    const files = new Map(
      (items ?? []).flatMap((item) => (item.path ? [[item.id, item.path]] : [])),
    )
    const shown = (items ?? []).filter((item) => item.symbol !== undefined && item.tier !== null)
    return shown.slice(0, 3).map((item) => `${files.get(item.parent ?? '')}:${item.symbol}`)
  }

  private async edit(workspace: string, path: string): Promise<void> {
    const file = join(workspace, path)
    const text = await readFile(file, 'utf8')
    const comment = /\.(?:py|rb|sh)$/.test(path) ? '#' : '//'
    await writeFile(file, `${text}\n${comment} looked at by the main job\n`)
  }

  private async keepPacks(goals: readonly Goal[], first: string): Promise<void> {
    if (values.out === undefined) return
    await mkdir(values.out, { recursive: true })
    const at = (number: number) => join(values.out ?? '', `${nameOf(this.source)}-${number}.md`)
    await writeFile(at(1), first)
    for (const [place, { goal }] of goals.slice(1).entries()) {
      const task = await this.data(['task', 'start', goal], this.clone)
      const pack = await this.data(['pack'], String(task.workspace))
      await writeFile(at(place + 2), String(pack.text))
    }
  }

  /** Commits whose subject says something and that change a few files of code, newest first. */
  private async goals(count: number): Promise<Goal[]> {
    const format = ['log', '--no-merges', '-n', '400', '--format=%x01%H%x02%s', '--name-only']
    const rows = (await this.git(this.clone, format)).split('\u0001').slice(1)
    const goals = rows.flatMap((row) => {
      const [head = '', ...files] = row.trim().split('\n')
      const [commit = '', subject = ''] = head.split('\u0002')
      const code = files.filter((file) => CODE.test(file) && !TEST.test(file))
      const fits = !NO_GOAL.test(subject) && subject.split(/\s+/).length >= 4
      const goal = subject.replace(/\s*\(#\d+\)$/, '')
      return fits && code.length >= 1 && code.length <= 5 ? [{ commit, goal }] : []
    })
    return goals.slice(0, count)
  }

  private async step(name: string, words: readonly string[], cwd: string) {
    const { data, ms, rssMb } = await this.av(words, cwd)
    this.steps.push({ name, ms, rssMb })
    if (data === null) fail(`${name} failed in ${this.source}`)
    return data
  }

  private async data(words: readonly string[], cwd: string): Promise<Record<string, unknown>> {
    return (await this.av(words, cwd)).data ?? {}
  }

  async av(words: readonly string[], cwd: string) {
    const startedAt = performance.now()
    const child = Bun.spawn([BINARY, ...words, '--json'], {
      ...{ cwd, env: this.env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
    })
    const [out, err, rss] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      peakRss(child.pid, child.exited),
    ])
    const ms = round(performance.now() - startedAt)
    const rssMb = round(rss / 1e6)
    const answer = JSON.parse(out || '{}') as { ok?: boolean; data?: Record<string, unknown> }
    if (!answer.ok) console.error(`av ${words.join(' ')}: ${out}${err}`)
    return { data: answer.ok ? (answer.data ?? {}) : null, ms, rssMb }
  }

  private ms(name: string): number {
    return this.steps.find((step) => step.name === name)?.ms ?? 0
  }

  private async git(cwd: string, words: readonly string[]): Promise<string> {
    const child = Bun.spawn(['git', ...words], {
      ...{ cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      env: { ...this.env, GIT_CONFIG_NOSYSTEM: '1' },
    })
    const text = await new Response(child.stdout).text()
    if ((await child.exited) !== 0) fail(`git ${words.join(' ')} failed in ${cwd}`)
    return text
  }
}

type Goal = { readonly commit: string; readonly goal: string }
type Item = {
  readonly id: string
  readonly tier: string | null
  readonly path?: string
  readonly parent?: string
  readonly symbol?: string
}

function nameOf(source: string): string {
  const name = basename(source.replace(/\/+$/, '').replace(/\/(?:\.git|repo)$/, ''))
  return (
    name
      .replace(/\.git$/, '')
      .split('+')
      .at(-1) ?? name
  )
}

function print({ steps, ...figures }: Figures): void {
  console.log(`\n${figures.repo}`)
  for (const [name, value] of Object.entries(figures)) {
    if (name !== 'repo') console.log(`  ${name.padEnd(16)} ${value}`)
  }
  for (const { name, ms } of steps) console.log(`  ${name.padEnd(16)} ${ms} ms`)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
