import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Checkout, checkoutOfTrunk, gitIn } from './checkout.ts'
import { moveCheckedOut } from './checkout-move.ts'
import { type Clone, lockFile, storeGit } from './clone.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { importMove } from './human-bookmark.ts'
import { exportHumanJj } from './human-jj.ts'
import { withLock } from './lock.ts'
import { trunkCommit } from './trunk.ts'
import { isBackward, setTrunk, trunkMoved } from './trunk-ref.ts'

export type TrunkMove = {
  /** Where trunk must be; null: it is born. */
  readonly old: CommitId | null
  /** A commit of the store; for an undo, an ancestor of `old`; null for the undo of the first commit. */
  readonly new: CommitId | null
  /** For the reflog. */
  readonly message: string
}

/**
 * Moves trunk in the person's repository, forward or back, by compare and swap; the files of the
 * worktree that has it checked out follow. No hook runs. Faults, with nothing of the person's
 * touched: `conflict` (`trunk_moved`, `checkout_locked`, `ref_locked`, `busy`) and `refused_rule`
 * (`checkout_dirty` with `paths`, `checkout_busy`, `checked_out_elsewhere`). After any other fault,
 * as after the death of the process, `recoverTrunk` tells how it stands.
 */
export async function moveTrunk(host: Host, clone: Clone, move: TrunkMove): Promise<void> {
  await withLock(host, trunkLock(clone), async (held) => {
    if (clone.kind === 'purejj') await exportHumanJj(held, clone.root)
    if ((await trunkCommit(held, clone, clone.trunk)) !== move.old) throw trunkMoved(clone.trunk)
    await bringObjects(held, clone, move)
    for (let attempt = 0; attempt < SWITCHES_MAX; attempt++) {
      const checkout = await checkoutOfTrunk(held, clone)
      if (checkout === null) return moveUnseen(held, clone, move)
      if (clone.kind === 'colocated' && isJjWorkspace(checkout)) {
        return moveDetached(held, clone, checkout, move)
      }
      if (await moveCheckedOut(held, clone, checkout, move)) return
    }
    throw switching(clone)
  })
}

/** Held by all that moves trunk or mends a move, and by the git processes that a killed one left. */
export const trunkLock = (clone: Clone) => lockFile(clone, '~trunk')

/** How often a person may switch branches between two looks before it is given up. */
const SWITCHES_MAX = 3

const FETCH = [
  'fetch',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-prune',
]
const FETCH_MS = 600_000

/** The commits alone, under no name. A commit that trunk holds already is there. */
async function bringObjects(host: Host, clone: Clone, move: TrunkMove): Promise<void> {
  if (move.new === null || (await isBackward(host, clone, move))) return
  await fetch(host, clone, ['-q', storeGit(clone), move.new])
}

/** Trunk is checked out nowhere: no file follows. */
async function moveUnseen(host: Host, clone: Clone, move: TrunkMove): Promise<void> {
  if (move.old !== null) {
    // Only to hear whether git refuses, which update-ref does not: where trunk is being rebased or
    // bisected that would break it. Never with -q: git would not say why.
    const refspec = `+${move.old}:refs/heads/${clone.trunk}`
    await fetch(host, clone, ['--dry-run', clone.gitDir, refspec])
  }
  await setTrunk(host, clone, null, move)
  if (clone.kind !== 'purejj') return
  if (!(await importMove(host, clone, move))) throw trunkMoved(clone.trunk)
}

async function fetch(host: Host, clone: Clone, args: readonly string[]): Promise<void> {
  await git(host, clone, [...FETCH, ...args], { timeoutMs: FETCH_MS })
}

/**
 * In a folder that jj looks after, HEAD is taken off trunk first, as jj itself does: no file and no
 * index entry changes, and jj finds the person's working copy where it left it.
 */
async function moveDetached(
  host: Host,
  clone: Clone,
  checkout: Checkout,
  move: TrunkMove,
): Promise<void> {
  const at = { folder: checkout.folder, index: null }
  const detach =
    move.old === null
      ? ['symbolic-ref', '-m', 'av: detach', 'HEAD', JJ_UNBORN]
      : ['update-ref', '--no-deref', '-m', 'av: detach', 'HEAD', move.old, move.old]
  await gitIn(host, at, detach)
  try {
    await moveUnseen(host, clone, move)
  } catch (thrown) {
    const branch = `refs/heads/${clone.trunk}`
    if ((await trunkCommit(host, clone, clone.trunk)) === move.old) {
      await gitIn(host, at, ['symbolic-ref', '-m', 'av: back', 'HEAD', branch])
    }
    throw thrown
  }
}

/** Where jj puts HEAD while the working copy stands on no commit. */
const JJ_UNBORN = 'refs/jj/root'

function isJjWorkspace(checkout: Checkout): boolean {
  return existsSync(join(checkout.folder, '.jj'))
}

function switching(clone: Clone): Fault {
  return new Fault(
    'conflict',
    `Somebody switches to and from ${clone.trunk} at this moment; nothing was changed.`,
    'Repeat the command.',
    { detail: { reason: 'checkout_locked', trunk: clone.trunk } },
  )
}
