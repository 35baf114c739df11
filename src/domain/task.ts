import type { CommitId, Instant, Position, RepoId } from './repo.ts'

export type TaskId = string & { readonly __brand: 'TaskId' }

export const TASK_STATES = [
  'open',
  'in_review',
  'handed_off',
  'conflicted',
  'merged',
  'abandoned',
  'answered',
  'closed',
] as const
export type TaskState = (typeof TASK_STATES)[number]

/** States in which a task is somebody's work still. */
export const LIVE_STATES = [
  'open',
  'in_review',
  'handed_off',
  'conflicted',
] as const satisfies readonly TaskState[]

export const TASK_KINDS = ['work', 'question', 'chat'] as const
export type TaskKind = (typeof TASK_KINDS)[number]

export const GOAL_CHARS_MAX = 2_000

/** One unit of agent work. */
export type Task = {
  readonly repo: RepoId
  readonly id: TaskId
  readonly goal: string
  readonly kind: TaskKind
  readonly state: TaskState
  readonly owner: string | null
  readonly ownerSession: string | null
  /** Rises by one with every claim; a write under an older one is refused. */
  readonly generation: number
  readonly leaseExpiresAt: Instant | null
  /** The commit it branched from; null in a repository without commits. */
  readonly base: CommitId | null
  /** Last checkpoint's commit, or null before the first. */
  readonly head: CommitId | null
  readonly change: string | null
  readonly parent: TaskId | null
  readonly flags: readonly string[]
  /** Files with conflicts that the owner is to resolve, ordered by bytes; while it is `conflicted`. */
  readonly conflicted: readonly string[]
  /** The verdict that lets it be merged; null without one, or when it does not count any more. */
  readonly approval: Position | null
  readonly approvedBy: string | null
  /** Why the last approval does not count any more, in a sentence's words; null when none was lost. */
  readonly approvalVoid: string | null
  /** Whom the task was filed for: a hint to people, no right. */
  readonly offeredTo: string | null
  /** The merge slot under which it is landing just now; nothing else may move it meanwhile. */
  readonly landing: number | null
  /** The commit on trunk that it became; of one merged elsewhere, that one. */
  readonly landed: CommitId | null
  readonly position: Position
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

const SLUG_CHARS_MAX = 40

/**
 * The readable head of a task's id: `Fix the login race!` → `fix-the-login-race`.
 * ASCII letters and digits only, whole words up to 40 characters, `task` when nothing is left.
 */
export function taskSlug(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  let slug = ''
  for (const word of words) {
    const next = slug === '' ? word.slice(0, SLUG_CHARS_MAX) : `${slug}-${word}`
    if (next.length > SLUG_CHARS_MAX) break
    slug = next
  }
  return slug || 'task'
}

/** What `--id` accepts: also a folder name, a jj workspace name and a revset symbol without quoting. */
export const TASK_ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/
