import { existsSync } from 'node:fs'
import type { CodeView } from '../domain/code-view.ts'
import type { RepoId } from '../domain/repo.ts'
import { tryLock } from '../kernel-lock.ts'
import { type Clone, lockFile } from '../workspace/clone.ts'
import type { Code } from './code.ts'
import { askState, sendMissing } from './index-sync.ts'
import type { Place } from './place.ts'
import type { Session } from './session.ts'

/** So many files are read at once, in this process. */
const AT_ONCE_MAX = 400
/** How long a pack waits for the first index of a repository. */
const WAIT_MS = 5_000
const POLL_MS = 100

/**
 * Sees to it that the daemon knows the code a pack is for. What a few edits or a pull brought is
 * read here and now; the first index of a repository goes on in a process of its own, and the pack
 * waits for it up to 5 s.
 * @returns whether the index is still being built
 */
export async function waitForIndex(
  session: Session,
  place: Place,
  code: Code,
  view: CodeView,
): Promise<boolean> {
  if (await syncFew(session, place.repo, code, view)) return false
  if (!isBusy(place)) session.tools.spawnIndex(place.root)
  for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
    await Bun.sleep(POLL_MS)
    const state = await session.call('index.state', { repo: place.repo, view })
    session.invocation.progress?.('indexing', state.total - state.missing, state.total)
    if (state.missing === 0) return false
  }
  return true
}

/** Held by the process that builds the index of a clone's code. */
export function indexLock(clone: Clone): string {
  return lockFile(clone, '~index')
}

/** Whether a process is at it already; ten agents that start at once need one. */
function isBusy({ clone }: Place): boolean {
  if (clone === null || !existsSync(indexLock(clone))) return false
  const lock = tryLock(indexLock(clone))
  lock?.release()
  return lock === null
}

/**
 * Brings the index up to date when few files are missing from it.
 * @returns whether it is complete now
 */
export async function syncFew(
  session: Session,
  repo: RepoId,
  code: Code,
  view: CodeView,
): Promise<boolean> {
  const state = await askState(session, repo, code, view)
  if (state.missing > AT_ONCE_MAX) return false
  await sendMissing(session, repo, code, view, state)
  return true
}
