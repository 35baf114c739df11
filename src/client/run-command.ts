import type { Output, RouteName } from '../api/routes.ts'

/** How a command was called: what it may ask, and where its talk goes. */
export type Invocation = {
  /** The folder the command stands in (`-C` applied). */
  readonly cwd: string
  /** `--repo NAME`, or null. */
  readonly repo: string | null
  /** Shows progress; null where nobody looks. */
  readonly progress: ((phase: string, done: number, total: number) => void) | null
  /** Says what a command that was refused in the end had warned of. */
  readonly warn: (warnings: readonly string[]) => void
  /** Asks yes or no; null when nobody can be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
  /** All of standard input, as text. */
  readonly readStdin: () => Promise<string>
}

export type CommandResult<N extends RouteName> = {
  readonly data: Output<N>
  readonly warnings: readonly string[]
  /** The exit code, where the command did its part and has bad news all the same. */
  readonly exit?: number
  /**
   * To be run when the last byte of the result was handed over, and not when that failed: what was not delivered
   * counts for nothing. It never fails.
   */
  readonly afterOutput?: () => Promise<void>
}

/**
 * Runs one command of the contract with the fields a person gave (already checked against
 * `givenFields`); finds repo, task and code by itself. The same for CLI and MCP.
 */
export type RunCommand = <N extends RouteName>(
  name: N,
  given: Readonly<Record<string, unknown>>,
  invocation: Invocation,
) => Promise<CommandResult<N>>
