import type { Anchor } from '../domain/anchor.ts'
import type { ChangedFile, Checkpoint } from '../domain/checkpoint.ts'
import { TELLING_KINDS, uncovered } from '../domain/coverage.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Task } from '../domain/task.ts'
import { type Thread, threadsOf } from '../domain/thread.ts'
import type { Store } from '../store/store.ts'

/** Current records of one task that are looked at; the newest ones. */
const RECORDS_MAX = 10_000

/** What a task changed, and what its records say of it. */
export type TaskWhy = {
  /** Current ones, newest first. */
  readonly records: readonly TaskRecord[]
  readonly checkpoint: Checkpoint | null
  /** `path:Symbol` of what changed and no record covers. */
  readonly uncovered: readonly string[]
  /** Whether a record tells anything beside the goal. */
  readonly isTold: boolean
}

export async function whyOf(store: Store, { repo, id }: Task): Promise<TaskWhy> {
  const [records, checkpoint] = await Promise.all([
    currentRecords(store, { repo, id }),
    store.lastCheckpoint(repo, id),
  ])
  const anchors = records.filter(({ kind }) => kind !== 'review').flatMap((each) => each.anchors)
  return {
    records,
    checkpoint,
    uncovered: uncovered(checkpoint?.symbols ?? [], withRenamed(anchors, checkpoint?.files ?? [])),
    isTold: records.some(({ kind }) => (TELLING_KINDS as readonly string[]).includes(kind)),
  }
}

/** What is anchored at a file counts for it under the name that the task gave it, too. */
function withRenamed(anchors: readonly Anchor[], files: readonly ChangedFile[]): readonly Anchor[] {
  const renamed = new Map(
    files.flatMap(({ path, status, from }) => (status === 'renamed' ? [[from, path]] : [])),
  )
  return anchors.flatMap((anchor) => {
    const path = renamed.get(anchor.path)
    return path == null ? [anchor] : [anchor, { ...anchor, path }]
  })
}

/** Neither superseded nor purged; newest first. */
export async function currentRecords(
  store: Store,
  { repo, id }: Pick<Task, 'repo' | 'id'>,
): Promise<readonly TaskRecord[]> {
  const { items } = await store.listRecords(repo, { task: id, all: false }, RECORDS_MAX)
  return items.filter(({ purged }) => !purged)
}

/** Oldest first. All of its records are looked at: an answer keeps its place when it was superseded. */
export async function threadsIn(
  store: Store,
  { repo, id }: Pick<Task, 'repo' | 'id'>,
): Promise<readonly Thread[]> {
  const [{ items }, resolved] = await Promise.all([
    store.listRecords(repo, { task: id, all: true }, RECORDS_MAX),
    store.resolvedThreads(repo, id),
  ])
  return threadsOf(items, resolved)
}
