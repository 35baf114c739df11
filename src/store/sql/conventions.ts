import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Convention, ConventionId, ConventionState } from '../../domain/convention.ts'
import { Fault } from '../../domain/fault.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import { convention } from '../schema.ts'
import type { NewConvention } from '../store.ts'
import { bounded } from './bounds.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { insertUnderFreeId } from './free-id.ts'
import { ID_DIGITS_LEAST } from './records.ts'

const CONVENTIONS_MAX = 1_000

const conventionColumns = {
  repo: convention.repo,
  id: convention.id,
  glob: convention.glob,
  text: convention.text,
  required: convention.required,
  state: convention.state,
  author: convention.author,
  acceptedBy: convention.acceptedBy,
  position: convention.position,
  at: convention.at,
}

export async function addConvention(
  queries: Queries,
  repo: RepoId,
  fresh: NewConvention,
  by: Caller,
): Promise<Convention> {
  const position = await nextPosition(queries, repo)
  const { glob, text, required, state } = fresh
  const added = await insertUnderFreeId<ConventionId, Convention>(
    { prefix: 'c:', digits: fresh.digits, least: ID_DIGITS_LEAST },
    (id) =>
      queries
        .insert(convention)
        .values({
          ...{ repo, id, glob, text, required, state, position },
          author: by.actor,
          createdPosition: position,
          at: NOW,
        })
        .onConflictDoNothing({ target: [convention.repo, convention.id] })
        .returning(conventionColumns),
  )
  await noteFact(queries, { repo, position }, `convention.${state}`, added.id, by)
  return added
}

/** @throws Fault `not_found`; `conflict` when it is in none of `from`. */
export async function moveConvention(
  queries: Queries,
  repo: RepoId,
  id: ConventionId,
  from: readonly ConventionState[],
  to: ConventionState,
  by: Caller,
): Promise<Convention> {
  const position = await nextPosition(queries, repo)
  const isThis = and(eq(convention.repo, repo), eq(convention.id, id))
  const [moved] = await queries
    .update(convention)
    .set({ state: to, position, ...(to === 'active' ? { acceptedBy: by.actor } : {}) })
    .where(and(isThis, inArray(convention.state, [...from])))
    .returning(conventionColumns)
  if (moved !== undefined) {
    await noteFact(queries, { repo, position }, `convention.${to}`, id, by)
    return moved
  }
  const [found] = await queries.select(conventionColumns).from(convention).where(isThis)
  if (found === undefined) throw conventionNotFound(id)
  throw new Fault(
    'conflict',
    `The convention ${id} is ${found.state}; it would have to be ${from.join(' or ')}.`,
    'See `av convention list --all`.',
    { detail: { reason: 'state', state: found.state, legal: [...from] } },
  )
}

export async function conventionsByPrefix(
  queries: Queries,
  repo: RepoId,
  prefix: string,
  limit: number,
): Promise<readonly Convention[]> {
  return queries
    .select(conventionColumns)
    .from(convention)
    .where(and(eq(convention.repo, repo), sql`${convention.id} ^@ ${prefix}`))
    .orderBy(asc(convention.id))
    .limit(bounded(limit))
}

export async function listConventions(
  queries: Queries,
  repo: RepoId,
  states: readonly ConventionState[],
): Promise<readonly Convention[]> {
  return queries
    .select(conventionColumns)
    .from(convention)
    .where(and(eq(convention.repo, repo), inArray(convention.state, [...states])))
    .orderBy(asc(convention.createdPosition))
    .limit(CONVENTIONS_MAX)
}

export function conventionNotFound(id: string): Fault {
  return new Fault(
    'not_found',
    `There is no convention ${id}.`,
    'See `av convention list --all`.',
    {
      detail: { reason: 'convention', id },
    },
  )
}
