import { resolve } from 'node:path'
import { answerOf, refusalOf } from '../api/wire.ts'
import type { CommandResult, Invocation, RunCommand } from '../client/run-command.ts'
import { asFault, type Fault } from '../domain/fault.ts'
import { asksForJson, type CommandLine, readCommandLine } from './argv.ts'
import type { CommandName } from './commands.ts'
import { checkGiven } from './given.ts'
import { paintFor } from './paint.ts'
import { drawProgress, type Progress } from './progress.ts'
import type { Page, Rendered } from './render/page.ts'
import { stdinText, withStdin } from './stdin.ts'
import type { Terminal } from './terminal.ts'
import { visible, visibleJson } from './visible.ts'

/**
 * Runs one command line, from its words to what it prints.
 * @param argv the words after `av`
 * @returns the exit code: the command's own, mostly 0, or the one of the fault (`domain/fault.ts`); never ends the
 *   process
 */
export async function runCli(
  argv: readonly string[],
  terminal: Terminal,
  run: RunCommand,
  about: { readonly version: string },
): Promise<number> {
  try {
    const line = readCommandLine(argv)
    if (line.kind === 'command') return await runLine(line, terminal, run)
    await printAbout(line, asksForJson(argv), terminal, about.version)
    return 0
  } catch (thrown) {
    const fault = asFault(thrown)
    await printFault(fault, asksForJson(argv), terminal)
    return fault.exit
  }
}

type CommandRun = CommandLine & { readonly kind: 'command' }

async function runLine(line: CommandRun, terminal: Terminal, run: RunCommand): Promise<number> {
  const { command, parameters, globals } = line
  const readStdin = stdinText(terminal)
  const filled = await withStdin(parameters, line.given, readStdin)
  const given = checkGiven(command.row, parameters, filled)
  const progress = terminal.errIsTty && !globals.quiet ? drawProgress(terminal) : null
  try {
    const invocation = invocationOf(line, terminal, progress, readStdin)
    const result = await run(command.name, given, invocation)
    progress?.end()
    const isDelivered = await deliver(line, command.name, result, terminal)
    if (isDelivered) await result.afterOutput?.()
    return result.exit ?? 0
  } finally {
    progress?.end()
  }
}

/** False: not all of it was taken. */
async function deliver<N extends CommandName>(
  line: CommandRun,
  name: N,
  { data, warnings }: CommandResult<N>,
  terminal: Terminal,
): Promise<boolean> {
  if (line.globals.json) return terminal.out(jsonLine(answerOf(data, warnings)))
  // Loaded here: a program that reads JSON never pays for it.
  const { render } = await import('./render.ts')
  return printResult(render(name, data, pageOf(line, terminal)), warnings, line, terminal)
}

function invocationOf(
  { globals }: CommandRun,
  terminal: Terminal,
  progress: Progress | null,
  readStdin: () => Promise<string>,
): Invocation {
  return {
    cwd: resolve(terminal.cwd, ...globals.folders),
    repo: globals.repo,
    progress: progress === null ? null : progress.report,
    warn: (warnings) => {
      progress?.end()
      if (!globals.quiet) printWarnings(warnings, terminal)
    },
    confirm: confirmBy(terminal, progress),
    readStdin,
  }
}

/** Yes only when it is said; a mere return is no. */
function confirmBy({ ask }: Terminal, progress: Progress | null): Invocation['confirm'] {
  if (ask === null) return null
  return async (question) => {
    progress?.clear()
    return /^\s*y(?:es)?\s*$/i.test(await ask(`${visible(question)} [y/N] `))
  }
}

function pageOf({ globals }: CommandRun, terminal: Terminal): Page {
  return {
    nowMs: terminal.now(),
    isTty: terminal.outIsTty,
    columns: terminal.outIsTty ? terminal.columns : null,
    isQuiet: globals.quiet,
    paint: paintFor(terminal.color && !globals.noColor),
  }
}

async function printResult(
  rendered: Rendered,
  warnings: readonly string[],
  { globals }: CommandRun,
  terminal: Terminal,
): Promise<boolean> {
  const isDelivered = await terminal.out(rendered.out)
  if (rendered.beside !== undefined) terminal.err(rendered.beside)
  if (globals.quiet) return isDelivered
  if (rendered.talk !== undefined) terminal.err(rendered.talk)
  printWarnings([...warnings, ...(rendered.warnings ?? [])], terminal)
  return isDelivered
}

function printWarnings(warnings: readonly string[], terminal: Terminal): void {
  for (const warning of new Set(warnings)) terminal.err(`Warning: ${visible(warning)}\n`)
}

async function printAbout(
  line: Exclude<CommandLine, CommandRun>,
  json: boolean,
  terminal: Terminal,
  version: string,
): Promise<boolean> {
  if (line.kind === 'version') {
    return terminal.out(json ? jsonLine(answerOf({ version })) : `av ${version}\n`)
  }
  const { helpPage } = await import('./help.ts')
  const text = helpPage(line.topic, terminal.columns)
  return terminal.out(json ? jsonLine(answerOf({ text })) : text)
}

async function printFault(fault: Fault, json: boolean, terminal: Terminal): Promise<void> {
  if (json) {
    await terminal.out(jsonLine(refusalOf(fault)))
    return
  }
  terminal.err(`Error: ${visible(fault.message)}\nHint: ${visible(fault.remediation)}\n`)
}

function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`
}
