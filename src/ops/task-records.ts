import { RECORD_KINDS, type RecordId, type RecordKind, type TaskRecord } from '../domain/record.ts'
import type { RecordShelf } from '../domain/record-shelf.ts'
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
  /** By the records' rows. */
  private readonly kinds: number[] = []
  private readonly intents = new Map<number, string>()
  private readonly tasks = new Map<TaskId, OneTask>()
  private readonly taskOf: (OneTask | null)[] = []

  constructor(private readonly shelf: RecordShelf) {}

  /** @param record one that is on the shelf */
  add({ id, kind, task: name, position, summary }: TaskRecord): void {
    const row = this.shelf.rowOf(id)
    if (row === undefined) return
    const task = this.tasks.get(name) ?? { rows: [], newest: position }
    this.tasks.set(name, task)
    task.rows.push(row)
    task.newest = position
    this.taskOf[row] = task
    this.kinds[row] = RECORD_KINDS.indexOf(kind)
    if (kind === 'intent') this.intents.set(row, summary)
  }

  remove(id: RecordId): void {
    const row = this.shelf.rowOf(id)
    const task = row === undefined ? null : this.taskOf[row]
    if (row === undefined || task == null) return
    task.rows.splice(task.rows.indexOf(row), 1)
    this.taskOf[row] = null
    this.intents.delete(row)
  }

  /** Newest first. */
  of(task: TaskId): readonly OwnRecord[] {
    const rows = this.tasks.get(task)?.rows ?? []
    return rows.toReversed().map((row) => this.at(row))
  }

  /** Of its newest record, also one that was superseded since; 0 without any. */
  lastWrite(task: TaskId): number {
    return this.tasks.get(task)?.newest ?? 0
  }

  private at(row: number): OwnRecord {
    return {
      id: this.shelf.idAt(row),
      kind: RECORD_KINDS[this.kinds[row]!]!,
      intent: this.intents.get(row) ?? '',
      paths: this.shelf.pathsAt(row),
    }
  }
}

type OneTask = { readonly rows: number[]; newest: Position }
