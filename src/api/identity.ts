import { createHash } from 'node:crypto'
import { shownAddress } from '../domain/database-address.ts'
import { Fault } from '../domain/fault.ts'
import { type Build, PROTOCOL } from './version.ts'
import { badHeader, decodeHeader, isObject } from './wire.ts'

/** A setting of the daemon that a command may have otherwise than the daemon that runs. */
export type SharedSetting = {
  /** `AV_DATABASE_URL` */
  readonly name: string
  /** Its value as it may be shown. */
  readonly shown: string
  /** Of the whole value, credentials too: equal digests, equal settings. */
  readonly digest: string
  /** Whether a command with another value is refused, or served with a warning. */
  readonly refuses: boolean
}

/** What node-postgres takes from the environment where the address leaves it out. */
export const PG_VARIABLES = [
  'PGHOST',
  'PGPORT',
  'PGUSER',
  'PGDATABASE',
  'PGPASSWORD',
  'PGPASSFILE',
  'PGSSLMODE',
  'PGOPTIONS',
] as const

/** The settings that a daemon goes by. Those of search by meaning are '' or left out by default. */
export type DaemonSettings = {
  readonly databaseUrl: string
  readonly leaseSecs: number
  readonly idleSecs: number
  readonly embedUrl?: string
  readonly embedModel?: string
  readonly embedKey?: string
  readonly qdrantUrl?: string
  readonly qdrantApiKey?: string
}

/**
 * What decides where a daemon writes, and what it was told else. `AV_HOME` is not among it: it is
 * where the socket lies, so whoever reaches the daemon has the same one.
 */
export function sharedSettings(
  settings: DaemonSettings,
  env: Readonly<Record<string, string | undefined>>,
): readonly SharedSetting[] {
  const { databaseUrl, leaseSecs, idleSecs } = settings
  const { embedUrl = '', embedModel = '', embedKey = '' } = settings
  const { qdrantUrl = '', qdrantApiKey = '' } = settings
  const fromEnv = databaseUrl === '' ? [] : PG_VARIABLES.map((name) => env[name] ?? null)
  return [
    {
      name: 'AV_DATABASE_URL',
      shown: databaseUrl === '' ? 'pglite' : shownAddress(databaseUrl),
      digest: digest([databaseUrl, ...fromEnv]),
      refuses: true,
    },
    {
      name: 'AV_QDRANT_URL',
      shown: qdrantUrl || 'none',
      digest: digest([qdrantUrl, qdrantApiKey]),
      refuses: true,
    },
    {
      name: 'AV_EMBED_URL',
      shown: embedUrl === '' ? 'the built-in table' : `${embedUrl} (${embedModel})`,
      digest: digest(embedUrl === '' ? [] : [embedUrl, embedModel, embedKey]),
      refuses: false,
    },
    ...Object.entries({ AV_LEASE_SECS: leaseSecs, AV_IDLE_SECS: idleSecs }).map(
      ([name, value]) => ({
        name,
        shown: String(value),
        digest: digest([value]),
        refuses: false,
      }),
    ),
  ]
}

/** The digest covers passwords: it travels over the socket and is never shown or logged. */
function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** What a client of ours says of itself besides: the daemon refuses before it does anything. */
export function clientHeaders(build: Build, shared: readonly SharedSetting[]) {
  const settings = shared.map(({ name, shown, digest }) => [name, { shown, digest }])
  return {
    'content-type': 'application/json',
    'av-protocol': String(PROTOCOL),
    'av-version': build.id,
    'av-settings': encodeURIComponent(JSON.stringify(Object.fromEntries(settings))),
  }
}

/**
 * Checks that a client belongs to this daemon, and gives the warnings its answer carries. A client
 * that says nothing of itself, as curl does, is served.
 * @throws Fault `conflict`: `version_skew` (detail: the daemon's `build` and `pid`), `other_settings`
 */
export function checkClient(
  headers: Headers,
  daemon: {
    readonly build: Build
    readonly pid: number
    readonly home: string
    readonly shared: readonly SharedSetting[]
  },
): readonly string[] {
  const protocol = headers.get('av-protocol') ?? String(PROTOCOL)
  const version = headers.get('av-version') ?? daemon.build.id
  if (version !== daemon.build.id || protocol !== String(PROTOCOL)) {
    throw new Fault(
      'conflict',
      `The daemon is av ${daemon.build.id}, the client ${version.slice(0, 80)}.`,
      'Use one av for both, or run `av daemon stop` first.',
      { detail: { reason: 'version_skew', build: daemon.build, pid: daemon.pid } },
    )
  }
  const theirs = headers.get('av-settings')
  return theirs === null ? [] : checkSettings(decodeHeader('av-settings', theirs), daemon)
}

function checkSettings(
  text: string,
  daemon: { readonly home: string; readonly shared: readonly SharedSetting[] },
): readonly string[] {
  const theirs: unknown = parseJson(text)
  if (!isObject(theirs)) throw badHeader('av-settings', 'no JSON object')
  const warnings: string[] = []
  for (const { name, shown, digest, refuses } of daemon.shared) {
    const their = theirs[name]
    if (!isObject(their) || their.digest === digest) continue
    const theirShown = String(their.shown)
    const differs =
      theirShown === shown ? `${shown}, but with other credentials` : `${theirShown}, not ${shown}`
    if (refuses) throw otherSettings(name, differs, daemon.home)
    warnings.push(
      `${name} ${theirShown} does not count yet: the running daemon has ${shown} until \`av daemon stop\`.`,
    )
  }
  return warnings
}

export const otherSettings = (name: string, differs: string, home: string): Fault =>
  new Fault(
    'conflict',
    `The daemon of AV_HOME ${home} was started with another ${name}: this command has ${differs}.`,
    `Set ${name} as the daemon has it or take another AV_HOME; to change the daemon's, run \`av daemon stop\` first.`,
    { detail: { reason: 'other_settings', setting: name } },
  )

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
