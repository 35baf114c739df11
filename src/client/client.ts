import type { Args, CallName, Output } from '../api/routes.ts'
import type { Caller } from '../domain/actor.ts'
import type { Send } from './connect.ts'
import type { CommandResult } from './run-command.ts'

/** The daemon's calls, typed by the contract. */
export type Client = {
  /**
   * @param timeoutMs how long to wait for the answer; a call that is cut off may have been done
   * @throws Fault the daemon's own, and those of `sendOver`
   */
  readonly call: <N extends CallName>(
    name: N,
    args: Args<N>,
    caller: Caller,
    timeoutMs?: number,
  ) => Promise<CommandResult<N>>
}

const TIMEOUT_MS = 120_000

export function createClient(send: Send): Client {
  return {
    async call<N extends CallName>(
      name: N,
      args: Args<N>,
      caller: Caller,
      timeoutMs = TIMEOUT_MS,
    ): Promise<CommandResult<N>> {
      const { data, warnings } = await send(name, args, caller, timeoutMs)
      // A daemon of the same build made it: its type is the row's output.
      return { data: data as Output<N>, warnings }
    },
  }
}
