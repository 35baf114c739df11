import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Checkout, checkoutOfTrunk } from './checkout.ts'
import type { Clone } from './clone.ts'
import { completeCheckout } from './complete-checkout.ts'
import { hasReason } from './diagnosis.ts'
import type { Host } from './host.ts'
import { importMove } from './human-bookmark.ts'
import { lockIndex } from './index-lock.ts'
import { withLock } from './lock.ts'
import { type TrunkMove, trunkLock } from './move-trunk.ts'
import { changesBetween, treeName } from './tree-change.ts'
import { trunkCommit } from './trunk.ts'
import { holdsCommit, isBackward } from './trunk-ref.ts'

type Move = Pick<TrunkMove, 'old' | 'new'>

/**
 * After a client died inside `moveTrunk`: whether trunk has moved, with the files of the checkout
 * brought to where they belong if it has, and what the client left behind (locks, copies of the
 * index) cleared away. Edits of the person are not touched. May be called any number of times, also
 * when nothing had gone wrong. Faults with `conflict`, reason `checkout_locked`, while somebody is
 * at work in the checkout.
 */
export async function recoverTrunk(
  host: Host,
  clone: Clone,
  move: Move,
): Promise<'landed' | 'not_landed'> {
  try {
    return await withLock(host, trunkLock(clone), (held) => recoverHeld(held, clone, move), WAIT_MS)
  } catch (thrown) {
    throw hasReason(thrown, 'busy') ? stillMoving(clone, thrown) : thrown
  }
}

const WAIT_MS = 30_000

async function recoverHeld(host: Host, clone: Clone, move: Move): Promise<'landed' | 'not_landed'> {
  const checkout = await checkoutOfTrunk(host, clone)
  if (checkout === null || isOfJj(clone, checkout)) {
    await clearRefLocks(clone, checkout?.gitDir ?? clone.gitDir, move)
    if (clone.kind === 'purejj') await importMove(host, clone, move)
    return hasLanded(host, clone, move)
  }
  const lock = await lockIndex(checkout, { inherit: true })
  try {
    await clearRefLocks(clone, checkout.gitDir, move)
    const outcome = await hasLanded(host, clone, move)
    // With its lock gone and trunk further on, somebody has worked in the checkout since.
    const isOpen = lock.inherited || (await trunkCommit(host, clone, clone.trunk)) === move.new
    const like = move.new ?? move.old
    if (outcome === 'landed' && isOpen && like !== null) {
      const trees = [treeName(move.old, like), treeName(move.new, like)] as const
      const changes = await changesBetween(host, clone, ...trees)
      await completeCheckout(host, checkout, lock, changes, 'from')
    }
    return outcome
  } finally {
    lock.release()
  }
}

function isOfJj(clone: Clone, checkout: Checkout): boolean {
  return clone.kind === 'colocated' && existsSync(join(checkout.folder, '.jj'))
}

/** Trunk may have gone on since: forward counts what it holds, backward what it no longer holds. */
async function hasLanded(host: Host, clone: Clone, move: Move): Promise<'landed' | 'not_landed'> {
  const trunk = await trunkCommit(host, clone, clone.trunk)
  const holds = async (commit: CommitId | null) =>
    commit !== null && trunk !== null && (await holdsCommit(host, clone, trunk, commit))
  if (await isBackward(host, clone, move)) return (await holds(move.old)) ? 'not_landed' : 'landed'
  return (await holds(move.new)) ? 'landed' : 'not_landed'
}

const UNCHANGED_MS = 500

/**
 * A git that was killed in the middle of `update-ref` leaves its lock of the branch and of HEAD. A
 * living one holds them for milliseconds, and writes another commit into them.
 */
async function clearRefLocks(clone: Clone, gitDir: string, move: Move): Promise<void> {
  const locks = [
    join(gitDir, 'HEAD.lock'),
    join(clone.gitDir, 'refs', 'heads', `${clone.trunk}.lock`),
  ]
  const before = locks.map((file) => leftBy(file, move))
  if (before.every((mark) => mark === null)) return
  await Bun.sleep(UNCHANGED_MS)
  for (const [i, file] of locks.entries()) {
    const mark = before[i] ?? null
    if (mark !== null && leftBy(file, move) === mark) rmSync(file, { force: true })
  }
}

/** What tells one lock file from another of the same name, or null when it is none of ours. */
function leftBy(file: string, move: Move): string | null {
  try {
    const content = readFileSync(file, 'latin1').trim()
    if (content !== '' && content !== move.new && content !== move.old) return null
    const { ino, mtimeMs } = statSync(file)
    return `${ino} ${mtimeMs}`
  } catch {
    return null
  }
}

function stillMoving(clone: Clone, cause: unknown): Fault {
  return new Fault(
    'conflict',
    `Another av process is moving ${clone.trunk} right now.`,
    'Wait until it is done, then repeat the command.',
    { cause, detail: { reason: 'checkout_locked', folder: clone.root } },
  )
}
