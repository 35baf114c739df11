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
  /** Brings the index of a folder's code up to date in a process that outlives this one. */
  readonly spawnIndex: (folder: string) => void
}

/** One command at work: who asks, what was warned of, and the way to the daemon. */
export class Session {
  readonly warnings: string[] = []
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
  async callFor<N extends CallName>(
    claim: { readonly repo: RepoId; readonly task: string },
    name: N,
    args: Sent<N>,
  ): Promise<Output<N>> {
    const caller = await this.tools.caller()
    return this.send(name, args, this.claims.withGeneration(caller, claim.repo, claim.task))
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
