import type { ChangedFile } from '../domain/checkpoint.ts'
import type { LandingKind } from '../domain/landing.ts'
import type { RecordKind } from '../domain/record.ts'
import type { VerdictResult } from '../domain/verdict.ts'
import type { LogItem, RepoView, TaskView } from './views.ts'

/** What commands of review, merge and handing over answer with; a contract like `views.ts`. */

export type SubmitView = TaskView & {
  /** `path:Symbol` of what changed and no record covers. */
  readonly uncovered: readonly string[]
}

export type HandoffView = SubmitView & {
  /** The record that was written. */
  readonly record: string
  readonly bundle: string
}

export type ClaimView = TaskView & {
  /** It was yours already: only the lease is longer. */
  readonly isRenewal: boolean
  readonly previous: {
    readonly actor: string
    readonly session: string | null
    readonly generation: number
    readonly since: string
  } | null
}

export type VerdictView = {
  readonly position: number
  readonly result: VerdictResult
  readonly by: string
  readonly at: string
  readonly base: string | null
  readonly tip: string
  readonly tree: string
  readonly patch: string
  /** Where trunk was when it was given, or carried to. */
  readonly trunk: string | null
  readonly isSelf: boolean
  readonly carriedOver: readonly string[]
  readonly isCarried: boolean
  /** It is the one that lets the task be merged. */
  readonly counts: boolean
}

export type AttestationView = {
  readonly task: string
  readonly name: string
  readonly command: string
  readonly exit: number
  readonly commit: string
  readonly dirty: boolean
  readonly log: string
  readonly by: string
  readonly at: string
  readonly position: number
  readonly redacted: number
}

export type ReviewItem = TaskView & {
  readonly files: number
  readonly symbols: number
  readonly openThreads: number
  /** Checks whose newest report on the head failed. */
  readonly failing: readonly string[]
}

export type ThreadView = {
  readonly root: LogItem
  readonly replies: readonly LogItem[]
  readonly isOpen: boolean
}

export type ReviewView = TaskView & {
  readonly files: readonly ChangedFile[]
  readonly symbols: readonly string[]
  readonly uncovered: readonly string[]
  readonly patch: string | null
  /** The newest current ones, newest first. */
  readonly records: readonly LogItem[]
  readonly threads: readonly ThreadView[]
  /** Newest first. */
  readonly verdicts: readonly VerdictView[]
  readonly attestations: readonly AttestationView[]
  readonly failing: readonly string[]
}

export type ConflictView = {
  readonly path: string
  /** Both sides: those that landed on trunk with this file since, and the task itself. */
  readonly tasks: readonly { readonly id: string; readonly goal: string; readonly isOwn: boolean }[]
  readonly records: readonly {
    readonly id: string
    readonly task: string
    readonly kind: RecordKind
    readonly summary: string
  }[]
}

export type LandedView = TaskView & {
  /** How the approval came to count on this trunk; null where nothing was merged. */
  readonly carried: 'same_base' | 'unchanged' | 'overlap' | null
  readonly carriedOver: readonly string[]
  readonly conflicts: readonly ConflictView[]
  /** A revert that conflicts becomes a task of its own. */
  readonly followUp: string | null
}

export type LandingView = {
  readonly slot: number
  readonly task: string
  readonly kind: LandingKind
  readonly old: string | null
  readonly new: string | null
  readonly state: 'open' | 'landed' | 'discarded'
}

export type SlotView = {
  readonly slot: number
  /** Left open by a client that died: to be closed before anything else. */
  readonly open: LandingView | null
  /** Moves of trunk that were given up, of tasks that are live: should one be on trunk after all, it counts. */
  readonly discarded: readonly LandingView[]
  /** Where trunk is, as far as the store knows. */
  readonly trunk: string | null
  readonly task: TaskView | null
  /** The approval that counts. */
  readonly verdict: VerdictView | null
  /** Message and author of the commit that is to land. */
  readonly message: string
  readonly author: string
}

export type SyncView = RepoView & {
  /** Where trunk was before, as far as av knew. */
  readonly from: string | null
  readonly moved: boolean
  readonly forced: boolean
  /** Tasks whose patch was found on trunk. */
  readonly landed: readonly {
    readonly task: string
    readonly commit: string
    readonly by: string
  }[]
  /** What a client that died had left open. */
  readonly settled: readonly { readonly task: string; readonly landed: boolean }[]
  /** Folders of tasks merged long enough ago. */
  readonly removed: readonly string[]
  readonly kept: readonly { readonly folder: string; readonly why: string }[]
}

export type BundleView = {
  readonly id: string
  readonly task: string
  readonly base: string | null
  readonly tip: string
  readonly size: number
  readonly parts: number
}
