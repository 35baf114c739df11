import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askHealth } from '../../src/api/health.ts'
import { type Home, homeAt } from '../../src/api/home.ts'
import { sharedSettings } from '../../src/api/identity.ts'
import type { Build } from '../../src/api/version.ts'
import type { DaemonAccess } from '../../src/client/daemon-access.ts'
import { askToStop } from '../../src/client/start.ts'
import { realWorld } from '../../src/world.ts'
import type { ChildOptions } from './child.ts'

export const BUILD: Build = { id: '0.2.0+test', writtenAtMs: 2_000, program: '/opt/av' }

/** An `AV_HOME` of its own, in which tests start daemons; dispose of it and they are gone. */
export class Household implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), 'av-daemon-'))
  readonly home: Home
  private readonly children: Bun.Subprocess[] = []

  constructor(folder = 'home') {
    this.home = homeAt(join(this.root, folder))
  }

  options(given: Partial<ChildOptions> = {}): ChildOptions {
    return {
      home: this.home.folder,
      build: BUILD,
      idleSecs: 0,
      databaseUrl: '',
      port: null,
      failsWith: null,
      dies: false,
      opensInMs: 0,
      ...given,
    }
  }

  command(given: Partial<ChildOptions> = {}): string[] {
    const child = join(import.meta.dir, 'child.ts')
    return [process.execPath, child, JSON.stringify(this.options(given))]
  }

  /** How a client finds, and starts, this household's daemon. */
  access(given: Partial<ChildOptions> = {}): DaemonAccess {
    const { build, databaseUrl, idleSecs } = this.options(given)
    return {
      home: this.home,
      build,
      shared: sharedSettings({ databaseUrl, leaseSecs: 1800, idleSecs }, {}),
      world: realWorld,
      launch: { command: this.command(given), env: { HOME: this.root } },
    }
  }

  /** Starts a daemon by hand, and waits until it is ready or has ended. */
  async run(given: Partial<ChildOptions> = {}) {
    const child = Bun.spawn(this.command(given), {
      cwd: this.root,
      env: { HOME: this.root },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.children.push(child)
    const stdout = child.stdout.getReader()
    await stdout.read()
    return { child, ended: child.exited, stderr: () => new Response(child.stderr).text() }
  }

  log(): string {
    return existsSync(this.home.log) ? readFileSync(this.home.log, 'utf8') : ''
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL')
    const pid = (await askHealth(this.home.socket))?.pid
    if (pid) {
      await askToStop(this.access(), pid)
      await until(() => !isAlive(pid))
    }
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** Waits for something that will come to pass; the test's own time limit is the only other end. */
export async function until(come: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await come())) await Bun.sleep(10)
}

/** Whether a process is there, by its id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
