import { LexicalIndex } from '../domain/lexical.ts'
import type { Position, RepoId } from '../domain/repo.ts'
import { TaskTexts } from '../domain/task-search.ts'
import type { Store } from '../store/store.ts'

/** Tasks searched: the newest of all states. */
const TASKS_MAX = 20_000
const RECORDS_AT_ONCE = 2_000

/** What only a search asks for, and is therefore read when one does: all tasks, superseded records. */
export class SearchTexts {
  private tasksAt = -1
  private taskTexts: Promise<TaskTexts> | null = null
  private readonly records = new LexicalIndex()
  private recordsSeen = 0 as Position
  private reading: Promise<void> = Promise.resolve()

  constructor(
    private readonly store: Store,
    private readonly repo: RepoId,
  ) {}

  /** As of a position of the log: a task changes with a fact only. */
  async tasks(position: Position): Promise<TaskTexts> {
    if (this.taskTexts === null || this.tasksAt !== position) {
      this.tasksAt = position
      this.taskTexts = this.store
        .listTasks(this.repo, {}, TASKS_MAX)
        .then(({ items }) => new TaskTexts(items))
      this.taskTexts.catch(() => {
        this.taskTexts = null
      })
    }
    return this.taskTexts
  }

  /** Every record, superseded ones too; not those that were purged. */
  async everyRecord(): Promise<LexicalIndex> {
    const turn = this.reading.then(() => this.readRecords())
    this.reading = turn.catch(() => undefined)
    await turn
    return this.records
  }

  private async readRecords(): Promise<void> {
    for (;;) {
      const batch = await this.store.recordsAfter(this.repo, this.recordsSeen, RECORDS_AT_ONCE)
      for (const record of batch) {
        if (!record.purged) this.records.addRecord(record)
        this.recordsSeen = record.position
      }
      if (batch.length < RECORDS_AT_ONCE) return
    }
  }
}
