import type { ReviewItem } from '../api/review-views.ts'
import { type Attestation, failingChecks } from '../domain/attestation.ts'
import type { Task, TaskId } from '../domain/task.ts'
import type { Thread } from '../domain/thread.ts'
import type { IndexedView } from './code-indexes.ts'
import type { Handler } from './deps.ts'
import { findRecord, findRepo, findTask } from './lookup.ts'
import { markedItem, markedItems, viewGiven } from './records.ts'
import { viewAttestation, viewVerdict } from './review-views.ts'
import { threadsIn, whyOf } from './task-why.ts'
import { givenTask } from './tasks.ts'
import { viewTask } from './views.ts'

/** Tasks in review that are put in order; of more, the oldest are left out. */
const IN_REVIEW_MAX = 10_000
/** Of each: records and attestations that a review shows, the newest ones. */
const SHOWN_MAX = 50

export const listReviews: Handler<'review.list'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const [waiting, checkpoints, attestations] = await Promise.all([
    store.listTasks(repo.id, { states: ['in_review'] }, IN_REVIEW_MAX),
    store.liveCheckpoints(repo.id),
    store.liveAttestations(repo.id),
  ])
  const checkpointOf = new Map(checkpoints.map((checkpoint) => [checkpoint.task, checkpoint]))
  const checksOf = Map.groupBy(attestations, ({ task }) => task)
  const oldest = waiting.items.toReversed().slice(0, input.limit)
  const items = oldest.map(async (task): Promise<ReviewItem> => {
    const checkpoint = checkpointOf.get(task.id)
    const threads = await threadsIn(store, task)
    return {
      ...viewTask(task),
      files: checkpoint?.files.length ?? 0,
      symbols: checkpoint?.symbols.length ?? 0,
      openThreads: threads.filter(({ isOpen }) => isOpen).length,
      failing: failingOf(checksOf, task),
    }
  })
  return { items: await Promise.all(items), more: waiting.items.length > input.limit }
}

function failingOf(checksOf: ReadonlyMap<TaskId, readonly Attestation[]>, task: Task) {
  return failingChecks(checksOf.get(task.id) ?? [], task.head)
}

export const showReview: Handler<'review.show'> = async (deps, input) => {
  const { store } = deps
  const repo = await findRepo(store, input.repo)
  const task = await findTask(store, repo.id, givenTask(input.task))
  const [view, why, threads, verdicts, attestations] = await Promise.all([
    viewGiven(deps, repo.id, input.view),
    whyOf(store, task),
    threadsIn(store, task),
    store.verdicts(repo.id, task.id),
    store.attestations(repo.id, task.id),
  ])
  const { checkpoint } = why
  return {
    ...viewTask(task),
    files: checkpoint?.files ?? [],
    symbols: checkpoint?.symbols ?? [],
    uncovered: why.uncovered,
    patch: checkpoint?.patch ?? null,
    records: markedItems(why.records.slice(0, SHOWN_MAX), view),
    threads: threads.map((thread) => viewThread(thread, view)),
    verdicts: verdicts.toReversed().map((verdict) => viewVerdict(verdict, task)),
    attestations: attestations.slice(0, SHOWN_MAX).map(viewAttestation),
    failing: failingChecks(attestations, task.head),
  }
}

function viewThread({ root, replies, isOpen }: Thread, view: IndexedView | null) {
  return {
    root: markedItem(root, view),
    replies: markedItems(replies, view),
    isOpen,
  }
}

export const resolveThread: Handler<'review.resolve'> = async (deps, input, caller) => {
  const repo = await findRepo(deps.store, input.repo)
  const { id } = await findRecord(deps.store, repo.id, input.record)
  return markedItem(await deps.store.resolveThread(repo.id, id, caller), null)
}
