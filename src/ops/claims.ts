import { type Claim, claimFault, isHeldBy } from '../domain/claim.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { viewTask } from './views.ts'

/**
 * Makes the caller the owner, under a new generation. Whether it may be is judged in the statement that takes it, by
 * the database's clock: of two at once, one wins.
 */
export const claim: Handler<'claim'> = async ({ store, leaseSecs }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { id } = await findTask(store, repo.id, input.task)
  const { task, isRenewal, previous } = await store.claimTask(
    repo.id,
    { task: id, leaseSecs, base: input.base as CommitId | null },
    caller,
  )
  return { ...viewTask(task), isRenewal, previous: previous === null ? null : viewClaim(previous) }
}

function viewClaim({ actor, session, generation, at }: Claim) {
  return { actor, session, generation, since: at }
}

/**
 * Judges a claim without writing: a client asks before it runs anything in a workspace, so that a
 * lost claim is told before the work. The write judges again, in its own statement.
 */
export const checkTask: Handler<'task.check'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const task = await findTask(store, repo.id, input.task)
  if (!isHeldBy(task, caller)) {
    throw claimFault(task, await store.claims(repo.id, task.id), caller)
  }
  return viewTask(task)
}
