import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Checkout, gitIn } from './checkout.ts'
import type { Clone } from './clone.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'

export type CasMove = {
  /** Where trunk must be; null: there is no such branch. */
  readonly old: CommitId | null
  /** Null: the branch goes. */
  readonly new: CommitId | null
  /** For the reflog. */
  readonly message: string
}

/**
 * The compare and swap of a person's trunk. Faults with `conflict`: `trunk_moved`, or `ref_locked`
 * while another git writes the branch. Given a checkout, its HEAD has the move in its reflog too.
 */
export async function setTrunk(
  host: Host,
  clone: Clone,
  checkout: Checkout | null,
  move: CasMove,
): Promise<void> {
  const ref = `refs/heads/${clone.trunk}`
  const like = move.old ?? move.new ?? ''
  const args =
    move.new === null
      ? ['update-ref', '-m', move.message, '-d', ref, move.old ?? '']
      : ['update-ref', '-m', move.message, ref, move.new, move.old ?? '0'.repeat(like.length)]
  if (checkout === null) await git(host, clone, args)
  else await gitIn(host, { folder: checkout.folder, index: null }, args)
}

/** Whether the move takes commits off trunk, instead of adding some. */
export async function isBackward(
  host: Host,
  clone: Clone,
  move: Pick<CasMove, 'old' | 'new'>,
): Promise<boolean> {
  if (move.old === null) return false
  return move.new === null || (await holdsCommit(host, clone, move.old, move.new))
}

/** Whether the history of `tip` holds a commit; false also when the person's repository lacks one of the two. */
export async function holdsCommit(
  host: Host,
  clone: Clone,
  tip: CommitId,
  commit: CommitId,
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', commit, tip]
  return (await git(host, clone, args, { answers: [1, 128] })).exitCode === 0
}

export function trunkMoved(trunk: string): Fault {
  return new Fault(
    'conflict',
    `${trunk} moved in the meantime; nothing was changed.`,
    'Repeat the command.',
    { detail: { reason: 'trunk_moved', trunk } },
  )
}
