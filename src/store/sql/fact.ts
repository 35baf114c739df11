import { eq, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import { Fault } from '../../domain/fault.ts'
import type { CommitId, Position, RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import { unavailable } from '../database-fault.ts'
import { MIGRATIONS } from '../migrations.ts'
import { fact, repo, repoActor } from '../schema.ts'

/** The database's clock, which tests can move. */
export const NOW = sql`av_now()`

const NEWEST = MIGRATIONS.at(-1)?.name ?? ''
/** False when a newer program migrated the schema: this one must not write any more. */
export const IS_KNOWN_SCHEMA = sql`not exists (select from schema_migration where name > ${NEWEST})`

/**
 * Takes the next position of a repo's log and holds its counter until the transaction ends, so that positions are
 * given in the order of commits, and none is lost. Each must be noted with `noteFact` in the same transaction.
 *
 * Every transaction locks in one order, so that no two wait for each other: the row of the task it is about; rows of
 * that task's own (its children, its bundles); then the repo's row, which is the counter, the merge slot and trunk.
 * Whoever has the repo's row asks for no task's row that others write to.
 *
 * @throws Fault `not_found`; `store_unavailable` (`newer_schema`) when a newer program migrated the schema meanwhile.
 */
export async function nextPosition(queries: Queries, id: RepoId): Promise<Position> {
  const [row] = await queries
    .update(repo)
    .set({ position: sql`${repo.position} + 1` })
    .where(sql`${eq(repo.id, id)} and ${IS_KNOWN_SCHEMA}`)
    .returning({ position: repo.position })
  if (row !== undefined) return row.position
  const [known] = await queries.select({ id: repo.id }).from(repo).where(eq(repo.id, id))
  throw known === undefined ? repoNotFound(id) : newerSchema()
}

/** Keeps everybody else from the log, the slot and trunk, for what is judged before a position is taken. */
export async function lockRepo(
  queries: Queries,
  id: RepoId,
): Promise<{ readonly trunkCommit: CommitId | null }> {
  const [row] = await queries
    .select({ trunkCommit: repo.trunkCommit })
    .from(repo)
    .where(eq(repo.id, id))
    .for('no key update')
  if (row === undefined) throw repoNotFound(id)
  return row
}

/** Writes down what happened at a position, and that its actor ever wrote to the repo. */
export async function noteFact(
  queries: Queries,
  at: { readonly repo: RepoId; readonly position: Position },
  event: FactEvent,
  subject: string,
  by: Caller,
): Promise<void> {
  await queries.insert(fact).values({
    repo: at.repo,
    position: at.position,
    event,
    subject,
    actor: by.actor,
    session: by.session,
    at: NOW,
  })
  await noteActor(queries, at.repo, by)
}

/** A name counts as what it wrote as last. */
export async function noteActor(queries: Queries, repoId: RepoId, by: Caller): Promise<void> {
  await queries
    .insert(repoActor)
    .values({ repo: repoId, actor: by.actor, kind: by.kind })
    .onConflictDoUpdate({
      target: [repoActor.repo, repoActor.actor],
      set: { kind: by.kind },
      setWhere: sql`${repoActor.kind} <> excluded.kind`,
    })
}

export type FactEvent =
  | 'task.created'
  | 'task.claimed'
  | 'task.submitted'
  | 'task.handed_off'
  | 'task.resolved'
  | 'task.abandoned'
  | 'task.conflicted'
  | 'task.merged'
  | 'task.undone'
  | 'task.reverted'
  | 'task.landed_elsewhere'
  | 'checkpoint.added'
  | 'record.added'
  | 'thread.resolved'
  | 'verdict.added'
  | 'verdict.carried'
  | 'approval.void'
  | 'attestation.added'
  | 'trunk.moved'
  | 'convention.proposed'
  | 'convention.active'
  | 'convention.retired'
  | 'purged'

export function repoNotFound(id: RepoId): Fault {
  return new Fault('not_found', `There is no repo ${id}.`, 'See `av status`, or run `av init`.', {
    detail: { reason: 'repo', id },
  })
}

export function newerSchema(): Fault {
  return unavailable(
    'newer_schema',
    `The store was migrated by a newer av; this one knows it up to ${NEWEST}.`,
    'Use the newer av: it replaces the running daemon. Nothing was stored.',
  )
}
