import { and, asc, eq, inArray, or, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Caller } from '../../domain/actor.ts'
import type { CommitId, Instant, Position, Repo, RepoId, RepoIdentity } from '../../domain/repo.ts'
import { readInstant } from '../column.ts'
import { type Queries, rowsOf } from '../database.ts'
import { repo, repoActor, repoRemote, repoRoot } from '../schema.ts'
import type { NewRepo, RepoChange } from '../store.ts'
import { NOW, noteActor, repoNotFound } from './fact.ts'
import { idTaken } from './free-id.ts'

const REPOS_MAX = 1_000
const ACTORS_MAX = 10_000

const repoColumns = {
  id: repo.id,
  name: repo.name,
  trunk: repo.trunk,
  trunkCommit: repo.trunkCommit,
  trunkHome: repo.trunkHome,
  rootCommits: sql<readonly CommitId[]>`(
    select coalesce(json_agg(r.commit order by r.commit), '[]') from repo_root r where r.repo = "repo"."id")`,
  remotes: sql<Readonly<Record<string, string>>>`(
    select coalesce(json_object_agg(r.name, r.url order by r.name), '{}') from repo_remote r where r.repo = "repo"."id")`,
  position: repo.position,
  createdAt: repo.createdAt,
}

export async function databaseNow(queries: Queries): Promise<Instant> {
  const [row] = await queries
    .select({ now: sql<Instant>`${NOW}`.mapWith(readInstant) })
    .from(sql`(select) as one`)
  return row!.now
}

/** @throws Fault `conflict` when the id is taken. */
export async function createRepo(queries: Queries, fresh: NewRepo, by: Caller): Promise<Repo> {
  const [row] = await queries
    .insert(repo)
    .values({
      id: fresh.id,
      name: fresh.name,
      trunk: fresh.trunk,
      trunkCommit: fresh.trunkCommit,
      position: 0 as Repo['position'],
      createdAt: NOW,
    })
    .onConflictDoNothing()
    .returning({ id: repo.id })
  if (row === undefined) throw idTaken(fresh.id)
  await addIdentity(queries, fresh.id, fresh.identity)
  await noteActor(queries, fresh.id, by)
  return (await findRepo(queries, fresh.id))!
}

export async function findRepo(queries: Queries, id: RepoId): Promise<Repo | null> {
  const [row] = await queries.select(repoColumns).from(repo).where(eq(repo.id, id))
  return row === undefined ? null : toRepo(row)
}

export async function positionOf(queries: Queries, id: RepoId): Promise<Position | null> {
  const [row] = await rowsOf(queries, sql`select position from repo where id = ${id}`)
  return row === undefined ? null : (row.position as Position)
}

export async function listRepos(queries: Queries): Promise<readonly Repo[]> {
  const rows = await queries
    .select(repoColumns)
    .from(repo)
    .orderBy(asc(repo.name), asc(repo.id))
    .limit(REPOS_MAX)
  return rows.map(toRepo)
}

/** A shared remote counts only where one of the two has no commit yet: a fork has the same root, a template its own remote. */
export async function reposLike(
  queries: Queries,
  identity: RepoIdentity,
): Promise<readonly Repo[]> {
  const roots = queries
    .select({ repo: repoRoot.repo })
    .from(repoRoot)
    .where(inArray(repoRoot.commit, [...identity.rootCommits]))
  const remotes = queries
    .select({ repo: repoRemote.repo })
    .from(repoRemote)
    .where(inArray(repoRemote.url, Object.values(identity.remotes)))
  const isRootless =
    identity.rootCommits.length === 0
      ? sql`true`
      : sql`not exists (select from repo_root r where r.repo = "repo"."id")`
  const rows = await queries
    .select(repoColumns)
    .from(repo)
    .where(or(inArray(repo.id, roots), and(inArray(repo.id, remotes), isRootless)))
    .orderBy(asc(repo.name), asc(repo.id))
    .limit(REPOS_MAX)
  return rows.map(toRepo)
}

export async function updateRepo(queries: Queries, id: RepoId, change: RepoChange): Promise<Repo> {
  const [row] = await queries
    .update(repo)
    .set({
      trunk: change.trunk ?? sql`${repo.trunk}`,
      trunkCommit: firstKnown(repo.trunkCommit, change.firstTrunk),
      trunkHome: firstKnown(repo.trunkHome, change.trunkHome),
    })
    .where(eq(repo.id, id))
    .returning({ id: repo.id })
  if (row === undefined) throw repoNotFound(id)
  await addIdentity(queries, id, {
    rootCommits: change.rootCommits ?? [],
    remotes: change.remotes ?? {},
  })
  return (await findRepo(queries, id))!
}

/** What is known stays, whoever tells of another. */
function firstKnown(column: PgColumn, told: string | undefined) {
  return sql`coalesce(${column}, ${sql.param(told ?? null, column)})`
}

export async function actorsOf(queries: Queries, id: RepoId): Promise<readonly string[]> {
  const rows = await queries
    .select({ actor: repoActor.actor })
    .from(repoActor)
    .where(eq(repoActor.repo, id))
    .orderBy(asc(repoActor.actor))
    .limit(ACTORS_MAX)
  return rows.map(({ actor }) => actor)
}

async function addIdentity(queries: Queries, id: RepoId, identity: RepoIdentity): Promise<void> {
  const roots = identity.rootCommits.map((commit) => ({ repo: id, commit }))
  if (roots.length > 0) await queries.insert(repoRoot).values(roots).onConflictDoNothing()
  const remotes = Object.entries(identity.remotes).map(([name, url]) => ({ repo: id, name, url }))
  if (remotes.length === 0) return
  await queries
    .insert(repoRemote)
    .values(remotes)
    .onConflictDoUpdate({
      target: [repoRemote.repo, repoRemote.name],
      set: { url: sql`excluded.url` },
    })
}

type Row = Omit<Repo, 'identity'> & RepoIdentity

function toRepo({ rootCommits, remotes, ...rest }: Row): Repo {
  return { ...rest, identity: { rootCommits, remotes } }
}
