import type { RecordId, RecordKind, TaskRecord } from '../domain/record.ts'
import type { Position } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'

/** What is held in memory of a current record beside its words. */
export type OwnRecord = {
  readonly id: RecordId
  readonly kind: RecordKind
  /** Of an intent; '' for other kinds, whose text is read when it is shown. */
  readonly intent: string
  readonly paths: readonly string[]
}

/** The current records of each task, and where it last wrote one: asked by every pack. */
export class TaskRecords {
  private readonly tasks = new Map<TaskId, Map<RecordId, OwnRecord>>()
  private readonly taskOf = new Map<RecordId, TaskId>()
  private readonly newest = new Map<TaskId, Position>()

  add(record: TaskRecord): void {
    const { id, kind, task, position, summary } = record
    const paths = [...new Set(record.anchors.map(({ path }) => path))]
    const own = this.tasks.get(task) ?? new Map<RecordId, OwnRecord>()
    own.set(id, { id, kind, intent: kind === 'intent' ? summary : '', paths })
    this.tasks.set(task, own)
    this.taskOf.set(id, task)
    this.newest.set(task, position)
  }

  remove(id: RecordId): void {
    const task = this.taskOf.get(id)
    if (task === undefined) return
    this.tasks.get(task)?.delete(id)
    this.taskOf.delete(id)
  }

  /** Newest first. */
  of(task: TaskId): readonly OwnRecord[] {
    return [...(this.tasks.get(task)?.values() ?? [])].toReversed()
  }

  /** Of its newest record, also one that was superseded since; 0 without any. */
  lastWrite(task: TaskId): number {
    return this.newest.get(task) ?? 0
  }
}
