import type { RecordId, TaskRecord } from './record.ts'

/** A point of a review, with its answers. */
export type Thread = {
  readonly root: TaskRecord
  /** Oldest first. */
  readonly replies: readonly TaskRecord[]
  readonly isOpen: boolean
}

/** Whether a record opens a thread: a note or a review that points at code and answers nothing. */
export function opensThread(record: Pick<TaskRecord, 'kind' | 'anchors' | 'replyTo'>): boolean {
  const { kind, anchors, replyTo } = record
  return (kind === 'note' || kind === 'review') && anchors.length > 0 && replyTo === null
}

/**
 * The threads of a task, oldest first. An answer to an answer belongs to the thread it began in.
 * @param records all of the task's, in any order
 * @param resolved roots that their author or the task's owner has closed
 */
export function threadsOf(
  records: readonly TaskRecord[],
  resolved: ReadonlySet<RecordId>,
): readonly Thread[] {
  const oldestFirst = [...records].sort((a, b) => a.position - b.position)
  const rootOf = new Map<RecordId, RecordId>()
  const threads = new Map<RecordId, { root: TaskRecord; replies: TaskRecord[] }>()
  for (const record of oldestFirst) {
    const root = record.replyTo === null ? undefined : rootOf.get(record.replyTo)
    if (root !== undefined) {
      rootOf.set(record.id, root)
      threads.get(root)?.replies.push(record)
    } else if (opensThread(record)) {
      rootOf.set(record.id, record.id)
      threads.set(record.id, { root: record, replies: [] })
    }
  }
  return [...threads.values()].map((thread) => ({
    ...thread,
    isOpen: !resolved.has(thread.root.id),
  }))
}
