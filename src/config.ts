import { join } from 'node:path'
import { readTable, type Table, writeKey } from './config-file.ts'
import {
  badValue,
  folder,
  httpUrl,
  oneLine,
  type Place,
  postgresUrl,
  program,
  wholeNumber,
} from './config-values.ts'
import { ACTOR_NAME_MAX } from './domain/actor.ts'
import { shownAddress } from './domain/database-address.ts'
import { Fault } from './domain/fault.ts'
import { nearest } from './domain/nearest.ts'

/** Every setting: its variable, default and meaning. Its key in config.toml is the variable without `AV_`. */
const SETTINGS = {
  home: {
    env: 'AV_HOME',
    default: '~/.local/share/av',
    help: 'The folder of the database, the socket, the log and config.toml.',
    read: folder,
  },
  databaseUrl: {
    env: 'AV_DATABASE_URL',
    default: '',
    help: 'A postgres:// address; unset: the embedded database in AV_HOME.',
    read: postgresUrl,
  },
  leaseSecs: {
    env: 'AV_LEASE_SECS',
    default: '1800',
    help: 'Seconds that a claim outlives its last write.',
    read: wholeNumber(1, 30 * 86_400),
  },
  idleSecs: {
    env: 'AV_IDLE_SECS',
    default: '900',
    help: 'Seconds without a request after which the daemon stops; 0: never.',
    read: wholeNumber(0, 30 * 86_400),
  },
  actor: {
    env: 'AV_ACTOR',
    default: '',
    help: "Who acts; unset: the agent that is running, else git's user.name.",
    read: oneLine(ACTOR_NAME_MAX),
  },
  session: {
    env: 'AV_SESSION',
    default: '',
    help: "The conversation a command belongs to; unset: the agent's own.",
    read: oneLine(200),
  },
  task: {
    env: 'AV_TASK',
    default: '',
    help: 'The task a command is about; unset: that of the workspace it runs in.',
    read: oneLine(64),
  },
  generation: {
    env: 'AV_GENERATION',
    default: '',
    help: 'The generation of the claim a command writes under; unset: the one granted here.',
    read: (text: string, place: Place) => String(wholeNumber(0, 999_999_999)(text, place)),
  },
  jj: {
    env: 'AV_JJ',
    default: '',
    help: 'The jj program; unset: jj on the PATH, then beside av.',
    read: program,
  },
  workspaces: {
    env: 'AV_WORKSPACES',
    default: '~/ws',
    help: 'The folder of the workspaces: <folder>/<repo>/<task>/.',
    read: folder,
  },
  embedUrl: {
    env: 'AV_EMBED_URL',
    default: '',
    help: 'An http(s) address that speaks the OpenAI embeddings API; unset: the built-in table.',
    read: httpUrl,
  },
  embedModel: {
    env: 'AV_EMBED_MODEL',
    default: 'nomic-embed-text',
    help: 'The model asked for at AV_EMBED_URL.',
    read: oneLine(200),
  },
  embedKey: {
    env: 'AV_EMBED_KEY',
    default: '',
    help: 'The key for AV_EMBED_URL; never shown.',
    read: oneLine(1_000),
    secret: true,
  },
  qdrantUrl: {
    env: 'AV_QDRANT_URL',
    default: '',
    help: 'The http(s) address of a Qdrant server; unset: vectors are searched in the daemon.',
    read: httpUrl,
  },
  qdrantApiKey: {
    env: 'AV_QDRANT_API_KEY',
    default: '',
    help: 'The key for AV_QDRANT_URL; never shown.',
    read: oneLine(1_000),
    secret: true,
  },
  carryGlobs: {
    env: 'AV_CARRY_GLOBS',
    default: '**/*.md',
    help: "Files that may overlap with trunk's without voiding an approval; .av.toml may name fewer.",
    read: oneLine(4_000),
  },
} as const satisfies Readonly<Record<string, Row>>

type Row = {
  readonly env: `AV_${string}`
  /** As one would write it; '' is unset. */
  readonly default: string
  readonly help: string
  /** Checks a text and gives the value; never called with ''. */
  readonly read: (text: string, place: Place) => string | number
  /** Whether it is never shown. */
  readonly secret?: true
}
type Name = keyof typeof SETTINGS

/** The values. A text that is unset is ''. */
export type Settings = { readonly [N in Name]: ReturnType<(typeof SETTINGS)[N]['read']> }

export type SettingItem = {
  readonly key: string
  /** As it may be shown: without a password. */
  readonly value: string
  readonly from: 'default' | 'file' | 'env'
  readonly help: string
}

export type Config = {
  readonly settings: Settings
  /** One for each setting, in the table's order. */
  readonly items: readonly SettingItem[]
  readonly warnings: readonly string[]
}

