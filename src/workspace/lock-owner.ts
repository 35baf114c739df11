import { readFileSync } from 'node:fs'
import { kill, pid } from 'node:process'

/**
 * What av writes into a lock file of git: which process holds it. The time the process started is
 * in it where the system tells, so that a process number given out again is not taken for it.
 */
export function ownMark(): string {
  const started = startOf(pid)
  return started === null ? `av ${pid}\n` : `av ${pid} ${started}\n`
}

export type MarkOwner = 'alive' | 'dead'

/** Whether the process that wrote a lock file is at work still; null when it was not av's to begin with. */
export function ownerOf(content: string): MarkOwner | null {
  const found = /^av ([1-9]\d{0,9})(?: (\d{1,20}))?\n$/.exec(content)
  if (found === null) return null
  const owner = Number(found[1])
  if (!isAlive(owner)) return 'dead'
  const started = startOf(owner)
  return found[2] !== undefined && started !== null && started !== found[2] ? 'dead' : 'alive'
}

function isAlive(owner: number): boolean {
  try {
    return kill(owner, 0)
  } catch (thrown) {
    // Of another user: there it is, only not ours to signal.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

/** In clock ticks since the machine started; null where there is no `/proc`. */
function startOf(owner: number): string | null {
  try {
    const stat = readFileSync(`/proc/${owner}/stat`, 'latin1')
    // The second field is the program's name in parentheses, which may hold any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
