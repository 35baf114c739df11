import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const BINARY = process.env.AV_TEST_BINARY ?? join(import.meta.dir, '../../dist/av')

type Answer = {
  readonly exit: number
  readonly data: Readonly<Record<string, unknown>>
  readonly reason: string
  readonly text: string
}

/** An AV_HOME with a daemon of its own, and a clone. */
export type Home = {
  readonly clone: string
  readonly av: (actor: string, cwd: string, words: readonly string[]) => Promise<Answer>
}

export function makeHome(folder: string, at: number, clone: string, url: string | null): Home {
  const kept = ['PATH', 'LANG', 'TMPDIR'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = {
    ...Object.fromEntries(kept),
    HOME: join(folder, `user-${at}`),
    AV_HOME: join(folder, `home-${at}`),
    AV_WORKSPACES: join(folder, `ws-${at}`),
    ...(url !== null && { AV_DATABASE_URL: url }),
  }
  return {
    clone,
    av: async (actor, cwd, words) => {
      const child = Bun.spawn([BINARY, ...words, '--json'], {
        cwd,
        env: { ...env, AV_ACTOR: actor, AV_SESSION: `${actor}-1` },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [text, exit] = await Promise.all([new Response(child.stdout).text(), child.exited])
      const body = text.startsWith('{') ? JSON.parse(text) : {}
      return { exit, data: body.data ?? {}, reason: body.error?.detail?.reason ?? '', text }
    },
  }
}

/** What an agent was told that was done. */
export type Outcome = {
  readonly records: readonly string[]
  readonly landed: readonly string[]
  readonly lines: readonly string[]
  readonly ms: ReadonlyMap<string, readonly number[]>
  readonly conflicts: number
  readonly stale: number
  readonly waits: number
}

/** How often a merge is tried before the run is called broken. */
const TRIES_MAX = 60
const SHARED_EVERY = 5

/** One agent, working through its rounds; another one reviews. */
export class Agent {
  private readonly name: string
  private readonly reviewer: string
  private readonly records: string[] = []
  private readonly landed: string[] = []
  private readonly lines: string[] = []
  private readonly ms = new Map<string, number[]>()
  private conflicts = 0
  private stale = 0
  private waits = 0

  constructor(
    private readonly home: Home,
    private readonly at: number,
    agents: number,
  ) {
    this.name = `agent-${at}`
    this.reviewer = `agent-${(at + 1) % agents}`
  }

  async work(rounds: number): Promise<Outcome> {
    for (let round = 0; round < rounds; round++) await this.round(round)
    const { records, landed, lines, ms, conflicts, stale, waits } = this
    return { records, landed, lines, ms, conflicts, stale, waits }
  }

  private async round(round: number): Promise<void> {
    const goal = `Round ${round} of ${this.name}`
    const { id, workspace } = await this.done(this.name, this.home.clone, ['task', 'start', goal])
    const folder = String(workspace)
    const isShared = round % SHARED_EVERY === SHARED_EVERY - 1
    const line = `'${this.name} round ${round}',`
    this.edit(folder, isShared, line)
    for (const kind of ['decision', 'attempt']) {
      const record = await this.done(this.name, folder, ['record', kind, `${kind}: ${goal}`])
      this.records.push(String(record.id))
    }
    await this.done(this.name, folder, ['checkpoint', '-m', goal])
    await this.review(String(id), folder)
    await this.merge(String(id), folder, line)
    this.lines.push(line)
  }

  private edit(folder: string, isShared: boolean, line: string): void {
    const file = join(folder, isShared ? 'src/shared.ts' : `src/agent-${this.at}.ts`)
    const text = readFileSync(file, 'utf8')
    const cut = isShared ? text.lastIndexOf(']') : text.length
    writeFileSync(
      file,
      `${text.slice(0, cut)}  ${isShared ? '' : '// '}${line}\n${text.slice(cut)}`,
    )
  }

  private async review(id: string, folder: string): Promise<void> {
    await this.done(this.name, folder, ['submit'])
    await this.done(this.reviewer, this.home.clone, ['approve', id])
  }

  private async merge(id: string, folder: string, line: string): Promise<void> {
    for (let tried = 0; tried < TRIES_MAX; tried++) {
      const answer = await this.timed(this.name, this.home.clone, ['merge', id])
      if (answer.exit === 0) {
        this.landed.push(String(answer.data.landed))
        return
      }
      if (answer.data.state === 'conflicted') {
        this.conflicts++
        await this.resolve(id, folder, line)
      } else if (answer.reason === 'stale') {
        this.stale++
        await this.done(this.reviewer, this.home.clone, ['approve', id])
      } else if (answer.exit === 6) this.waits++
      else throw new Error(`${this.name} merge ${id}: ${answer.text}`)
    }
    throw new Error(`${this.name}: ${id} was not merged in ${TRIES_MAX} tries`)
  }

  /** Keeps the lines of both sides, each once. */
  private async resolve(id: string, folder: string, line: string): Promise<void> {
    const file = join(folder, 'src/shared.ts')
    const kept = readFileSync(file, 'utf8')
      .split('\n')
      .filter((each) => !/^(?:<{7}|>{7}|={7}|\|{7})/.test(each))
    const once = kept.filter((each, at) => !each.startsWith('  ') || kept.indexOf(each) === at)
    writeFileSync(file, once.join('\n'))
    if (!once.some((each) => each.includes(line))) throw new Error(`${id}: its own line is gone`)
    await this.done(this.name, folder, ['resolve'])
    await this.review(id, folder)
  }

  private async done(actor: string, cwd: string, words: readonly string[]) {
    const answer = await this.timed(actor, cwd, words)
    if (answer.exit !== 0) throw new Error(`${actor} ${words.join(' ')}: ${answer.text}`)
    return answer.data
  }

  private async timed(actor: string, cwd: string, words: readonly string[]): Promise<Answer> {
    const began = performance.now()
    const answer = await this.home.av(actor, cwd, words)
    const [first = '', second = ''] = words
    const command = first === 'task' ? `${first} ${second}` : first
    this.ms.set(command, [...(this.ms.get(command) ?? []), performance.now() - began])
    return answer
  }
}
