import type { ConflictView } from '../api/review-views.ts'
import type { Landing } from '../domain/landing.ts'
import type { RecordKind } from '../domain/record.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Task, TaskId } from '../domain/task.ts'
import type { Store } from '../store/store.ts'

/** Moves of trunk looked at, the newest ones. */
const LANDINGS_MAX = 200
const PATHS_MAX = 200
/** Of each path. */
const RECORDS_LOOKED_AT = 500
const RECORDS_MAX = 10

const TOLD: readonly RecordKind[] = ['decision', 'attempt', 'note']

/**
 * Who else changed the files in conflict since the task began, and what both sides' records say of them. Files in the
 * order given, those beyond 200 without a word; records newest first, at most 10 a file.
 * @param task as it was before it was brought onto trunk
 */
export async function conflictSides(
  store: Store,
  task: Task,
  paths: readonly string[],
): Promise<readonly ConflictView[]> {
  const landed = landedSince(
    task,
    await store.landings(task.repo, { states: ['landed'] }, LANDINGS_MAX),
  )
  return Promise.all(paths.slice(0, PATHS_MAX).map((path) => sidesOf(store, task, path, landed)))
}

async function sidesOf(
  store: Store,
  task: Task,
  path: string,
  landed: readonly Landing[],
): Promise<ConflictView> {
  const touching = landed.filter(({ files }) => files.includes(path)).map((each) => each.task)
  const ids = [...new Set<TaskId>(touching)].filter((id) => id !== task.id)
  const [others, { items }] = await Promise.all([
    Promise.all(ids.map((id) => store.task(task.repo, id))),
    store.listRecords(task.repo, { path, all: false }, RECORDS_LOOKED_AT),
  ])
  const sides = [task, ...others.filter((other) => other !== null)]
  const isOfASide = new Set<TaskId>(sides.map(({ id }) => id))
  const records = items.filter(
    (record) => TOLD.includes(record.kind) && !record.purged && isOfASide.has(record.task),
  )
  return {
    path,
    tasks: sides.map(({ id, goal }) => ({ id, goal, isOwn: id === task.id })),
    records: records
      .slice(0, RECORDS_MAX)
      .map(({ id, task: of, kind, summary }) => ({ id, task: of, kind, summary })),
  }
}

/**
 * What came onto trunk after the task's base, newest first; what was undone since did not. Where the base is no commit
 * that av landed, what landed after the task was begun.
 */
function landedSince(task: Task, newestFirst: readonly Landing[]): readonly Landing[] {
  const undone = new Set<CommitId>()
  const there: Landing[] = []
  for (const landing of newestFirst) {
    if (landing.kind === 'undo') {
      if (landing.old !== null) undone.add(landing.old)
      continue
    }
    if (task.base !== null && landing.new === task.base) return there
    if (landing.new === null || !undone.has(landing.new)) there.push(landing)
  }
  return there.filter(({ position }) => position !== null && position > task.position)
}
