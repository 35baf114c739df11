import { expect } from 'bun:test'
import type { SchemaLink } from '../../src/store/database.ts'
import { linkPostgres } from '../../src/store/postgres.ts'
import { type Actor, ADA, Machine, MEI, makeRepo, type RunOptions } from '../support/machine.ts'
import { countRows, scratchDatabase, shiftClock } from '../support/stores.ts'
import { append, type Edits, edit } from '../workspace/sandbox.ts'
import { factsOf } from './error-case.ts'
import { SHOP } from './shop.ts'

const postgresUrl = process.env.AV_TEST_POSTGRES_URL ?? ''
/** Why its clock cannot be moved here, or ''. */
export const WHY_NO_CLOCK = postgresUrl === '' ? ' (skipped: AV_TEST_POSTGRES_URL is not set)' : ''

/**
 * A shop on a machine, with edits of Mei's in her checkout that nobody is to touch. Where there is a server, its store
 * is a database one can look into.
 */
export class Town implements AsyncDisposable {
  private shiftedSecs = 0
  private readonly status: string

  private constructor(
    readonly machine: Machine,
    /** Mei's checkout. */
    readonly root: string,
    private readonly query: SchemaLink['query'] | null,
    private readonly made: AsyncDisposableStack,
  ) {
    append(root, 'README.md', 'Mei writes here.\n')
    edit(root, { 'staged.txt': 'staged\n', 'untracked.txt': 'untracked\n' })
    this.git('add', 'staged.txt')
    this.status = this.git('status', '--porcelain')
  }

  static async found(): Promise<Town> {
    const made = new AsyncDisposableStack()
    const url = await storeFor(made)
    const machine = made.use(new Machine({ AV_DATABASE_URL: url }))
    const root = makeRepo(machine.box, 'plain', SHOP)
    await machine.data('init', [], { cwd: root })
    await machine.data('sync', [], { cwd: root })
    const link = url === '' ? null : await linkPostgres(url)
    if (link !== null) made.defer(link.close)
    return new Town(machine, root, link?.query ?? null, made)
  }

  /** Mei, in her checkout. */
  get mei(): RunOptions {
    return { cwd: this.root, as: MEI }
  }

  git(...args: string[]): string {
    return this.machine.box.sh(this.root, 'git', '--no-optional-locks', ...args)
  }

  trunk(): string {
    return this.git('rev-parse', 'main').trim()
  }

  /** Everything in the store, by table; of PGlite, which nobody else may open, what commands say of it. */
  async rows(): Promise<Readonly<Record<string, string>>> {
    if (this.query !== null) return countRows(this.query)
    return { facts: await factsOf(this.machine, this.root) }
  }

  /** So many seconds pass in the store. */
  async wait(secs: number): Promise<void> {
    if (this.query === null) throw new TypeError('the clock of PGlite cannot be moved from here')
    this.shiftedSecs += secs
    await shiftClock(this.query, this.shiftedSecs)
  }

  /** A task with these changes in its folder, and a record that says why. */
  async begin(goal: string, edits: Edits, as: Actor = ADA): Promise<{ id: string; cwd: string }> {
    const { id, workspace } = await this.machine.data('task.start', [goal], { cwd: this.root, as })
    const cwd = workspace ?? ''
    edit(cwd, edits)
    await this.machine.data('record', ['note', `Why: ${goal}`], { cwd, as })
    return { id, cwd }
  }

  /** One that waits for its merge. */
  async approved(goal: string, edits: Edits): Promise<{ id: string; cwd: string }> {
    const task = await this.begin(goal, edits)
    await this.machine.data('submit', [], { cwd: task.cwd, as: ADA })
    await this.machine.data('approve', [task.id], this.mei)
    return task
  }

  /** Somebody moves trunk by git: these files alone, beside what Mei is at. */
  commit(message: string, edits: Edits): void {
    edit(this.root, edits)
    this.git('add', '--', ...Object.keys(edits))
    this.git('commit', '-q', '-m', message, '--', ...Object.keys(edits))
  }

  async stateOf(task: string): Promise<string> {
    return (await this.machine.data('task.show', [task], this.mei)).state
  }

  /** How many commits of trunk this task became; that trunk is one line, and sound, beside. */
  landingsOf(task: string): number {
    for (const parents of this.git('log', '--format=%P', 'main').trim().split('\n')) {
      expect(parents.split(' ')).toHaveLength(1)
    }
    this.git('fsck', '--no-dangling', '--no-progress')
    return this.git('log', '--format=%(trailers:key=Av-Task,valueonly)', 'main')
      .split('\n')
      .filter((line) => line === task).length
  }

  /** Mei's checkout is as she left it: at trunk, with her own edits. */
  expectCheckoutClean(): void {
    expect(this.git('status', '--porcelain')).toBe(this.status)
    expect(this.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.made.disposeAsync()
  }
}

async function storeFor(made: AsyncDisposableStack): Promise<string> {
  if (postgresUrl === '') return ''
  const database = await scratchDatabase(postgresUrl)
  made.defer(database.drop)
  return database.url
}
