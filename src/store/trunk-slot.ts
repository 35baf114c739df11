import type { Caller } from '../domain/actor.ts'
import type { Landing } from '../domain/landing.ts'
import type { CommitId, Instant, Position, RepoId } from '../domain/repo.ts'
import type { Task, TaskId } from '../domain/task.ts'
import type { NewCheckpoint } from './new-fact.ts'

/**
 * The part of the store that lets trunk move: one slot for each repo, with a fencing number. Every write but
 * `takeSlot` names the number it was granted, and is refused in its own statement (`conflict` reason `slot_lost`)
 * when the slot lapsed or went to somebody else.
 */
export interface TrunkSlot {
  /**
   * Takes the slot, when it is free or has lapsed by the database's clock. Throws `conflict` reason `slot_taken`,
   * naming who holds it, for which task and since when.
   */
  takeSlot(repo: RepoId, want: WantedSlot, by: Caller): Promise<Slot>
  /** Gives it back; nothing happens when it is somebody else's by now. */
  freeSlot(repo: RepoId, slot: number): Promise<void>

  /**
   * Writes down a move of trunk that is about to be made, and binds the task to it. Trunk must be at `old` as far as
   * the store knows; for a merge the task must be in review with the approval named, whose tree and patch are those
   * of `reviewed`. Carried over to a newer trunk, the verdict is added to in the same breath.
   * Throws `refused_transition`; `refused_rule` reasons `not_approved`, `tree_changed`, `already_reverted`,
   * `not_trunk_tip`; `conflict` reasons `slot_lost`, `trunk_moved`, `landing` (another one is open).
   */
  openLanding(repo: RepoId, landing: NewLanding, by: Caller): Promise<Landing>
  /**
   * What became of an open landing: trunk moved, and so does the task; or it did not, and all is as before. Frees the
   * slot. `slot` may be a later one than the landing's: of a client that died, somebody else finds out.
   */
  closeLanding(
    repo: RepoId,
    close: {
      readonly slot: number
      readonly landing: number
      readonly landed: boolean
      readonly leaseSecs: number
    },
    by: Caller,
  ): Promise<{ readonly landing: Landing; readonly task: Task }>

  /** The task conflicts with trunk: its verdict is void, its owner goes on from `checkpoint` where that is at hand. */
  conflictTask(repo: RepoId, conflict: NewConflict, by: Caller): Promise<Task>
  /** An approval that did not carry: it does not count any more. */
  voidApproval(
    repo: RepoId,
    stale: {
      readonly slot: number
      readonly task: TaskId
      readonly verdict: Position
      readonly why: string
    },
    by: Caller,
  ): Promise<Task>
  /** Trunk was moved outside of av. Throws `conflict` reason `trunk_moved` when it is not at `old` for the store. */
  noteTrunk(
    repo: RepoId,
    move: {
      readonly slot: number
      readonly old: CommitId | null
      readonly new: CommitId | null
      readonly forced: boolean
    },
    by: Caller,
  ): Promise<Position>
  /** A task whose patch is on trunk already, by whoever's hand. Throws `refused_transition`. */
  landElsewhere(
    repo: RepoId,
    landed: { readonly slot: number; readonly task: TaskId; readonly commit: CommitId },
    by: Caller,
  ): Promise<Task>

  /** Newest first. */
  landings(repo: RepoId, filter: LandingFilter, limit: number): Promise<readonly Landing[]>
}

export type WantedSlot = {
  /** What for; null: for no single task. */
  readonly task: TaskId | null
  readonly ttlSecs: number
  /** The number under which the asker's own machine held it last: nobody works under that any more. */
  readonly left?: number | null
}

export type Slot = {
  readonly number: number
  readonly expiresAt: Instant
  /** Left open by a client that died: whoever has the slot closes it before anything else. */
  readonly open: Landing | null
}

export type NewLanding = Pick<
  Landing,
  'slot' | 'task' | 'kind' | 'old' | 'new' | 'patch' | 'files'
> & {
  readonly ttlSecs: number
  /** For a merge: the verdict, and what the workspace holds now; null for an undo and a revert. */
  readonly merge: {
    readonly verdict: Position
    readonly tree: string
    /** Carried to a trunk that moved: what the patch became there; null: nothing had to be carried. */
    readonly carried: {
      readonly base: CommitId | null
      readonly tip: CommitId
      readonly tree: string
      readonly patch: string
      readonly over: readonly string[]
    } | null
  } | null
}

export type NewConflict = {
  readonly slot: number
  readonly task: TaskId
  readonly conflicted: readonly string[]
  /** What is in the workspace after it was brought onto trunk; null where it is not on this machine. */
  readonly checkpoint: Omit<NewCheckpoint, 'task' | 'states' | 'leaseSecs'> | null
  readonly leaseSecs: number
}

export type LandingFilter = {
  readonly task?: TaskId
  readonly states?: readonly Landing['state'][]
}
