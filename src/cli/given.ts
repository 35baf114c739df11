import { givenFields, parseInput } from '../api/parse.ts'
import type { Route } from '../api/route.ts'
import { Fault } from '../domain/fault.ts'
import { nearest } from '../domain/nearest.ts'
import { clip } from '../domain/sanitise.ts'
import { badInput, quoted } from './bad-input.ts'
import {
  GLOBALS,
  isPlace,
  type Parameter,
  parameterHelp,
  shownName,
  usageOf,
} from './parameters.ts'
import { type Token, tokenize } from './tokens.ts'

/** What was typed for each parameter; empty for a switch. */
export type Texts = ReadonlyMap<Parameter, readonly string[]>

/**
 * Reads the words after those that name the command.
 * @param command as typed: `task start`
 * @returns `help` when they ask for it, however wrong the others are
 * @throws Fault `bad_input`
 */
export function readGiven(
  command: string,
  parameters: readonly Parameter[],
  words: readonly string[],
): 'help' | { readonly given: Readonly<Record<string, unknown>>; readonly texts: Texts } {
  const flags = [...parameters.filter((one) => !isPlace(one)), ...Object.values(GLOBALS)]
  const tokens = tokenize(words, flags)
  if (tokens.some(isCallForHelp)) return 'help'
  const texts: Texts = new Map([
    ...flagTexts(tokens, flags, `av ${command}`),
    ...placeTexts(tokens, parameters, usageOf(command, parameters)),
  ])
  const given = parameters.flatMap((parameter) => {
    const found = texts.get(parameter)
    return found === undefined ? [] : [[parameter.field, valueFrom(parameter, found)] as const]
  })
  return { given: Object.fromEntries(given), texts }
}

/**
 * Checks what was given against the row, and fills in its defaults.
 * @throws Fault `bad_input`: names the flag as typed, what was expected and what was found
 */
export function checkGiven(
  row: Route,
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    return parseInput(givenFields(row), given)
  } catch (thrown) {
    throw inTypedWords(thrown, parameters, given)
  }
}

/** `budget: Too small: …` as `--budget: Too small: …, found 3.` */
function inTypedWords(
  thrown: unknown,
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): unknown {
  if (!(thrown instanceof Fault) || typeof thrown.detail.field !== 'string') return thrown
  const [field = '', at] = thrown.detail.field.split('.')
  const parameter = parameters.find((one) => one.field === field)
  if (parameter === undefined) return thrown
  const problem = thrown.message.slice(thrown.detail.field.length).replace(/^: /, '')
  const value = given[field]
  const found = Array.isArray(value) && at !== undefined ? value[Number(at)] : value
  const shown = typeof found === 'string' ? quoted(found) : JSON.stringify(found)
  const message = `${shownName(parameter)}: ${problem}${found === undefined ? '.' : `, found ${shown}.`}`
  return badInput('bad_value', message, parameterHelp(parameter), { field })
}

/** `--body --help` asks for help; `--body=--help` does not. */
function isCallForHelp(token: Token): boolean {
  if (token.kind === 'word') return false
  const { forms } = GLOBALS.help
  return (
    forms.includes(token.form) ||
    (!token.isInline && token.value !== null && forms.includes(token.value))
  )
}

function flagTexts(tokens: readonly Token[], flags: readonly Parameter[], command: string): Texts {
  const texts = new Map<Parameter, readonly string[]>()
  for (const token of tokens) {
    if (token.kind === 'word') continue
    const flag = flags.find(({ forms }) => forms.includes(token.form))
    if (flag === undefined) throw unknownFlag(token.form, flags, command)
    const before = texts.get(flag)
    if (before !== undefined && !flag.isList && flag.value !== null) {
      throw badInput('flag_twice', `${token.form} was given twice.`, 'Give it once.')
    }
    texts.set(flag, [...(before ?? []), ...flagValue(token, flag)])
  }
  return texts
}

function flagValue(token: Token & { readonly kind: 'flag' }, flag: Parameter): readonly string[] {
  const { form, value, isInline } = token
  if (flag.value === null) {
    if (value === null) return []
    const message = `${form} takes no value, found ${quoted(value)}.`
    throw badInput('flag_value', message, 'Leave the flag out to say no.')
  }
  const wanted = `${form} wants a value: ${flag.value}`
  if (value === null) throw badInput('flag_value', `${wanted}.`, parameterHelp(flag))
  if (isInline || !LIKE_A_FLAG.test(value)) return [value]
  const way = `A value that looks like a flag is joined to its own: ${shownName(flag)}=…`
  throw badInput('flag_value', `${wanted}, found the flag ${quoted(value)}.`, way)
}

/** Not `-`, `-5` or `- a list item`: those are values. */
const LIKE_A_FLAG = /^(?:--|--[a-z][\w-]*(?:=.*)?|-[a-z]+)$/is

function placeTexts(
  tokens: readonly Token[],
  parameters: readonly Parameter[],
  usage: string,
): Texts {
  const words = tokens.flatMap((token) => (token.kind === 'word' ? [token.text] : []))
  const texts = new Map<Parameter, readonly string[]>()
  let next = 0
  for (const place of parameters.filter(isPlace)) {
    const taken = words.slice(next, place.isList ? words.length : next + 1)
    next += taken.length
    if (taken.length > 0) texts.set(place, taken)
    else if (place.isRequired) {
      throw badInput('missing_word', `${shownName(place)} is missing.`, `Usage: ${usage}`)
    }
  }
  const extra = words[next]
  if (extra === undefined) return texts
  const way = `Quote text that has spaces in it. Usage: ${usage}`
  throw badInput('extra_word', `Did not expect ${quoted(extra)}.`, way)
}

function valueFrom(parameter: Parameter, texts: readonly string[]): unknown {
  if (parameter.value === null) return true
  const values = parameter.isNumber ? texts.map((text) => wholeNumber(parameter, text)) : texts
  return parameter.isList ? values : values[0]
}

function wholeNumber(parameter: Parameter, text: string): number {
  if (/^-?(?:0|[1-9][0-9]{0,15})$/.test(text)) return Number(text)
  const message = `${shownName(parameter)}: expected a whole number, found ${quoted(text)}.`
  throw badInput('bad_value', message, parameterHelp(parameter), { field: parameter.field })
}

/** @param command whose flags these are, as typed: `av pack` */
export function unknownFlag(form: string, flags: readonly Parameter[], command: string): Fault {
  const known = flags.flatMap(({ forms }) => forms.filter((one) => one.startsWith('--')))
  const near = nearest(clip(form, 40), known)
  return badInput(
    'unknown_flag',
    `\`${command}\` has no flag ${clip(form, 80)}${near === null ? '.' : `; nearest is ${near}.`}`,
    `See \`${command} --help\`. A word that begins with a dash goes after \`--\`.`,
    { nearest: near },
  )
}
