import { cac } from 'cac'
import type { Group, Route } from '../api/route.ts'
import { isRoute, ROUTE_NAMES, type RouteName, type Routes, routes } from '../api/routes.ts'
import { editDistance } from '../domain/nearest.ts'
import { compareBytes } from '../domain/order.ts'

/** Rows of the contract that a person can type: those that help lists under a group. */
export type CommandName = {
  [N in RouteName]: Routes[N]['group'] extends null ? never : N
}[RouteName]

export type Command = {
  readonly name: CommandName
  /** As typed: `task start`. */
  readonly words: string
  readonly group: Group
  readonly row: Route
}

/** In the order of the table. */
export const COMMANDS: readonly Command[] = ROUTE_NAMES.flatMap((name) => {
  const row: Route = routes[name]
  if (!isCommand(name) || row.group === null) return []
  return [{ name, words: wordsOf(name), group: row.group, row }]
})

function isCommand(name: string): name is CommandName {
  return isRoute(name) && routes[name].group !== null
}

function wordsOf(name: CommandName): string {
  return name.replace('.', ' ')
}

/** The two-word commands that begin with this word. */
export function subcommands(word: string): readonly Command[] {
  return COMMANDS.filter(({ words }) => words.startsWith(`${word} `))
}

/**
 * The command of this name.
 *
 * cac keeps the names and finds the one that matches; it knows names of one word, so `task start` is
 * given to it as one. It is asked for nothing else: its parser casts (`--base 0123` to 123, `1e5` to
 * 100000), reads the next word for an empty `--body=`, `-5` for a flag and any `--no-x`, `--a.b` or
 * `---x` for one as well, and `PATH[:SYMBOL]` for two arguments; its help goes straight to the
 * console, in one unwrapped table. So `argv.ts` reads the words and `help.ts` writes the pages, both
 * from the table of the contract.
 */
export function findCommand(words: string): Command | null {
  const cli = cac('av')
  for (const command of COMMANDS) cli.command(command.words, command.row.summary)
  cli.parse(['', '', words], { run: false })
  return COMMANDS.find((command) => command.words === cli.matchedCommandName) ?? null
}

/** At most three names that were perhaps meant; also by the second word alone (`start`). */
export function nearestCommands(typed: string): readonly string[] {
  const word = typed.slice(0, 40)
  const editsMax = Math.max(2, Math.floor(word.length / 3))
  return COMMANDS.map(({ words }) => {
    const second = words.slice(words.indexOf(' ') + 1)
    return { words, edits: Math.min(editDistance(word, words), editDistance(word, second)) }
  })
    .filter(({ edits }) => edits <= editsMax)
    .sort((a, b) => a.edits - b.edits || compareBytes(a.words, b.words))
    .slice(0, 3)
    .map(({ words }) => words)
}
