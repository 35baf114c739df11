import { join } from 'node:path'
import { type Actor, ADA, BEN, Machine, MEI } from '../support/machine.ts'
import { administer, scratchDatabase } from '../support/stores.ts'
import { commitAll, type Edits, edit, type Sandbox, sandbox } from '../workspace/sandbox.ts'
import { SHOP } from './shop.ts'
import { Terminal } from './terminal.ts'

const SERVER = process.env.AV_TEST_POSTGRES_URL ?? ''
/** Why teams cannot be tested here; null where they can. */
export const whyNoTeam = SERVER === '' ? 'AV_TEST_POSTGRES_URL is not set' : null

/** The shop, with a trunk that is the remote's. */
export const TEAM = { ...SHOP, '.av.toml': 'remote = "origin"\n' }

const KIM: Actor = { AV_ACTOR: 'kim' }

/** A developer of a team: a machine with a daemon of its own, their clone, and they and an agent at it. */
export type Desk = {
  readonly machine: Machine
  readonly root: string
  readonly person: Terminal
  readonly agent: Terminal
  readonly git: (...words: string[]) => string
}

/**
 * Two machines on one Postgres, each with a clone of one bare repository: Mei with the agent Ada at the one, Kim with
 * Ben at the other.
 */
export class Team implements AsyncDisposable {
  private constructor(
    readonly box: Sandbox,
    readonly bare: string,
    readonly url: string,
    readonly mei: Desk,
    readonly kim: Desk,
    private readonly drop: () => Promise<void>,
  ) {}

  /** @param through what Kim's daemon reaches the server by, when not directly: from its address to another */
  static async make(
    files: Edits,
    through: (url: string) => Promise<string> = async (url) => url,
  ): Promise<Team> {
    const database = await scratchDatabase(SERVER)
    const box = sandbox()
    const bare = join(box.dir, 'shop.git')
    box.sh(box.dir, 'git', 'init', '-q', '--bare', '-b', 'main', bare)
    const first = join(box.dir, 'first')
    box.sh(box.dir, 'git', 'clone', '-q', bare, first)
    edit(first, files)
    commitAll(box, first, 'init')
    box.sh(first, 'git', 'push', '-q', 'origin', 'HEAD:main')
    const mei = await deskOf(MEI, ADA, bare, database.url)
    const kim = await deskOf(KIM, BEN, bare, await through(database.url))
    return new Team(box, bare, database.url, mei, kim, database.drop)
  }

  /** Where the team's trunk is. */
  get trunk(): string {
    return this.box.sh(this.bare, 'git', 'rev-parse', 'main').trim()
  }

  /** The subjects of the team's trunk, oldest first; fails where it is not linear. */
  get history(): readonly string[] {
    const log = ['git', 'log', '--reverse', '--format=%P %s', 'main'] as const
    return this.box
      .sh(this.bare, ...log)
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^(?:[0-9a-f]{40})? /, ''))
  }

  /** Runs one statement in the team's database. */
  inDatabase(statement: string): Promise<void> {
    return administer(this.url, statement)
  }

  /** Somebody with git alone: a clone of the remote as it is now. */
  clone(name: string): string {
    const root = join(this.box.dir, name)
    this.box.sh(this.box.dir, 'git', 'clone', '-q', this.bare, root)
    return root
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.mei, this.kim].map(({ machine }) => machine[Symbol.asyncDispose]()))
    await this.drop()
    this.box.remove()
  }
}

async function deskOf(person: Actor, agent: Actor, bare: string, url: string): Promise<Desk> {
  const machine = new Machine({ AV_DATABASE_URL: url })
  const root = join(machine.box.dir, 'shop')
  machine.box.sh(machine.box.dir, 'git', 'clone', '-q', bare, root)
  return {
    ...{ machine, root },
    person: new Terminal(machine, person, root),
    agent: new Terminal(machine, agent, root),
    git: (...words) => machine.box.sh(root, 'git', ...words).trim(),
  }
}
