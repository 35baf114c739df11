import { Fault } from './fault.ts'
import { nearest } from './nearest.ts'
import { codeLine } from './sanitise.ts'

/** What a team shares in `.av.toml` at the repository's root; null where the file does not say. */
export type TeamFile = {
  /** Name of the trunk branch. */
  readonly trunk: string | null
  /** Name of the git remote whose branch is the team's trunk: never a URL, a path or an option. */
  readonly remote: string | null
  /** Files in which trunk's and a task's edits may overlap without voiding an approval. */
  readonly carryGlobs: readonly string[] | null
  /** How long a merged task's folder stays. */
  readonly keepHours: number | null
  /** An approval is void as soon as trunk touched a file of the task that no glob matches. */
  readonly strictOverlap: boolean
  readonly warnings: readonly string[]
}

export const TEAM_FILE = '.av.toml'

export const NO_TEAM_FILE: TeamFile = {
  trunk: null,
  remote: null,
  carryGlobs: null,
  keepHours: null,
  strictOverlap: false,
  warnings: [],
}

/**
 * What the parsed file says. It is repository content: it names things, and nothing it says runs.
 * A key that is not known is a warning; a value of the wrong kind is a fault `bad_input`, reason
 * `bad_project_file`: half a policy is worse than none.
 */
export function teamFileOfTable(file: Table): TeamFile {
  const policies = tableAt(file, 'policies')
  const workspace = tableAt(policies, 'workspace', 'policies.')
  return {
    trunk: text(file.trunk, 'trunk', isName),
    remote: text(file.remote, 'remote', isRemoteName),
    carryGlobs: globs(file.carry_globs),
    keepHours: hours(workspace.keep_hours),
    strictOverlap: flag(file.strict_overlap),
    warnings: [
      ...strangers(file, ['trunk', 'remote', 'carry_globs', 'strict_overlap', 'policies'], ''),
      ...strangers(policies, ['workspace'], 'policies.'),
      ...strangers(workspace, ['keep_hours'], 'policies.workspace.'),
    ].slice(0, WARNINGS_MAX),
  }
}

export function badTeamFile(why: string): Fault {
  return new Fault(
    'bad_input',
    `${TEAM_FILE} cannot be read: ${why}.`,
    'Mend it, or move it away.',
    { detail: { reason: 'bad_project_file' } },
  )
}

type Table = Readonly<Record<string, unknown>>

const WARNINGS_MAX = 20
const NAME_CHARS_MAX = 255
const GLOBS_MAX = 100
const GLOB_CHARS_MAX = 1_000
const KEEP_HOURS_MAX = 8_760

/** A name that no command of git could take for a URL, a path, a range or an option. */
export function isRemoteName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && !name.includes('..')
}

function isName(name: string): boolean {
  return name !== '' && name.length <= NAME_CHARS_MAX && !name.startsWith('-')
}

function text(value: unknown, key: string, isValid: (text: string) => boolean): string | null {
  if (value === undefined) return null
  if (typeof value === 'string' && isValid(value)) return value
  throw badTeamFile(`${key} is not a name`)
}

function flag(value: unknown): boolean {
  if (value === undefined) return false
  if (typeof value === 'boolean') return value
  throw badTeamFile('strict_overlap is neither true nor false')
}

function hours(value: unknown): number | null {
  if (value === undefined) return null
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= KEEP_HOURS_MAX) {
    return Number(value)
  }
  throw badTeamFile(`policies.workspace.keep_hours is no whole number from 0 to ${KEEP_HOURS_MAX}`)
}

function globs(value: unknown): string[] | null {
  if (value === undefined) return null
  if (!Array.isArray(value) || value.length > GLOBS_MAX) {
    throw badTeamFile(`carry_globs is no list of at most ${GLOBS_MAX} patterns`)
  }
  return value.map((glob: unknown) => {
    if (typeof glob === 'string' && glob !== '' && glob.length <= GLOB_CHARS_MAX) return glob
    throw badTeamFile(
      `carry_globs holds something else than a text of 1 to ${GLOB_CHARS_MAX} characters`,
    )
  })
}

function tableAt(table: Table, key: string, above = ''): Table {
  const value = table[key]
  if (value === undefined) return {}
  if (isTable(value)) return value
  throw badTeamFile(`${above}${key} is not a table`)
}

function isTable(value: unknown): value is Table {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  )
}

function strangers(table: Table, known: readonly string[], above: string): string[] {
  return Object.keys(table)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const shown = JSON.stringify(`${above}${codeLine(key, 100)}`)
      return `${TEAM_FILE} has an unknown key ${shown}; the nearest one is ${above}${nearest(key.slice(0, 100), known)}.`
    })
}
