import type { Anchor } from './anchor.ts'
import { Fault } from './fault.ts'
import type { Instant, Position, RepoId } from './repo.ts'
import type { TaskId } from './task.ts'
import { assertStorable, countChars, utf8Bytes } from './text.ts'

export type RecordId = string & { readonly __brand: 'RecordId' }

/** What a record can be. `attempt` is a dead end and why; `intent` the goal. */
export const RECORD_KINDS = ['intent', 'decision', 'attempt', 'note', 'handoff', 'review'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/** Kinds that somebody who never held the task may leave on it. */
export const COMMENT_KINDS = ['note', 'review'] as const satisfies readonly RecordKind[]

/** Unicode code points. */
export const SUMMARY_CHARS_MAX = 200
/** UTF-8 bytes. */
export const BODY_BYTES_MAX = 16 * 1024
export const ANCHORS_MAX = 50

/** A short typed note. Append-only: a newer one supersedes it, nothing edits it. */
export type TaskRecord = {
  readonly repo: RepoId
  readonly id: RecordId
  readonly position: Position
  readonly task: TaskId
  readonly kind: RecordKind
  readonly summary: string
  readonly body: string
  readonly anchors: readonly Anchor[]
  readonly supersedes: readonly RecordId[]
  /** Those that supersede it; current when empty. */
  readonly supersededBy: readonly RecordId[]
  readonly replyTo: RecordId | null
  readonly receipt: string | null
  readonly author: string
  readonly session: string | null
  /** Secrets replaced before storing. */
  readonly redacted: number
  readonly purged: boolean
  readonly at: Instant
}

/**
 * Judges what somebody wants to keep, before anything is stored.
 * @throws Fault `bad_input`: names the length found and the limit.
 */
export function checkRecordText(summary: string, body: string): void {
  assertStorable('summary', summary)
  assertStorable('body', body)
  const chars = countChars(summary)
  if (summary.trim() === '') {
    throw new Fault('bad_input', 'The summary is empty.', 'Say in one line what is to be kept.')
  }
  if (chars > SUMMARY_CHARS_MAX) {
    throw new Fault(
      'bad_input',
      `The summary has ${chars} characters; the limit is ${SUMMARY_CHARS_MAX}.`,
      'Shorten it, and put the rest into --body.',
      { detail: { reason: 'summary_too_long', chars, limit: SUMMARY_CHARS_MAX } },
    )
  }
  if (/[\r\n\u2028\u2029]/.test(summary)) {
    throw new Fault(
      'bad_input',
      'The summary has more than one line.',
      'Put the rest into --body.',
      {
        detail: { reason: 'summary_not_one_line' },
      },
    )
  }
  const bytes = utf8Bytes(body)
  if (bytes > BODY_BYTES_MAX) {
    throw new Fault(
      'bad_input',
      `The body has ${bytes} bytes; the limit is ${BODY_BYTES_MAX}.`,
      'Keep what a reader needs, and link to the rest.',
      { detail: { reason: 'body_too_long', bytes, limit: BODY_BYTES_MAX } },
    )
  }
}