/** What decides besides config.toml. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly userHome: string
  readonly cwd: string
}

const NAMES = Object.keys(SETTINGS) as readonly Name[]
const keyOf = (name: Name): string => SETTINGS[name].env.slice('AV_'.length).toLowerCase()
const settingOf = (word: string): Name | undefined =>
  NAMES.find((name) => keyOf(name) === word || SETTINGS[name].env === word)

/**
 * The settings in force. The TOML library is loaded only where there is a file.
 * @throws Fault `bad_input` naming the variable or the file that cannot be used
 */
export async function loadConfig(around: Surroundings): Promise<Config> {
  return readConfig(around, await readTable(fileIn(homeOf(around))))
}

/**
 * Environment over file over default.
 * @param table what config.toml holds
 */
export function readConfig(around: Surroundings, table: Table): Config {
  const home = homeOf(around)
  const found = NAMES.map((name) => {
    const { text, from, place } = find(name, around, home, table)
    const value = text === '' ? '' : SETTINGS[name].read(text, place)
    return { name, value, from }
  })
  return {
    settings: Object.fromEntries(found.map(({ name, value }) => [name, value])) as Settings,
    items: found.map(({ name, value, from }) => ({
      key: keyOf(name),
      value: shownValue(name, String(value)),
      from,
      help: SETTINGS[name].help,
    })),
    warnings: [...strayVariables(around.env), ...strayKeys(table, fileIn(home))],
  }
}

function shownValue(name: Name, value: string): string {
  if (value === '') return ''
  const row: Row = SETTINGS[name]
  if (row.secret) return '(set)'
  return name === 'databaseUrl' ? shownAddress(value) : value
}

/** One setting, by its key or its variable's name. */
export function itemOf(config: Config, word: string): SettingItem {
  const name = settingOf(word)
  const item = name && config.items.find(({ key }) => key === keyOf(name))
  if (item) return item
  throw unknownSetting(word)
}

/**
 * Writes a setting to config.toml; an empty value unsets it.
 * @param unique names the temporary file: two writers at once must not share it
 */
export async function writeSetting(
  around: Surroundings,
  word: string,
  value: string,
  unique: string,
): Promise<void> {
  const name = settingOf(word)
  if (!name) throw unknownSetting(word)
  if (name === 'home') {
    throw new Fault(
      'bad_input',
      'AV_HOME says where config.toml lies, so it cannot stand in it.',
      'Set the variable AV_HOME instead, for example in the profile of your shell.',
    )
  }
  const key = keyOf(name)
  const place = { label: key, base: around.cwd, userHome: around.userHome }
  const checked = value === '' ? '' : SETTINGS[name].read(value, place)
  const written = value.startsWith('~') ? value : checked
  await writeKey(fileIn(homeOf(around)), key, written, unique)
}

function homeOf(around: Surroundings): string {
  const text = around.env[SETTINGS.home.env] || SETTINGS.home.default
  return folder(text, { label: 'AV_HOME', base: around.cwd, userHome: around.userHome })
}

const fileIn = (home: string): string => join(home, 'config.toml')

function find(name: Name, { env, userHome, cwd }: Surroundings, home: string, table: Table) {
  const { env: variable, default: text } = SETTINGS[name]
  const inEnv = env[variable]
  // A variable set to nothing is how one takes a variable away for a single command.
  if (inEnv) {
    return { text: inEnv, from: 'env' as const, place: { label: variable, base: cwd, userHome } }
  }
  const key = [keyOf(name), variable].find((word) => Object.hasOwn(table, word))
  if (key !== undefined && name !== 'home' && table[key] !== '') {
    const place = { label: `${key} in ${fileIn(home)}`, base: home, userHome }
    return { text: textOf(table[key], place), from: 'file' as const, place }
  }
  return { text, from: 'default' as const, place: { label: variable, base: cwd, userHome } }
}

function textOf(value: unknown, place: Place): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  throw badValue(place, 'a text in quotes or a number')
}

function strayVariables(env: Surroundings['env']): string[] {
  return Object.keys(env)
    .filter((word) => /^AV_(?!TEST_)/.test(word) && !settingOf(word))
    .map((word) => `${word} is no setting of this av; the nearest one is ${nearestTo(word)}.`)
}

function strayKeys(table: Table, file: string): string[] {
  return Object.keys(table).flatMap((word) => {
    const name = settingOf(word)
    if (name === 'home') return [`${word} does not count in ${file}: set the variable AV_HOME.`]
    return name ? [] : [`${file}: ${word} is no setting; the nearest one is ${nearestTo(word)}.`]
  })
}

function nearestTo(word: string): string | null {
  const isVariable = word.startsWith('AV_')
  return nearest(
    isVariable ? word : word.toLowerCase(),
    NAMES.map((name) => (isVariable ? SETTINGS[name].env : keyOf(name))),
  )
}

const unknownSetting = (word: string): Fault =>
  new Fault(
    'bad_input',
    `There is no setting ${JSON.stringify(word.slice(0, 100))}; the nearest one is ${nearestTo(word)}.`,
    'See `av config` for all of them.',
    { detail: { reason: 'unknown_setting' } },
  )
