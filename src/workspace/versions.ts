import { Fault } from '../domain/fault.ts'
import type { Host } from './host.ts'
import { run } from './run.ts'

export const JJ_MIN = '0.46.0'
export const GIT_MIN = '2.39.0'
/** The newest jj that the tests ran on. */
export const JJ_TESTED = '0.46.0'

export type ToolVersions = {
  readonly jj: string
  readonly git: string
  /** jj is newer than any that was tested: worth a line in `av doctor`, no reason to stop. */
  readonly untested: boolean
}

/**
 * Asks jj and git for their versions (about 12 ms): once at `av init` and `task start`, and again
 * when jj fails in a way nobody has met. Faults with `tool_missing`, naming what was found and needed.
 */
export async function checkTools(host: Host): Promise<ToolVersions> {
  const [jj, git] = await Promise.all([
    versionOf(host, host.jj, /^jj (\d+\.\d+\.\d+)/),
    versionOf(host, 'git', /^git version (\d+\.\d+(?:\.\d+)?)/),
  ])
  if (isOlder(jj, JJ_MIN)) throw tooOld('jj', jj, JJ_MIN, JJ_REMEDY)
  if (isOlder(git, GIT_MIN)) throw tooOld('git', git, GIT_MIN, GIT_REMEDY)
  return { jj, git, untested: isOlder(JJ_TESTED, jj) }
}

const JJ_REMEDY =
  "Run av's scripts/setup.sh, or set AV_JJ to a jj program that is new enough; then repeat the command."
const GIT_REMEDY = "Install a newer git by the system's package manager; then repeat the command."

async function versionOf(host: Host, program: string, pattern: RegExp): Promise<string> {
  const remedy = program === 'git' ? GIT_REMEDY : JJ_REMEDY
  const needed = program === 'git' ? GIT_MIN : JJ_MIN
  try {
    const ran = await run(host, { argv: [program, '--version'], cwd: '/' })
    const version = pattern.exec(ran.stdout.toString('utf8'))?.[1]
    if (version !== undefined && ran.exitCode === 0) return version
    throw new Fault('tool_missing', `${program} does not say its version.`, remedy, {
      detail: { reason: 'no_version', program, needed, exitCode: ran.exitCode },
    })
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.detail.reason !== 'not_started') throw thrown
    const name = program === 'git' ? 'git' : 'jj'
    throw new Fault(
      'tool_missing',
      `${name} ${needed} or newer is needed, none was found (${program}).`,
      remedy,
      {
        cause: thrown,
        detail: { reason: `${name}_missing`, found: null, needed, program },
      },
    )
  }
}

function tooOld(name: string, found: string, needed: string, remedy: string): Fault {
  return new Fault(
    'tool_missing',
    `${name} ${needed} or newer is needed, ${found} was found.`,
    remedy,
    {
      detail: { reason: `${name}_too_old`, found, needed },
    },
  )
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number))
  for (let i = 0; i < 3; i++) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
