import { and, asc, eq } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Claim } from '../../domain/claim.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task, TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { claim } from '../schema.ts'
import { bounded } from './bounds.ts'
import { NOW } from './fact.ts'

export async function listClaims(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
): Promise<readonly Claim[]> {
  return queries
    .select({
      task: claim.task,
      generation: claim.generation,
      actor: claim.actor,
      session: claim.session,
      at: claim.at,
    })
    .from(claim)
    .where(and(eq(claim.repo, repo), eq(claim.task, id)))
    .orderBy(asc(claim.generation))
    .limit(bounded(Number.POSITIVE_INFINITY))
}

/** Writes down that a generation was granted to `by`. */
export async function noteClaim(queries: Queries, owned: Task, by: Caller): Promise<void> {
  await queries.insert(claim).values({
    repo: owned.repo,
    task: owned.id,
    generation: owned.generation,
    actor: by.actor,
    session: by.session,
    at: NOW,
  })
}
