import type { CommitId, Instant, Position, RepoId } from './repo.ts'
import type { TaskId } from './task.ts'

export const FILE_STATUSES = ['added', 'modified', 'removed', 'renamed', 'copied'] as const
export type FileStatus = (typeof FILE_STATUSES)[number]

export type ChangedFile = {
  readonly path: string
  readonly status: FileStatus
  /** The old path of a rename or copy. */
  readonly from: string | null
}

/** What a snapshot could not take in; a task with any of these cannot be submitted. */
export type Incomplete = {
  readonly tooLarge: readonly string[]
  readonly badNames: readonly string[]
  readonly nested: readonly string[]
}

/** A snapshot of a task's workspace. */
export type Checkpoint = {
  readonly repo: RepoId
  readonly task: TaskId
  readonly position: Position
  readonly generation: number
  readonly commit: CommitId
  readonly change: string
  readonly base: CommitId | null
  readonly message: string
  readonly files: readonly ChangedFile[]
  /** `path:Symbol` of each definition the task changed, added or removed. */
  readonly symbols: readonly string[]
  /** Patch identity, with the version of its algorithm in front. */
  readonly patch: string
  readonly incomplete: Incomplete
  /** The files of `commit`, byte for byte; null where they cannot be told (a conflict). */
  readonly tree: string | null
  /** Files with conflicts, or with conflict markers left from one; ordered by bytes. */
  readonly conflicts: readonly string[]
  readonly at: Instant
}
