import { Fault } from './fault.ts'
import type { Instant, Position, RepoId } from './repo.ts'

export type ConventionId = string & { readonly __brand: 'ConventionId' }

export const CONVENTION_STATES = ['proposed', 'active', 'retired'] as const
export type ConventionState = (typeof CONVENTION_STATES)[number]

/** UTF-8 bytes. */
export const CONVENTION_BYTES_MAX = 4 * 1024

/** A rule of the repo, shown to tasks that touch files its glob matches. */
export type Convention = {
  readonly repo: RepoId
  readonly id: ConventionId
  readonly glob: string
  readonly text: string
  /** Always in a matching pack, whatever the budget. */
  readonly required: boolean
  readonly state: ConventionState
  readonly author: string
  readonly acceptedBy: string | null
  /** Of its newest change. */
  readonly position: Position
  readonly at: Instant
}

const GLOB_CHARS_MAX = 200
/** Each group of alternatives doubles the ways to match. */
const ALTERNATIVES_MAX = 8

/**
 * Which paths a rule is for: `*` and `?` stay within a folder, `**` crosses folders, `{a,b}` and
 * `[ab]` choose. Dot files match like any other.
 * @throws Fault `bad_input` for a glob that is empty, absolute, climbs out, negates, or is broken
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const fault = globFault(glob)
  if (fault !== null) {
    throw new Fault(
      'bad_input',
      `The glob ${JSON.stringify(glob)} ${fault}.`,
      'Give one like src/api/**',
      { detail: { reason: 'bad_glob' } },
    )
  }
  // Bun's matcher does not backtrack, so no glob and no file name can make it slow.
  const compiled = new Bun.Glob(glob)
  return (path) => compiled.match(path)
}

function globFault(glob: string): string | null {
  if (glob.trim() === '') return 'is empty'
  if (glob.length > GLOB_CHARS_MAX) return `has more than ${GLOB_CHARS_MAX} characters`
  if (glob.startsWith('/') || /^[A-Za-z]:/.test(glob)) return 'is not relative to the repository'
  if (glob.split('/').includes('..')) return 'leads out of the repository'
  if (glob.startsWith('!')) return 'negates: a rule says what it is for'
  if (!isBalanced(glob)) return 'has a bracket without its other half'
  if (glob.split('{').length - 1 > ALTERNATIVES_MAX) return 'has too many alternatives'
  return null
}

function isBalanced(glob: string): boolean {
  const bare = glob.replace(/\\./g, '').replace(/\[[^\]]*\]/g, '')
  if (/[[\]]/.test(bare)) return false
  let depth = 0
  for (const char of bare) {
    if (char === '{') depth++
    if (char === '}' && --depth < 0) return false
  }
  return depth === 0
}
