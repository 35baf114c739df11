import type { Input } from '../api/routes.ts'
import { failingChecks } from '../domain/attestation.ts'
import { Fault } from '../domain/fault.ts'
import { type Handoff, handoffRecord, parseHandoff } from '../domain/handoff.ts'
import { HANDOFF_BUDGET, handoffBundle } from '../domain/handoff-bundle.ts'
import type { TaskRecord } from '../domain/record.ts'
import { redact } from '../domain/redact.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Task } from '../domain/task.ts'
import type { Deps, Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { stepRecord } from './step-record.ts'
import { assertTold, ownTask } from './task-steps.ts'
import { verdictText } from './task-verdict.ts'
import { threadsIn, whyOf } from './task-why.ts'
import { givenTask } from './tasks.ts'
import { viewTask } from './views.ts'

/**
 * Gives the task back. The record of what is done and what remains is written with the step, so neither is ever
 * without the other; what was recorded before must tell something by itself.
 */
export const handoff: Handler<'handoff'> = async (deps, input, caller) => {
  const { store, leaseSecs } = deps
  const told = redactedHandoff(givenHandoff(input))
  const { summary, body } = handoffRecord(told.handoff)
  const said = { kind: 'handoff', anchors: [], summary, body, redacted: told.redacted } as const
  const task = await ownTask(store, input, caller, 'handoff')
  const why = await whyOf(store, task)
  assertTold(task, why)
  const { task: moved, record } = await store.moveTask(
    task.repo,
    {
      ...{ task: task.id, event: 'handoff', leaseSecs },
      head: (input.commit ?? task.head) as CommitId | null,
      record: stepRecord(deps, caller, said),
    },
    caller,
  )
  const { text } = await bundleOf(deps, moved, HANDOFF_BUDGET)
  return {
    ...viewTask(moved),
    uncovered: why.uncovered,
    record: record?.id ?? '',
    bundle: text,
  }
}

export const showHandoff: Handler<'handoff.show'> = async (deps, input) => {
  const repo = await findRepo(deps.store, input.repo)
  const task = await findTask(deps.store, repo.id, givenTask(input.task))
  const { text, tokens, omitted } = await bundleOf(deps, task, input.budget)
  return { task: task.id, bundle: text, tokens, budget: input.budget, omitted }
}

/** From the flags or from Markdown, not from both. @throws Fault `bad_input` */
function givenHandoff({ notes, done, remaining, broken, open }: Input<'handoff'>): Handoff {
  const flags = { done, remaining, broken, open }
  if (notes === undefined) return flags
  if (Object.values(flags).every((items) => items.length === 0)) return parseHandoff(notes)
  throw new Fault(
    'bad_input',
    'The handoff is given twice: as flags, and as Markdown.',
    'Give --done, --remaining, --broken and --open, or Markdown on standard input.',
    { detail: { reason: 'notes_twice' } },
  )
}

function redactedHandoff(given: Handoff): { readonly handoff: Handoff; readonly redacted: number } {
  let redacted = 0
  const clean = (items: readonly string[]) =>
    items.map((item) => {
      const { text, count } = redact(item)
      redacted += count
      return text
    })
  const { done, remaining, broken, open } = given
  const handoff = {
    ...{ done: clean(done), remaining: clean(remaining) },
    ...{ broken: clean(broken), open: clean(open) },
  }
  return { handoff, redacted }
}

/** What the next one on a task needs to know. */
async function bundleOf({ store, countTokens }: Deps, task: Task, budget: number) {
  const [why, threads, attestations, verdict, count] = await Promise.all([
    whyOf(store, task),
    threadsIn(store, task),
    store.attestations(task.repo, task.id),
    verdictText(store, task),
    countTokens(),
  ])
  const { records, checkpoint } = why
  return handoffBundle(
    {
      task,
      handoff: lastHandoff(records),
      records,
      files: checkpoint?.files ?? [],
      symbols: checkpoint?.symbols ?? [],
      openThreads: threads.filter(({ isOpen }) => isOpen).map(({ root }) => pointOf(root)),
      verdict,
      failing: failingChecks(attestations, task.head),
      budget,
    },
    count,
  )
}

/** Where the code is that a thread is about. */
function pointOf({ id, summary, author, anchors }: TaskRecord) {
  const [first] = anchors
  const at = first === undefined ? null : [first.path, first.symbol].filter(Boolean).join(':')
  return { id, summary, author, at }
}

/** The newest one that reads as a handoff; what was kept in another form shows among the records. */
function lastHandoff(records: readonly TaskRecord[]): (Handoff & { readonly by: string }) | null {
  for (const { kind, body, author } of records) {
    if (kind !== 'handoff') continue
    const parsed = readHandoff(body)
    return parsed === null ? null : { ...parsed, by: author }
  }
  return null
}

function readHandoff(body: string): Handoff | null {
  try {
    return parseHandoff(body)
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'bad_input') return null
    throw thrown
  }
}
