import { claimFault, isHeldBy } from '../domain/claim.ts'
import type { Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { viewTask } from './views.ts'

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
