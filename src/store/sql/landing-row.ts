import { and, eq } from 'drizzle-orm'
import { Fault } from '../../domain/fault.ts'
import type { Landing } from '../../domain/landing.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Task } from '../../domain/task.ts'
import type { Queries } from '../database.ts'
import { landing } from '../schema-review.ts'

export const landingColumns = {
  repo: landing.repo,
  slot: landing.slot,
  task: landing.task,
  kind: landing.kind,
  old: landing.old,
  new: landing.new,
  patch: landing.patch,
  verdict: landing.verdict,
  files: landing.files,
  state: landing.state,
  position: landing.position,
  actor: landing.actor,
  session: landing.session,
  at: landing.at,
}

export async function findLanding(
  queries: Queries,
  repo: RepoId,
  slot: number,
): Promise<Landing | null> {
  const [row] = await queries.select(landingColumns).from(landing).where(isLanding(repo, slot))
  return row ?? null
}

/** The landing that nobody has closed yet: of a repo there is never more than one. */
export async function findOpenLanding(queries: Queries, repo: RepoId): Promise<Landing | null> {
  const [row] = await queries
    .select(landingColumns)
    .from(landing)
    .where(and(eq(landing.repo, repo), eq(landing.state, 'open')))
  return row ?? null
}

export function isLanding(repo: RepoId, slot: number) {
  return and(eq(landing.repo, repo), eq(landing.slot, slot))
}

/** Why a task that is landing just now is not written to. */
export async function landingFault(queries: Queries, task: Task): Promise<Fault> {
  const found = task.landing === null ? null : await findLanding(queries, task.repo, task.landing)
  return underWay(task.id, found)
}

export function underWay(subject: string, open: Landing | null): Fault {
  const who =
    open === null
      ? ''
      : `: ${open.actor} began the ${open.kind} of ${open.task} at ${open.at}, in slot ${open.slot}`
  return new Fault(
    'conflict',
    `${subject} is landing just now${who}.`,
    'Run `av sync`: it finishes what was begun, or discards it. Then run the command again.',
    {
      detail: {
        reason: 'landing',
        slot: open?.slot ?? null,
        task: open?.task ?? null,
        actor: open?.actor ?? null,
        since: open?.at ?? null,
      },
    },
  )
}
