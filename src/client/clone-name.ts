import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { homeFault } from '../api/home.ts'
import type { Clone } from '../workspace/clone.ts'
import type { Session } from './session.ts'

/**
 * A name for a person's clone that no other clone has, on this machine or another: where no remote is, trunk is the
 * branch of one clone, and only a merge from there moves it. 32 hex digits.
 */
export function cloneName(session: Session, { gitDir }: Pick<Clone, 'gitDir'>): string {
  const key = JSON.stringify([homeName(session), gitDir])
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

/**
 * What tells this AV_HOME from all others; made once, of two makers at once one wins.
 * @throws Fault `store_unavailable`: the folder cannot be written
 */
function homeName({ host, tools }: Session): string {
  const file = join(host.home, 'home-id')
  try {
    return readOrNull(file) ?? makeName(file, tools.world.randomHex(16), tools.world.randomHex(8))
  } catch (thrown) {
    throw homeFault(host.home, thrown)
  }
}

function makeName(file: string, name: string, nonce: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${nonce}`
  writeFileSync(fresh, name, { mode: 0o600 })
  try {
    linkSync(fresh, file)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  } finally {
    rmSync(fresh, { force: true })
  }
  return readFileSync(file, 'utf8')
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
