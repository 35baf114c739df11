import type { Attestation } from '../domain/attestation.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import { type Convention, compileGlob } from '../domain/convention.ts'
import type { RecordId, TaskRecord } from '../domain/record.ts'
import type { Position, RepoId } from '../domain/repo.ts'
import { LIVE_STATES, type Task, type TaskId } from '../domain/task.ts'
import type { Store } from '../store/store.ts'
import { SearchTexts } from './search-texts.ts'

/** Tasks looked at beside the one a pack is for. */
const LIVE_TASKS_MAX = 500
/** Texts kept of the records shown last. */
const TEXTS_MAX = 2_000

/** What packs ask of a repo again and again, as of one position of its log. */
export type Facts = {
  /** Active ones, each with its compiled glob. */
  readonly rules: readonly {
    readonly convention: Convention
    readonly matches: (path: string) => boolean
  }[]
  readonly tasks: ReadonlyMap<TaskId, Task>
  /** The newest checkpoint of each live task. */
  readonly checkpoints: ReadonlyMap<TaskId, Checkpoint>
  /** What was reported of each live task, newest first. */
  readonly attestations: ReadonlyMap<TaskId, readonly Attestation[]>
}

/**
 * Reads facts once for each position of the log: every fact takes one, so that at the same position
 * nothing can have changed. (A lease may: who asks about a claim reads the task itself.)
 */
export class RepoFacts {
  private at = -1
  private facts: Promise<Facts> | null = null
  private readonly texts = new Map<RecordId, TaskRecord>()
  /** What a search looks through beside the index. */
  readonly searched: SearchTexts

  constructor(
    private readonly store: Store,
    private readonly repo: RepoId,
  ) {
    this.searched = new SearchTexts(store, repo)
  }

  async asOf(position: Position): Promise<Facts> {
    if (this.facts === null || this.at !== position) {
      this.at = position
      this.facts = this.read()
      this.facts.catch(() => {
        this.facts = null
      })
    }
    return this.facts
  }

  /** The records of these ids, in their order; unknown ones are left out. */
  async records(ids: readonly RecordId[]): Promise<readonly TaskRecord[]> {
    const unknown = ids.filter((id) => !this.texts.has(id))
    if (unknown.length > 0) {
      const read = await this.store.recordsById(this.repo, unknown)
      for (const record of read) this.texts.set(record.id, record)
    }
    const found = ids.flatMap((id) => this.texts.get(id) ?? [])
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= TEXTS_MAX) break
      this.texts.delete(oldest)
    }
    return found
  }

  /** For one that was superseded: what is held of it is out of date. */
  forget(id: RecordId): void {
    this.texts.delete(id)
  }

  private async read(): Promise<Facts> {
    const [active, live, checkpoints, attestations] = await Promise.all([
      this.store.conventions(this.repo, ['active']),
      this.store.listTasks(this.repo, { states: LIVE_STATES }, LIVE_TASKS_MAX),
      this.store.liveCheckpoints(this.repo),
      this.store.liveAttestations(this.repo),
    ])
    return {
      rules: active.map((convention) => ({ convention, matches: compileGlob(convention.glob) })),
      tasks: new Map(live.items.map((task) => [task.id, task])),
      checkpoints: new Map(checkpoints.map((checkpoint) => [checkpoint.task, checkpoint])),
      attestations: Map.groupBy(attestations, ({ task }) => task),
    }
  }
}
