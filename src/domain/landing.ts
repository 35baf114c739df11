import type { CommitId, Instant, Position, RepoId } from './repo.ts'
import type { TaskId } from './task.ts'

export const LANDING_KINDS = ['merge', 'undo', 'revert'] as const
export type LandingKind = (typeof LANDING_KINDS)[number]

/** How long a merge slot is held without a word of its holder, in seconds. */
export const SLOT_SECS = 60

/**
 * One move of trunk by av, written down before it is made and closed after: of a client that died in between, the next
 * one finds out whether trunk moved, and closes it.
 */
export type Landing = {
  readonly repo: RepoId
  /** The fencing number of the slot it was opened under: one slot, one landing. */
  readonly slot: number
  readonly task: TaskId
  readonly kind: LandingKind
  readonly old: CommitId | null
  readonly new: CommitId | null
  /** Patch identity of what moves onto trunk; of an undo, of what leaves it. */
  readonly patch: string
  /** The verdict that lets it land; null for an undo and a revert. */
  readonly verdict: Position | null
  /** Paths that differ between the two. */
  readonly files: readonly string[]
  readonly state: 'open' | 'landed' | 'discarded'
  /** In the repo's log, once it landed. */
  readonly position: Position | null
  readonly actor: string
  readonly session: string | null
  readonly at: Instant
}
