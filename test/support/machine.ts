import { join } from 'node:path'
import { z } from 'zod'
import { askHealth } from '../../src/api/health.ts'
import { type Home, homeAt } from '../../src/api/home.ts'
import type { Output, RouteName } from '../../src/api/routes.ts'
import type { RepoKind } from '../../src/workspace/detect.ts'
import { isAlive, until } from '../daemon/household.ts'
import { commitAll, type Edits, edit, type Sandbox, sandbox } from '../workspace/sandbox.ts'

const binary = process.env.AV_TEST_BINARY
/** The program under test: the compiled one where it is given, else the sources. */
export const PROGRAM: readonly string[] = binary
  ? [binary]
  : [process.execPath, join(import.meta.dir, '../../src/main.ts')]

/** Who types a command: what the environment of theirs says. */
export type Actor = Readonly<Record<string, string>>

/** A person, and two agents in a conversation each. */
export const MEI: Actor = { AV_ACTOR: 'mei' }
export const ADA: Actor = { AV_ACTOR: 'ada', AV_SESSION: 'ada-1', AI_AGENT: 'e2e' }
export const BEN: Actor = { AV_ACTOR: 'ben', AV_SESSION: 'ben-1', AI_AGENT: 'e2e' }

export type RunOptions = {
  /** `MEI` when left out. */
  readonly as?: Actor
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
}

/** What one command did, as its caller saw it. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string }

/** What a command said that refused. */
export type Refused = {
  readonly exit: number
  readonly code: string
  readonly message: string
  readonly remediation: string
  readonly detail: Readonly<Record<string, unknown>>
}

/**
 * A machine with a person on it: a home, an `AV_HOME`, a folder for workspaces, and the program.
 * Nothing of the real one counts. Dispose of it, and its daemon and its files are gone.
 */
export class Machine implements AsyncDisposable {
  readonly box: Sandbox = sandbox()
  readonly home: Home = homeAt(this.box.host.home)
  readonly workspaces = join(this.box.dir, 'ws')

  /**
   * @param env of every command, beside what a machine has by itself
   * @param prefix words before the program's own, to run it inside of something
   */
  constructor(
    readonly env: Readonly<Record<string, string>> = {},
    readonly prefix: readonly string[] = [],
  ) {}

  /** Runs `av` with these words, to its end. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const child = this.start(words, options)
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { code, out, err }
  }

  /** The words that run `av` with these. */
  command(words: readonly string[]): string[] {
    return [...this.prefix, ...PROGRAM, ...words]
  }

  start(words: readonly string[], options: RunOptions = {}) {
    const { as = MEI, cwd = this.box.dir, env = {}, stdin } = options
    return Bun.spawn(this.command(words), {
      cwd,
      env: this.environment({ ...as, ...env }),
      stdin: stdin === undefined ? 'ignore' : Buffer.from(stdin),
      stdout: 'pipe',
      stderr: 'pipe',
    })
  }

  environment(more: Readonly<Record<string, string>>): Record<string, string> {
    const own: Record<string, string> = {
      AV_HOME: this.home.folder,
      AV_WORKSPACES: this.workspaces,
    }
    for (const [name, value] of Object.entries(this.box.host.env)) {
      if (value !== undefined) own[name] = value
    }
    if (process.env.AV_JJ) own.AV_JJ = process.env.AV_JJ
    return { ...own, ...this.env, ...more }
  }

  /** The output of a command that must succeed. */
  async text(words: readonly string[], options: RunOptions = {}): Promise<string> {
    const ran = await this.run(words, options)
    if (ran.code !== 0) throw new Error(`av ${words.join(' ')}: exit ${ran.code}\n${ran.err}`)
    return ran.out
  }

  /** The `data` of a command that must succeed, by the name of its row: `task.start`. */
  async data<N extends RouteName>(
    name: N,
    words: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<Output<N>> {
    const all = [...name.split('.'), ...words, '--json']
    const ran = await this.run(all, options)
    const answer = answered.safeParse(parseJson(ran.out))
    if (ran.code !== 0 || !answer.success) {
      throw new Error(`av ${all.join(' ')}: exit ${ran.code}\n${ran.out}${ran.err}`)
    }
    // The row's own type; that its fields are there is what the tests of the contract look at.
    return answer.data.data as Output<N>
  }

  /** The refusal of a command that must not succeed. */
  async refusal(words: readonly string[], options: RunOptions = {}): Promise<Refused> {
    const ran = await this.run([...words, '--json'], options)
    const read = refused.safeParse(parseJson(ran.out))
    if (!read.success || ran.code === 0) {
      throw new Error(`av ${words.join(' ')}: exit ${ran.code}\n${ran.out}${ran.err}`)
    }
    return { exit: ran.code, ...read.data.error }
  }

  async pid(): Promise<number | null> {
    return (await askHealth(this.home.socket))?.pid ?? null
  }

  /** kill -9, and no daemon any more. */
  async killDaemon(): Promise<void> {
    const pid = await this.pid()
    if (pid === null) return
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killDaemon()
    this.box.remove()
  }
}

/** A repository of some kind on `main`, with these files committed; nobody works on it yet. */
export function makeRepo(box: Sandbox, kind: RepoKind, files: Edits, name = 'shop'): string {
  const root = join(box.dir, name)
  edit(root, files)
  if (kind === 'purejj') {
    box.sh(root, 'jj', 'git', 'init', '--no-colocate')
    box.sh(root, 'jj', 'commit', '-m', 'init')
    box.sh(root, 'jj', 'bookmark', 'create', 'main', '-r', '@-')
    return root
  }
  box.sh(root, 'git', 'init', '-q', '-b', 'main')
  commitAll(box, root, 'init')
  if (kind === 'colocated') box.sh(root, 'jj', 'git', 'init', '--colocate')
  return root
}

const answered = z.strictObject({
  ok: z.literal(true),
  data: z.unknown(),
  warnings: z.array(z.string()),
})
const refused = z.strictObject({
  ok: z.literal(false),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    remediation: z.string(),
    detail: z.record(z.string(), z.unknown()),
  }),
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
