import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { type Checkout, gitIn } from './checkout.ts'
import { refuseOverlap } from './checkout-overlap.ts'
import type { Clone } from './clone.ts'
import { completeCheckout } from './complete-checkout.ts'
import type { Host } from './host.ts'
import { type IndexLock, lockIndex } from './index-lock.ts'
import { changesBetween, treeName } from './tree-change.ts'
import { trunkCommit } from './trunk.ts'
import { type CasMove, setTrunk, trunkMoved } from './trunk-ref.ts'

/**
 * Moves trunk where a worktree has it checked out, its files following. All of it happens under the
 * index lock of that worktree: what is in the way is looked for, git tries the move, trunk moves by
 * compare and swap, and only then the files do. What the person has staged or edited elsewhere
 * stays as it is. False, with nothing done: the worktree no longer has trunk checked out.
 */
export async function moveCheckedOut(
  host: Host,
  clone: Clone,
  checkout: Checkout,
  move: CasMove,
): Promise<boolean> {
  const lock = await lockIndex(checkout, { inherit: false })
  try {
    refuseBusy(checkout)
    if (!(await isOnTrunk(host, clone, checkout))) return false
    if ((await trunkCommit(host, clone, clone.trunk)) !== move.old) throw trunkMoved(clone.trunk)
    await moveLocked(host, clone, checkout, lock, move)
    return true
  } finally {
    lock.release()
  }
}

async function moveLocked(
  host: Host,
  clone: Clone,
  checkout: Checkout,
  lock: IndexLock,
  move: CasMove,
): Promise<void> {
  const trees = treesOf(move)
  const changes = await changesBetween(host, clone, ...trees)
  await refuseOverlap(host, checkout, lock.index, changes)
  await readTrees(host, checkout, lock, ['-n', ...trees])
  await setTrunk(host, clone, checkout, move)
  try {
    await readTrees(host, checkout, lock, trees)
  } catch (thrown) {
    await takeBack(host, clone, checkout, lock, move)
    throw thrown
  }
  lock.commit()
}

/** The empty tree stands for no commit, so that a branch is born and ended like any other move. */
function treesOf(move: CasMove): [string, string] {
  const like = move.new ?? move.old
  if (like === null) throw nothingToMove()
  return [treeName(move.old, like), treeName(move.new, like)]
}

/** git's merge of two trees into index and files: it keeps what differs from both alone. */
async function readTrees(
  host: Host,
  checkout: Checkout,
  lock: IndexLock,
  args: readonly string[],
): Promise<void> {
  const argv = ['read-tree', '-m', '-u', '--no-recurse-submodules', ...args]
  await gitIn(host, { folder: checkout.folder, index: lock.index }, argv)
}

/**
 * Undoes a move whose files could not follow (a full disk, a file edited in that very moment). When
 * that fails as well, `recoverTrunk` finishes the move later.
 */
async function takeBack(
  host: Host,
  clone: Clone,
  checkout: Checkout,
  lock: IndexLock,
  move: CasMove,
): Promise<void> {
  const back: CasMove = { old: move.new, new: move.old, message: 'av: taken back' }
  const [from, to] = treesOf(back)
  try {
    await setTrunk(host, clone, checkout, back)
    const changes = await changesBetween(host, clone, from, to)
    await completeCheckout(host, checkout, lock, changes, 'to')
  } catch (cause) {
    throw behind(checkout, clone.trunk, cause)
  }
}

const BUSY = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
  BISECT_LOG: 'bisect',
} as const

function refuseBusy(checkout: Checkout): void {
  for (const [file, what] of Object.entries(BUSY)) {
    if (!existsSync(join(checkout.gitDir, file))) continue
    throw new Fault(
      'refused_rule',
      `A ${what} is under way in ${checkout.folder}.`,
      `Finish the ${what} (\`git status\` says how), then merge again.`,
      { detail: { reason: 'checkout_busy', folder: checkout.folder, doing: what } },
    )
  }
}

async function isOnTrunk(host: Host, clone: Clone, checkout: Checkout): Promise<boolean> {
  const at = { folder: checkout.folder, index: null }
  const ran = await gitIn(host, at, ['symbolic-ref', '-q', 'HEAD'], { answers: [1] })
  return ran.stdout.toString('utf8') === `refs/heads/${clone.trunk}\n`
}

function behind(checkout: Checkout, trunk: string, cause: unknown): Fault {
  return new Fault(
    'internal',
    `${trunk} moved, but not all files of ${checkout.folder} followed.`,
    'Repeat the command: it puts right what was left half done, and keeps your edits.',
    { cause, detail: { reason: 'checkout_behind', folder: checkout.folder } },
  )
}

function nothingToMove(): Fault {
  return new Fault('internal', 'Trunk was to move from nothing to nothing.', 'Report it.', {
    detail: { reason: 'bad_move' },
  })
}
