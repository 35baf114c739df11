import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import type { RepoId } from '../../domain/repo.ts'
import { LIVE_STATES, type Task, type TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import type { NewCheckpoint } from '../new-fact.ts'
import { type CheckpointContent, checkpoint, task } from '../schema.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { passGuard } from './guard.ts'
import { isTask, taskColumns } from './task-row.ts'

/** Live tasks whose newest checkpoint is looked at; the newest ones. */
const LIVE_MAX = 1_000

const checkpointColumns = {
  repo: checkpoint.repo,
  task: checkpoint.task,
  position: checkpoint.position,
  generation: checkpoint.generation,
  commit: checkpoint.commit,
  change: checkpoint.change,
  base: checkpoint.base,
  message: checkpoint.message,
  content: checkpoint.content,
  patch: checkpoint.patch,
  tree: checkpoint.tree,
  at: checkpoint.at,
}

/** @throws Fault as `passGuard`. */
export async function addCheckpoint(
  queries: Queries,
  repo: RepoId,
  fresh: NewCheckpoint,
  by: Caller,
): Promise<{ readonly task: Task; readonly checkpoint: Checkpoint }> {
  const guard = { ...fresh, event: 'checkpoint' } as const
  const held = await passGuard(queries, repo, guard, by, {
    ...headAt(fresh),
    conflicted: sql`case ${task.state} when 'conflicted' then ${sql.param(fresh.conflicts)}::text[] else ${task.conflicted} end`,
  })
  const after = held.approval === null ? held : await keepOrVoid(queries, held, fresh)
  return { task: after, checkpoint: await insertCheckpoint(queries, held, fresh, by) }
}

/** Where a task is after a checkpoint; it keeps the base it has where the checkpoint names none. */
export function headAt({
  commit,
  change,
  base,
}: Pick<NewCheckpoint, 'commit' | 'change' | 'base'>) {
  return { head: commit, change, ...(base === null ? {} : { base }) }
}

/** Writes the row under the task's generation, at the next position. */
export async function insertCheckpoint(
  queries: Queries,
  { repo, id, generation }: Task,
  fresh: Omit<NewCheckpoint, 'task' | 'states' | 'leaseSecs'>,
  by: Caller,
): Promise<Checkpoint> {
  const position = await nextPosition(queries, repo)
  const { commit, change, base, message, patch, tree } = fresh
  const { files, symbols, incomplete, conflicts } = fresh
  const [row] = await queries
    .insert(checkpoint)
    .values({
      ...{ repo, position, task: id, generation, commit, change, base, message, patch, tree },
      content: { files, symbols, incomplete, conflicts },
      at: NOW,
    })
    .returning(checkpointColumns)
  await noteFact(queries, { repo, position }, 'checkpoint.added', id, by)
  return toCheckpoint(row!)
}

/**
 * An approval is of files on a base: it stays while both are the same, whatever else the checkpoint tells. What cannot
 * be compared does not count as the same. A statement of its own, behind the one that locked the task: it sees the
 * verdict that came in just before.
 */
async function keepOrVoid(queries: Queries, held: Task, { tree }: NewCheckpoint): Promise<Task> {
  const [voided] = await queries
    .update(task)
    .set({ approval: null, approvedBy: null, approvalVoid: 'the files changed after it' })
    .where(
      and(
        isTask(held.repo, held.id),
        eq(task.state, 'in_review'),
        sql`not exists (
          select from verdict v
          where v.repo = "task"."repo" and v.position = "task"."approval" and v.tree = ${tree}
            and v.base is not distinct from "task"."base")`,
      ),
    )
    .returning(taskColumns)
  return voided ?? held
}

export async function lastCheckpoint(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
): Promise<Checkpoint | null> {
  const [row] = await queries
    .select(checkpointColumns)
    .from(checkpoint)
    .where(and(eq(checkpoint.repo, repo), eq(checkpoint.task, id)))
    .orderBy(desc(checkpoint.position))
    .limit(1)
  return row === undefined ? null : toCheckpoint(row)
}

export async function liveCheckpoints(
  queries: Queries,
  repo: RepoId,
): Promise<readonly Checkpoint[]> {
  const rows = await queries
    .select(checkpointColumns)
    .from(checkpoint)
    .innerJoin(task, and(eq(task.repo, checkpoint.repo), eq(task.id, checkpoint.task)))
    .where(
      and(
        eq(checkpoint.repo, repo),
        inArray(task.state, [...LIVE_STATES]),
        sql`${checkpoint.position} = (
          select max(c.position) from checkpoint c where c.repo = ${checkpoint.repo} and c.task = ${checkpoint.task})`,
      ),
    )
    .orderBy(desc(checkpoint.position))
    .limit(LIVE_MAX)
  return rows.map(toCheckpoint)
}

type Row = Omit<Checkpoint, keyof CheckpointContent> & { readonly content: CheckpointContent }

function toCheckpoint({ content: { conflicts = [], ...content }, ...rest }: Row): Checkpoint {
  return { ...rest, ...content, conflicts }
}
