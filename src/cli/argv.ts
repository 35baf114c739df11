import type { Fault } from '../domain/fault.ts'
import { badInput, quoted } from './bad-input.ts'
import { type Command, findCommand, nearestCommands, subcommands } from './commands.ts'
import { readGiven, type Texts, unknownFlag } from './given.ts'
import { GLOBALS, isPlace, type Parameter, parametersOf, VERSION_FLAG } from './parameters.ts'
import { type Token, tokenize } from './tokens.ts'

/** What a help page is about: all of av, the commands that begin with one word, or one command. */
export type Topic =
  | { readonly kind: 'all' }
  | { readonly kind: 'group'; readonly word: string }
  | { readonly kind: 'command'; readonly command: Command }

export type Globals = {
  readonly json: boolean
  readonly quiet: boolean
  readonly noColor: boolean
  /** Each relative to the one before. */
  readonly folders: readonly string[]
  readonly repo: string | null
}

export type CommandLine =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly topic: Topic }
  | {
      readonly kind: 'command'
      readonly command: Command
      readonly parameters: readonly Parameter[]
      /** By field: texts exactly as typed, whole numbers, true for a switch. What was left out is absent. */
      readonly given: Readonly<Record<string, unknown>>
      readonly globals: Globals
    }

/**
 * Reads the words after `av`. The command's own words come before its flags; global flags may stand
 * anywhere, and `--` ends the flags.
 * @throws Fault `bad_input`: names the word that is wrong, and what is nearest or was expected
 */
export function readCommandLine(words: readonly string[]): CommandLine {
  const head = readHead(words)
  if (head.asks === 'version') return { kind: 'version' }
  if (head.words.length === 0) return { kind: 'help', topic: { kind: 'all' } }
  const named = nameCommand(head.words)
  if (head.asks === 'help') return { kind: 'help', topic: topicOf(named) }
  if (named.command === null) throw halfACommand(named.group)
  const rest = words.filter((_, index) => !named.taken.includes(index))
  const parameters = parametersOf(named.command.row)
  const read = readGiven(named.command.words, parameters, rest)
  if (read === 'help') return { kind: 'help', topic: topicOf(named) }
  const { given, texts } = read
  return { kind: 'command', command: named.command, parameters, given, globals: globalsOf(texts) }
}

/** Whether JSON was asked for, told even of a line that cannot be read. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).includes('--json')
}

type Word = Token & { readonly kind: 'word' }

type Head = {
  readonly words: readonly Word[]
  readonly asks: 'help' | 'version' | null
}

/** Finds the one or two words that can name a command, among global flags; another flag ends them. */
function readHead(line: readonly string[]): Head {
  const known = [...Object.values(GLOBALS), VERSION_FLAG]
  const words: Word[] = []
  let asks: Head['asks'] = null
  for (const token of tokenize(line, known)) {
    const [first] = words
    if (token.kind === 'word') {
      if (first === undefined && asks === null && token.text === 'help') asks = 'help'
      else words.push(token)
      if (words.length === 2 || (words[0] && subcommands(words[0].text).length === 0)) break
    } else if (GLOBALS.help.forms.includes(token.form)) asks = 'help'
    else if (VERSION_FLAG.forms.includes(token.form)) asks ??= 'version'
    else if (!known.some(({ forms }) => forms.includes(token.form))) {
      if (first === undefined) throw unknownFlag(token.form, known, 'av')
      break
    }
  }
  return { words, asks }
}

type Named =
  | { readonly command: Command; readonly taken: readonly number[] }
  | { readonly command: null; readonly group: string }

/** `receipt list` before `receipt` with the word `list`; `config frob` is no `config` with a word. */
function nameCommand([first, second]: readonly Word[]): Named {
  if (first === undefined) throw new RangeError('no words')
  const both = second && findCommand(`${first.text} ${second.text}`)
  if (both) return { command: both, taken: [first.index, second.index] }
  const one = findCommand(first.text)
  if (one !== null && (second === undefined || parametersOf(one.row).some(isPlace))) {
    return { command: one, taken: [first.index] }
  }
  const isGroup = subcommands(first.text).length > 0
  if (isGroup && second === undefined) return { command: null, group: first.text }
  throw unknownCommand(isGroup && second ? `${first.text} ${second.text}` : first.text)
}

function topicOf(named: Named): Topic {
  if (named.command === null) return { kind: 'group', word: named.group }
  return { kind: 'command', command: named.command }
}

function globalsOf(texts: Texts): Globals {
  return {
    json: texts.has(GLOBALS.json),
    quiet: texts.has(GLOBALS.quiet),
    noColor: texts.has(GLOBALS.noColor),
    folders: texts.get(GLOBALS.folder) ?? [],
    repo: texts.get(GLOBALS.repo)?.[0] ?? null,
  }
}

function unknownCommand(words: string): Fault {
  const close = nearestCommands(words)
  const group = subcommands(words.slice(0, words.indexOf(' '))).map((command) => command.words)
  const near = close.length > 0 ? close : group
  const hint = near.length === 0 ? '.' : `; nearest: ${near.join(', ')}.`
  return badInput(
    'unknown_command',
    `There is no command ${quoted(words)}${hint}`,
    '`av help` lists the commands.',
    { nearest: near },
  )
}

function halfACommand(word: string): Fault {
  const seconds = subcommands(word).map(({ words }) => words.slice(word.length + 1))
  const message = `\`av ${word}\` wants a second word, before any flag: ${seconds.join(', ')}.`
  return badInput('missing_word', message, `See \`av ${word} --help\`.`)
}
