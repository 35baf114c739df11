import type { RecordId } from './record.ts'
import type { CommitId, Instant, Position, RepoId } from './repo.ts'
import type { TaskId } from './task.ts'

export const VERDICTS = ['approve', 'request_changes'] as const
export type VerdictResult = (typeof VERDICTS)[number]

/** What was looked at: a verdict is bound to content, not to a name that moves. */
export type Reviewed = {
  /** The commit the task stood on; null before the repository's first. */
  readonly base: CommitId | null
  /** The checkpoint looked at. */
  readonly tip: CommitId
  /** The files of `tip`, byte for byte. */
  readonly tree: string
  /** Patch identity of `base..tip`, with the version of its algorithm in front. */
  readonly patch: string
}

/** A review's result on one patch. Append-only. */
export type Verdict = Reviewed & {
  readonly repo: RepoId
  readonly position: Position
  readonly task: TaskId
  readonly result: VerdictResult
  /** Where trunk was when it was given. */
  readonly trunk: CommitId | null
  /** By the task's own owner, while nobody else had ever written to the repo. */
  readonly isSelf: boolean
  /** The verdict this one goes on from, after trunk moved on; null: somebody looked. */
  readonly carriedFrom: Position | null
  /** Files of the patch that differ all the same; within the globs that carry. */
  readonly carriedOver: readonly string[]
  /** What the reviewer wrote with it. */
  readonly record: RecordId | null
  readonly actor: string
  readonly session: string | null
  readonly at: Instant
}
