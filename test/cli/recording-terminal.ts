import type { Output, RouteName } from '../../src/api/routes.ts'
import { runCli } from '../../src/cli/run.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import type { CommandResult, Invocation, RunCommand } from '../../src/client/run-command.ts'

export const NOW_MS = Date.UTC(2026, 0, 2, 12, 0, 0)

/** A terminal that writes down what it is told; its clock and timers move by `pass`. */
export class RecordingTerminal implements Terminal {
  readonly written: { readonly to: 'out' | 'err'; readonly text: string }[] = []
  outIsTty = false
  errIsTty = false
  columns: number | null = null
  color = false
  cwd = '/home/ada/repo'
  stdin: Uint8Array = new Uint8Array()
  stdinReads = 0
  /** False: whoever read standard output is gone. */
  isRead = true
  ask: Terminal['ask'] = null
  #nowMs = NOW_MS
  #timers: { readonly atMs: number; readonly run: () => void }[] = []

  readonly now = () => this.#nowMs
  readonly out = async (text: string) => {
    this.written.push({ to: 'out', text })
    return this.isRead
  }
  readonly err = (text: string) => {
    this.written.push({ to: 'err', text })
  }
  readonly readStdin = async (bytesMax: number) => {
    this.stdinReads++
    return this.stdin.slice(0, bytesMax + 1)
  }
  readonly later = (delayMs: number, run: () => void) => {
    const timer = { atMs: this.#nowMs + delayMs, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  pass(ms: number): void {
    this.#nowMs += ms
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs)
    this.#timers = this.#timers.filter((timer) => !due.includes(timer))
    for (const { run } of due) run()
  }

  get timersLeft(): number {
    return this.#timers.length
  }

  text(to: 'out' | 'err'): string {
    return this.written.flatMap((each) => (each.to === to ? [each.text] : [])).join('')
  }
}

type Call = {
  readonly name: RouteName
  readonly given: Readonly<Record<string, unknown>>
  readonly invocation: Invocation
}

/** Stands where the client is: notes the call, and answers what it is told to. */
export function answering(
  answer: (call: Call) => unknown,
  warnings: readonly string[] = [],
): { readonly run: RunCommand; readonly calls: readonly Call[] } {
  const calls: Call[] = []
  return {
    calls,
    run: async <N extends RouteName>(
      name: N,
      given: Call['given'],
      invocation: Invocation,
    ): Promise<CommandResult<N>> => {
      const call = { name, given, invocation }
      calls.push(call)
      return { data: (await answer(call)) as Output<N>, warnings }
    },
  }
}

/** Runs one line against a client that answers with what it was given. */
export async function echo(words: readonly string[], terminal = new RecordingTerminal()) {
  const { run, calls } = answering(({ name, given }) => ({ name, given }))
  const code = await runCli(words, terminal, run, { version: '1.2.3' })
  const out = terminal.text('out')
  return { code, calls, out, err: terminal.text('err') }
}

/** The same with `--json`: the exit code, and what the envelope holds. */
export async function echoJson(words: readonly string[]): Promise<{
  readonly code: number
  readonly envelope: unknown
}> {
  const { code, out } = await echo(['--json', ...words])
  return { code, envelope: JSON.parse(out) }
}
