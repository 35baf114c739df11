import type { Task } from '../domain/task.ts'
import type { Store } from '../store/store.ts'

/** The current verdict on a task, in words: `approved by ana`; null where there is none. */
export async function verdictText(store: Store, task: Task): Promise<string | null> {
  const known = approvalText(task)
  if (known !== null || task.state !== 'open') return known
  const newest = (await store.verdicts(task.repo, task.id)).at(-1)
  return newest?.result === 'request_changes' ? `changes asked for by ${newest.actor}` : null
}

/** What the task itself tells of its approval. */
export function approvalText({ approvedBy, approvalVoid }: Task): string | null {
  if (approvedBy !== null) return `approved by ${approvedBy}`
  return approvalVoid === null ? null : `approval does not count any more: ${approvalVoid}`
}
