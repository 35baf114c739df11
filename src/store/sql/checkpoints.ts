import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import type { RepoId } from '../../domain/repo.ts'
import { LIVE_STATES, type Task, type TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { checkpoint, task } from '../schema.ts'
import type { NewCheckpoint } from '../store.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { passGuard } from './guard.ts'

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
  at: checkpoint.at,
}

/** @throws Fault as `passGuard`. */
export async function addCheckpoint(
  queries: Queries,
  repo: RepoId,
  fresh: NewCheckpoint,
  by: Caller,
): Promise<{ readonly task: Task; readonly checkpoint: Checkpoint }> {
  const held = await passGuard(queries, repo, fresh, by, {
    head: fresh.commit,
    change: fresh.change,
    ...(fresh.base === null ? {} : { base: fresh.base }),
  })
  const position = await nextPosition(queries, repo)
  const { files, symbols, incomplete } = fresh
  const [row] = await queries
    .insert(checkpoint)
    .values({
      repo,
      position,
      task: fresh.task,
      generation: held.generation,
      commit: fresh.commit,
      change: fresh.change,
      base: fresh.base,
      message: fresh.message,
      patch: fresh.patch,
      content: { files, symbols, incomplete },
      at: NOW,
    })
    .returning(checkpointColumns)
  await noteFact(queries, { repo, position }, 'checkpoint.added', fresh.task, by)
  return { task: held, checkpoint: toCheckpoint(row!) }
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

type Row = Omit<Checkpoint, 'files' | 'symbols' | 'incomplete'> & {
  readonly content: Pick<Checkpoint, 'files' | 'symbols' | 'incomplete'>
}

function toCheckpoint({ content, ...rest }: Row): Checkpoint {
  return { ...rest, ...content }
}
