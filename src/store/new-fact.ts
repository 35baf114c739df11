import type { Anchor } from '../domain/anchor.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import type { RecordId, RecordKind } from '../domain/record.ts'
import type { TaskId, TaskState } from '../domain/task.ts'

export type NewCheckpoint = Pick<
  Checkpoint,
  | 'task'
  | 'commit'
  | 'change'
  | 'base'
  | 'message'
  | 'files'
  | 'symbols'
  | 'patch'
  | 'incomplete'
  | 'tree'
  | 'conflicts'
> & { readonly leaseSecs: number; readonly states: readonly TaskState[] }

export type NewRecord = {
  /** 32 hex digits; the id takes the first 8, and more where that is taken. */
  readonly digits: string
  readonly task: TaskId
  readonly kind: RecordKind
  readonly summary: string
  readonly body: string
  readonly anchors: readonly Anchor[]
  readonly supersedes: readonly RecordId[]
  readonly replyTo: RecordId | null
  /** A receipt's id, or 'last' for the newest of the caller's session on this task, if any. */
  readonly receipt: string | null
  readonly redacted: number
  readonly leaseSecs: number
  readonly states: readonly TaskState[]
}
