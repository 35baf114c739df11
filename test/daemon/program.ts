import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askHealth } from '../../src/api/health.ts'
import { type Home, homeAt } from '../../src/api/home.ts'
import { isAlive, until } from './household.ts'

const binary = process.env.AV_TEST_BINARY
/** The program under test: the compiled one where it is given, else the sources. */
const PROGRAM = binary ? [binary] : [process.execPath, join(import.meta.dir, '../../src/main.ts')]

export type Ran = { readonly exit: number; readonly out: string; readonly err: string }

/** `av` with an `AV_HOME` of its own; dispose of it, and its daemon is gone. */
export class Program implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'av-program-'))
  readonly home: Home = homeAt(join(this.root, 'home'))

  constructor(private readonly env: Readonly<Record<string, string>> = {}) {}

  async av(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const child = this.start(words, env)
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exit: await child.exited, out, err }
  }

  start(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return Bun.spawn([...PROGRAM, ...words], {
      cwd: this.root,
      env: {
        ...{ HOME: this.root, PATH: process.env.PATH ?? '', TZ: 'UTC' },
        ...{ AV_HOME: this.home.folder, AV_ACTOR: 'mei', ...this.env, ...env },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async pid(): Promise<number | null> {
    return (await askHealth(this.home.socket))?.pid ?? null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pid = await this.pid()
    if (pid !== null) {
      process.kill(pid, 'SIGKILL')
      await until(() => !isAlive(pid))
    }
    rmSync(this.root, { recursive: true, force: true })
  }
}
