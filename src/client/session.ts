import type { Args, CallName, Output, Sent } from '../api/routes.ts'
import type { Caller } from '../domain/actor.ts'
import type { RepoId } from '../domain/repo.ts'
import type { Host } from '../workspace/host.ts'
import type { World } from '../world.ts'
import { GrantedClaims } from './claims.ts'
import type { Client } from './client.ts'
import type { Invocation } from './run-command.ts'

/** What the commands of one process share. */
export type Toolbox = {
  readonly host: Host
  readonly world: World
  readonly client: Client
  readonly caller: () => Promise<Caller>
  /** `AV_TASK`, or '' */
  readonly task: string
  /** `AV_WORKSPACES`: `<folder>/<repo>/<task>` */
  readonly workspaces: string
  /** Beyond which no approval survives an overlap with trunk, whatever a repository says. */
  readonly carryGlobs: readonly string[]
  /** Brings the index of a folder's code up to date in a process that outlives this one. */
  readonly spawnIndex: (folder: string) => void
}

/** A task to write to, and where from. */
export type HeldTask = {
  readonly repo: RepoId
  readonly task: string
  /** The generation of the folder that is written from; null: from none that tells. */
  readonly folder: number | null
}

/** One command at work: who asks, what was warned of, and the way to the daemon. */
export class Session {
  readonly warnings: string[] = []
  /** What the process ends with though the command did its part: a merge that met a conflict. */
  exit = 0
  /** What is still to be done when the result was delivered. */
  afterOutput: (() => Promise<void>) | null = null
  private readonly claims: GrantedClaims

  constructor(
    readonly tools: Toolbox,
    readonly invocation: Invocation,
  ) {
    this.claims = new GrantedClaims(tools.host.home)
  }

  get host(): Host {
    return this.tools.host
  }

  /** Calls the daemon as whoever asks; its warnings are kept. */
  async call<N extends CallName>(name: N, args: Sent<N>): Promise<Output<N>> {
    return this.send(name, args, await this.tools.caller())
  }

  /** Calls the daemon under the claim that was granted here for a task. */
  async callFor<N extends CallName>(claim: HeldTask, name: N, args: Sent<N>): Promise<Output<N>> {
    const caller = await this.tools.caller()
    const { repo, task, folder } = claim
    return this.send(name, args, this.claims.withGeneration(caller, repo, task, folder))
  }

  async grant(repo: RepoId, task: string, generation: number): Promise<void> {
    this.claims.grant(await this.tools.caller(), repo, task, generation)
  }

  private async send<N extends CallName>(
    name: N,
    args: Sent<N>,
    caller: Caller,
  ): Promise<Output<N>> {
    const { data, warnings } = await this.tools.client.call(name, args as Args<N>, caller)
    this.warnings.push(...warnings)
    return data
  }
}
