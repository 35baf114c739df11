import { z } from 'zod'
import { factsOf } from '../api/field.ts'
import { givenFields } from '../api/parse.ts'
import type { Route } from '../api/route.ts'

/** One field of a row as a person gives it: by place, or by a flag. */
export type Parameter = {
  readonly field: string
  /** The flag as it may be typed (`-m`, `--message`), the long form last; empty: given by place. */
  readonly forms: readonly string[]
  /** What stands for the value in help; null: a switch, which takes none. */
  readonly value: string | null
  readonly description: string
  readonly isRequired: boolean
  /** Takes several: all words that are left, or the flag again. */
  readonly isList: boolean
  /** A whole number rather than text. */
  readonly isNumber: boolean
  readonly choices: readonly string[]
  /** What holds when it is left out, as shown in help; null: nothing. */
  readonly fallback: string | null
  /** The value `-` stands for all of standard input. */
  readonly readsStdin: boolean
}

/** Places first, in the order of the row's fields; then flags, in the same order. */
export function parametersOf(row: Route): readonly Parameter[] {
  const all = Object.entries(givenFields(row).shape).map(([field, schema]) => {
    if (!(schema instanceof z.ZodType)) throw new TypeError(`${field} is no zod type`)
    return parameterOf(field, schema)
  })
  return [...all.filter(isPlace), ...all.filter((parameter) => !isPlace(parameter))]
}

export const isPlace = (parameter: Parameter): boolean => parameter.forms.length === 0

/** How messages call it: the long form of the flag, or what stands for the word. */
export function shownName(parameter: Parameter): string {
  return parameter.forms.at(-1) ?? parameter.value ?? parameter.field
}

/** The flags that every command takes. */
export const GLOBALS = {
  json: globalFlag('json', ['--json'], null, 'Print the result as JSON, for programs.'),
  help: globalFlag('help', ['-h', '--help'], null, 'Show help instead.'),
  quiet: globalFlag('quiet', ['-q', '--quiet'], null, 'Print the result only.'),
  noColor: globalFlag('noColor', ['--no-color'], null, 'No colours; NO_COLOR does the same.'),
  folder: globalFlag('folder', ['-C'], 'DIR', 'Act as if started in this folder.'),
  repo: globalFlag('repo', ['--repo'], 'NAME', 'Which repository, when not the one you stand in.'),
} as const satisfies Record<string, Parameter>

/** Understood before a command only. */
export const VERSION_FLAG: Parameter = globalFlag(
  'version',
  ['--version'],
  null,
  'Show the version.',
)

function globalFlag(
  field: string,
  forms: readonly string[],
  value: string | null,
  description: string,
): Parameter {
  const isList = field === 'folder'
  return {
    ...{ field, forms, value, description, isList },
    ...{ isRequired: false, isNumber: false, choices: [], fallback: null, readsStdin: false },
  }
}

function parameterOf(field: string, schema: z.ZodType): Parameter {
  const facts = factsOf(schema)
  const { inner, isRequired, fallback } = unwrap(schema)
  const element = inner instanceof z.ZodArray ? inner.element : inner
  const isNumber = element instanceof z.ZodNumber
  const value = facts.value ?? (isNumber ? 'N' : field.toUpperCase())
  const long = `--${facts.flag ?? kebab(field)}`
  return {
    field,
    forms: facts.positional ? [] : facts.short ? [`-${facts.short}`, long] : [long],
    value: element instanceof z.ZodBoolean ? null : value,
    description: facts.description,
    isRequired,
    isList: inner instanceof z.ZodArray,
    isNumber,
    choices: element instanceof z.ZodEnum ? element.options.map(String) : [],
    fallback,
    readsStdin: value.split('|').includes('-'),
  }
}

/** What is under `optional` and `default`. */
function unwrap(schema: z.ZodType) {
  let inner: z.core.$ZodType = schema
  let isRequired = true
  let fallback: string | null = null
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) {
    isRequired = false
    if (inner instanceof z.ZodDefault) fallback = shownFallback(inner.def.defaultValue)
    inner = inner.unwrap()
  }
  return { inner, isRequired, fallback }
}

/** A switch that is off and a list that is empty go without saying. */
function shownFallback(value: unknown): string | null {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : null
}

const kebab = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `av task start GOAL [FLAGS]` */
export function usageOf(words: string, parameters: readonly Parameter[]): string {
  const places = parameters.filter(isPlace).map(placeForm)
  const flags = parameters.every(isPlace) ? [] : ['[FLAGS]']
  return ['av', words, ...places, ...flags].join(' ')
}

export function placeForm({ value, field, isList, isRequired }: Parameter): string {
  const name = `${value ?? field}${isList ? '...' : ''}`
  return isRequired ? name : `[${name}]`
}

/** `-m, --message TEXT`; a flag without a short form is set in by as much. */
export function parameterForm(parameter: Parameter): string {
  if (isPlace(parameter)) return placeForm(parameter)
  const forms = parameter.forms.join(', ')
  const indent = parameter.forms[0]?.startsWith('--') ? '    ' : ''
  return `${indent}${forms}${parameter.value === null ? '' : ` ${parameter.value}`}`
}

/** What it means, what it may be, and what holds when it is left out. */
export function parameterHelp({ description, choices, fallback }: Parameter): string {
  return [
    description,
    ...(choices.length > 0 ? [`One of: ${choices.join(', ')}.`] : []),
    ...(fallback === null ? [] : [`Default: ${fallback}.`]),
  ].join(' ')
}
