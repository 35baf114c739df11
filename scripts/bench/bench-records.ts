import type { LexicalIndex, RecordView } from '../../src/domain/lexical.ts'
import type { PackRecord } from '../../src/domain/pack-history.ts'
import type { RecordId, TaskRecord } from '../../src/domain/record.ts'
import type { BenchTask } from './bench-tasks.ts'
import { goalOf } from './bench-tasks.ts'
import type { Commit } from './history.ts'

/**
 * A history's commits as records: the subject as summary, the rest as body, anchored at the files
 * changed; a revert as a dead end. This stands in for what agents would have recorded.
 */
export class BenchRecords {
  private readonly all: readonly { readonly at: number; readonly record: PackRecord }[]
  private readonly byId: ReadonlyMap<string, PackRecord>

  constructor(private readonly commits: readonly Commit[]) {
    this.all = commits.flatMap((commit, at) => {
      const record = recordOf(commit, commits.length - at)
      return record === null ? [] : [{ at, record }]
    })
    this.byId = new Map(this.all.map(({ record }) => [record.id, record]))
  }

  addTo(index: LexicalIndex): void {
    for (const { record } of this.all) index.addRecord(record)
  }

  /** Only what was there before the task's commit, and of that the newest. */
  viewOf(index: LexicalIndex, task: BenchTask): RecordView {
    const older = this.all.filter(
      ({ at }) => at > task.at && this.commits[at]!.time < task.commit.time,
    )
    return index.recordView(older.slice(0, RECORDS_MAX).map(({ record }) => record.id))
  }

  get(ids: readonly RecordId[]): PackRecord[] {
    return ids.flatMap((id) => this.byId.get(id) ?? [])
  }
}

const RECORDS_MAX = 1_000
const FILES_MAX = 15
const NO_RECORD = /^(?:release|bump|version|v?\d+\.|set version|merge|chore\(deps|build\(deps)/i

function recordOf(commit: Commit, position: number): PackRecord | null {
  const { id, subject, message, files } = commit
  if (NO_RECORD.test(subject) || files.length === 0 || files.length > FILES_MAX) return null
  const [summary, ...body] = goalOf(message).split('\n')
  if (summary === undefined || summary === '') return null
  return {
    id: `r:${id.slice(0, 8)}` as RecordId,
    position: position as TaskRecord['position'],
    task: 'history' as TaskRecord['task'],
    kind: /^revert\b/i.test(subject) ? 'attempt' : 'decision',
    summary: summary.slice(0, 200).toWellFormed(),
    body: body.join('\n'),
    anchors: files.map(({ path }) => ({ path, symbol: null, mark: null })),
    ...{ supersedes: [], receipt: null, corrects: [], rivals: [] },
  }
}
