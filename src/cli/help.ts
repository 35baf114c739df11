import { GROUPS } from '../api/route.ts'
import { LIFECYCLE } from '../domain/lifecycle.ts'
import type { Topic } from './argv.ts'
import { twoColumns, wrap } from './columns.ts'
import { COMMANDS, type Command, subcommands } from './commands.ts'
import {
  GLOBALS,
  isPlace,
  type Parameter,
  parameterForm,
  parameterHelp,
  parametersOf,
  placeForm,
  usageOf,
  VERSION_FLAG,
} from './parameters.ts'

/**
 * A page of help, in lines of at most 100 characters.
 * @param terminalColumns the width of the terminal; null where there is none
 */
export function helpPage(topic: Topic, terminalColumns: number | null): string {
  const width = Math.max(WIDTH_MIN, Math.min(terminalColumns ?? WIDTH_MAX, WIDTH_MAX))
  const { head, sections, foot } = pageOn(topic)
  const shown = sections.filter(({ rows }) => rows.length > 0)
  const columns = twoColumns(
    shown.map(({ rows }) => rows),
    width,
  )
  return [
    ...head.map((text) => `${wrap(text, width).join('\n')}\n`),
    ...shown.map(({ title }, at) => `${title}\n${columns[at]}`),
    ...foot,
  ].join('\n')
}

const WIDTH_MAX = 100
const WIDTH_MIN = 40

type Row = readonly [left: string, right: string]
type Section = { readonly title: string; readonly rows: readonly Row[] }
type PageParts = {
  readonly head: readonly string[]
  readonly sections: readonly Section[]
  readonly foot: readonly string[]
}

function pageOn(topic: Topic): PageParts {
  switch (topic.kind) {
    case 'all':
      return allPage()
    case 'group':
      return groupPage(topic.word)
    case 'command':
      return commandPage(topic.command)
  }
}

const PURPOSE =
  'Keeps the why next to the code, and packs what is known for whoever works on it next.'

function allPage(): PageParts {
  const groups = GROUPS.map((group) => ({
    title: group,
    rows: commandRows(COMMANDS.filter((command) => command.group === group)),
  }))
  return {
    head: ['Usage: av COMMAND [ARGUMENTS] [FLAGS]', PURPOSE],
    sections: [...groups, globalFlags([VERSION_FLAG])],
    foot: ['`av help COMMAND` shows one command.\n'],
  }
}

function groupPage(word: string): PageParts {
  return {
    head: [`Usage: av ${word} COMMAND [ARGUMENTS] [FLAGS]`],
    sections: [{ title: 'commands', rows: commandRows(subcommands(word)) }, globalFlags()],
    foot: [],
  }
}

function commandPage({ words, row }: Command): PageParts {
  const parameters = parametersOf(row)
  return {
    head: [`Usage: ${usageOf(words, parameters)}`, row.summary],
    sections: [
      { title: 'arguments', rows: parameters.filter(isPlace).map(parameterRow) },
      { title: 'flags', rows: parameters.filter((one) => !isPlace(one)).map(parameterRow) },
      { title: 'what becomes of the task', rows: transitionRows(words) },
      globalFlags(),
      { title: 'see also', rows: commandRows(subcommands(words)) },
    ],
    foot: [],
  }
}

/** From the table that the daemon judges by. */
function transitionRows(words: string): readonly Row[] {
  return LIFECYCLE.filter(({ event }) => event === words).map(({ from, to, when }) => [
    `${from.join(', ')} -> ${to}`,
    when === null ? '' : `When ${when}.`,
  ])
}

function commandRows(commands: readonly Command[]): readonly Row[] {
  return commands.map(({ words, row }) => {
    const places = parametersOf(row).filter(isPlace).map(placeForm)
    return [[words, ...places].join(' '), row.summary]
  })
}

function globalFlags(more: readonly Parameter[] = []): Section {
  const rows = [...Object.values(GLOBALS), ...more].map(parameterRow)
  return { title: 'flags of every command', rows }
}

function parameterRow(parameter: Parameter): Row {
  return [parameterForm(parameter), parameterHelp(parameter)]
}
