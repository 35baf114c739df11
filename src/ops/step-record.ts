import type { Caller } from '../domain/actor.ts'
import type { Anchor } from '../domain/anchor.ts'
import { checkRecordText, SUMMARY_CHARS_MAX } from '../domain/record.ts'
import { redact } from '../domain/redact.ts'
import { clipChars, countChars } from '../domain/text.ts'
import type { NewRecord } from '../store/new-fact.ts'
import type { Deps } from './deps.ts'

/** A record that is written together with a step of its author's. */
export type StepRecord = Omit<NewRecord, 'task' | 'states' | 'leaseSecs'>

type Said = Pick<NewRecord, 'kind' | 'summary' | 'body' | 'redacted' | 'anchors'>

export function stepRecord({ world }: Pick<Deps, 'world'>, caller: Caller, said: Said): StepRecord {
  return {
    digits: world.randomHex(16),
    supersedes: [],
    replyTo: null,
    receipt: caller.session === null ? null : 'last',
    ...said,
  }
}

/**
 * A message as a record keeps it: its first line is the summary; where that is too long for one, it is cut, and the
 * whole message is the body. Null for a message that says nothing.
 * @throws Fault `bad_input` for text that cannot be kept
 */
export function messageRecord(
  deps: Pick<Deps, 'world'>,
  caller: Caller,
  message: string,
  anchors: readonly Anchor[],
): StepRecord | null {
  const clean = redact(message)
  const text = clean.text.trim()
  if (text === '') return null
  const [first = '', ...rest] = text.split(/\r\n?|[\n\u2028\u2029]/)
  const isLong = countChars(first) > SUMMARY_CHARS_MAX
  const summary = isLong ? `${clipChars(first, SUMMARY_CHARS_MAX - 1)}…` : first
  const body = isLong ? text : rest.join('\n').trim()
  checkRecordText(summary, body)
  return stepRecord(deps, caller, {
    ...{ kind: 'review', summary, body, anchors },
    redacted: clean.count,
  })
}
