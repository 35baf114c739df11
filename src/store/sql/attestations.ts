import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Caller } from '../../domain/actor.ts'
import type { Attestation } from '../../domain/attestation.ts'
import { Fault } from '../../domain/fault.ts'
import type { RepoId } from '../../domain/repo.ts'
import { LIVE_STATES, type TaskId } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { checkpoint, task } from '../schema.ts'
import { attestation } from '../schema-review.ts'
import type { NewAttestation } from '../task-life.ts'
import { NOW, nextPosition, noteFact } from './fact.ts'
import { assertTask } from './task-row.ts'

const ATTESTATIONS_MAX = 1_000

const attestationColumns = {
  repo: attestation.repo,
  position: attestation.position,
  task: attestation.task,
  commit: attestation.commit,
  name: attestation.name,
  command: attestation.command,
  exitCode: attestation.exitCode,
  log: attestation.log,
  dirty: attestation.dirty,
  actor: attestation.actor,
  session: attestation.session,
  at: attestation.at,
}

/** @throws Fault `not_found` for the task, or for a commit that is none of its checkpoints. */
export async function addAttestation(
  queries: Queries,
  repo: RepoId,
  fresh: NewAttestation,
  by: Caller,
): Promise<Attestation> {
  await assertTask(queries, repo, fresh.task)
  await assertCheckpoint(queries, repo, fresh)
  const position = await nextPosition(queries, repo)
  const [row] = await queries
    .insert(attestation)
    .values({ ...fresh, repo, position, actor: by.actor, session: by.session, at: NOW })
    .returning(attestationColumns)
  await noteFact(queries, { repo, position }, 'attestation.added', fresh.task, by)
  return row!
}

export async function listAttestations(
  queries: Queries,
  repo: RepoId,
  id: TaskId,
): Promise<readonly Attestation[]> {
  return queries
    .select(attestationColumns)
    .from(attestation)
    .where(and(eq(attestation.repo, repo), eq(attestation.task, id)))
    .orderBy(desc(attestation.position))
    .limit(ATTESTATIONS_MAX)
}

export async function liveAttestations(
  queries: Queries,
  repo: RepoId,
): Promise<readonly Attestation[]> {
  return queries
    .select(attestationColumns)
    .from(attestation)
    .innerJoin(task, and(eq(task.repo, attestation.repo), eq(task.id, attestation.task)))
    .where(and(eq(attestation.repo, repo), inArray(task.state, [...LIVE_STATES])))
    .orderBy(desc(attestation.position))
    .limit(ATTESTATIONS_MAX)
}

async function assertCheckpoint(
  queries: Queries,
  repo: RepoId,
  { task: id, commit }: NewAttestation,
): Promise<void> {
  const [known] = await queries
    .select({ commit: checkpoint.commit })
    .from(checkpoint)
    .where(and(eq(checkpoint.repo, repo), eq(checkpoint.task, id), eq(checkpoint.commit, commit)))
    .limit(1)
  if (known !== undefined) return
  throw new Fault(
    'not_found',
    `${id} has no checkpoint ${commit}.`,
    `Take one with \`av checkpoint\`; see \`av task show ${id}\`.`,
    { detail: { reason: 'checkpoint', id: commit } },
  )
}
