import type {
  AnchorView,
  CheckpointView,
  ConventionView,
  LogItem,
  RecordView,
  RepoView,
  TaskView,
} from '../api/views.ts'
import type { Anchor } from '../domain/anchor.ts'
import type { AnchorState } from '../domain/anchor-moves.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import type { Convention } from '../domain/convention.ts'
import { MARKS } from '../domain/mark.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Repo } from '../domain/repo.ts'
import type { Task } from '../domain/task.ts'

export function viewRepo({ id, name, trunk, trunkCommit }: Repo): RepoView {
  return { id, repo: name, trunk, trunkCommit }
}

/** `workspace` is the client's to fill in: where folders lie is a machine's own affair. */
export function viewTask(task: Task): TaskView {
  const { id, goal, kind, state, owner, generation, leaseExpiresAt, base, head } = task
  const { flags, parent, approvedBy, approvalVoid, conflicted, offeredTo, landed } = task
  return {
    id,
    goal,
    kind,
    state,
    owner,
    generation,
    leaseExpiresAt,
    base,
    head,
    workspace: null,
    flags,
    parent,
    approvedBy,
    approvalVoid,
    conflicted,
    offeredTo,
    landed,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  }
}

export function viewCheckpoint(checkpoint: Checkpoint): CheckpointView {
  const { task, commit, change, files, symbols, patch, incomplete, conflicts, position } =
    checkpoint
  return { task, commit, change, files, symbols, patch, incomplete, conflicts, position }
}

export function viewRecord(record: TaskRecord): RecordView {
  const { id, task, kind, summary, anchors, redacted, position } = record
  return { id, task, kind, summary, anchors, redacted, position }
}

/** @param states what became of each anchor, in their order */
export function viewLogItem(record: TaskRecord, states: readonly AnchorState[]): LogItem {
  const { body, author, at, supersedes, supersededBy, replyTo, receipt, purged } = record
  const anchors = record.anchors.map((anchor, nth) => viewAnchor(anchor, states[nth]!))
  return {
    ...viewRecord(record),
    anchors,
    body,
    author,
    at,
    supersedes,
    supersededBy,
    replyTo,
    receipt,
    marks: [
      ...(supersededBy.length > 0 ? ['superseded'] : []),
      ...(purged ? ['purged'] : []),
      ...new Set(anchors.flatMap(({ mark }) => mark ?? [])),
    ],
  }
}

function viewAnchor(anchor: Anchor, { mark, at }: AnchorState): AnchorView {
  return {
    ...anchor,
    mark: mark === null ? null : MARKS[mark],
    movedTo: mark === 'moved' ? at : null,
  }
}

export function viewConvention(convention: Convention): ConventionView {
  const { id, glob, text, required, state, author, at } = convention
  return { id, glob, text, required, state, author, at }
}
