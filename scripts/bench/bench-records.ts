import { anchorIn } from '../../src/domain/anchor-moves.ts'
import type { LexicalIndex, LexicalView, RecordView } from '../../src/domain/lexical.ts'
import { MARKS } from '../../src/domain/mark.ts'
import type { PackRecord, RecordAnchor } from '../../src/domain/pack-history.ts'
import type { RecordId, TaskRecord } from '../../src/domain/record.ts'
import type { AnchorPlace } from '../../src/domain/record-shelf.ts'
import type { BenchTask } from './bench-tasks.ts'
import { goalOf } from './bench-tasks.ts'
import type { Commit } from './history.ts'

/** Records that stand in for what agents would have recorded: of each commit one, or none. */
export class BenchRecords {
  private readonly all: readonly { readonly at: number; readonly record: BenchRecord }[]
  private readonly byId: ReadonlyMap<string, BenchRecord>

  /** @param recordOf position in the log: higher is newer */
  constructor(
    private readonly commits: readonly Commit[],
    recordOf: (commit: Commit, position: number) => BenchRecord | null,
  ) {
    this.all = commits.flatMap((commit, at) => {
      const record = recordOf(commit, commits.length - at)
      return record === null ? [] : [{ at, record }]
    })
    this.byId = new Map(this.all.map(({ record }) => [record.id, record]))
  }

  /**
   * Every commit: the subject as summary, the rest as body, anchored at the files changed; a revert as
   * a dead end.
   */
  static ofCommits(commits: readonly Commit[]): BenchRecords {
    return new BenchRecords(commits, (commit, position) =>
      recordOf(commit, position, { anchors: filesOf(commit) }),
    )
  }

  addTo(index: LexicalIndex): void {
    for (const { record } of this.all) index.addRecord(record)
  }

  viewOf(index: LexicalIndex, task: BenchTask): RecordView {
    return index.recordView(this.before(task).map(({ id }) => id))
  }

  /** Only what was there before the task's commit, and of that the newest; newest first. */
  before(task: BenchTask): BenchRecord[] {
    const older = this.all.filter(
      ({ at }) => at > task.at && this.commits[at]!.time < task.commit.time,
    )
    return older.slice(0, RECORDS_MAX).map(({ record }) => record)
  }

  get size(): number {
    return this.all.length
  }

  /** @param view where the anchors are judged, as a pack's are */
  get(ids: readonly RecordId[], view?: LexicalView): BenchRecord[] {
    const found = ids.flatMap((id) => this.byId.get(id) ?? [])
    if (view === undefined) return found
    return found.map((record) => ({
      ...record,
      anchors: record.anchors.map((anchor) => seenIn(view, anchor)),
    }))
  }
}

/** Its anchors may have the hash that their code had when it was recorded. */
export type BenchRecord = Omit<PackRecord, 'anchors'> & { readonly anchors: readonly BenchAnchor[] }
export type BenchAnchor = RecordAnchor & AnchorPlace

const RECORDS_MAX = 1_000
const FILES_MAX = 15
const NO_RECORD = /^(?:release|bump|version|v?\d+\.|set version|merge|chore\(deps|build\(deps)/i

/** `anchors` as they would be given by whoever recorded it; null for what nobody would record. */
export function recordOf(
  commit: Commit,
  position: number,
  { anchors, kind }: Pick<BenchRecord, 'anchors'> & Partial<Pick<BenchRecord, 'kind'>>,
): BenchRecord | null {
  const { id, subject, message, files } = commit
  if (NO_RECORD.test(subject) || files.length === 0 || files.length > FILES_MAX) return null
  const [summary, ...body] = goalOf(message).split('\n')
  if (summary === undefined || summary === '') return null
  return {
    id: `r:${id.slice(0, 8)}` as RecordId,
    position: position as TaskRecord['position'],
    task: 'history' as TaskRecord['task'],
    kind: isRevert(commit) ? 'attempt' : (kind ?? 'decision'),
    summary: summary.slice(0, 200).toWellFormed(),
    body: body.join('\n'),
    ...{ anchors, supersedes: [], receipt: null, corrects: [], rivals: [] },
  }
}

export function isRevert({ subject }: Commit): boolean {
  return /^revert\b/i.test(subject)
}

export function filesOf({ files }: Commit): BenchAnchor[] {
  return files.map(({ path }) => ({ path, symbol: null, mark: null }))
}

/** Marked as the daemon would mark it, if it says what its code was. */
function seenIn(view: LexicalView, anchor: BenchAnchor): BenchAnchor {
  const { path, symbol, hash } = anchor
  if (hash == null) return anchor
  const { mark, at } = anchorIn(
    { lexical: view, leftOut: NONE, missing: 0 },
    { path, symbol, hash },
  )
  if (mark === 'moved' && at !== null) return { ...at, mark: null, movedFrom: { path, symbol } }
  return { path, symbol, hash, mark: mark === null ? null : MARKS[mark] }
}

const NONE: ReadonlySet<string> = new Set()
