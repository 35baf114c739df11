import { landingMessage } from '../domain/landing-message.ts'
import type { Task } from '../domain/task.ts'
import type { Store } from '../store/store.ts'
import { currentRecords } from './task-why.ts'

/** The message of a task's commit on trunk, from what its records say now; they are told oldest first. */
export async function landingText(
  store: Store,
  task: Task,
  kind: 'merge' | 'revert',
): Promise<string> {
  const records = (await currentRecords(store, task)).toReversed()
  const receipts = records.flatMap(({ receipt }) => receipt ?? [])
  return landingMessage({
    task,
    decisions: records.filter((record) => record.kind === 'decision'),
    deadEnds: records.filter((record) => record.kind === 'attempt'),
    receipts: [...new Set(receipts)],
    kind,
    ...(kind === 'revert' &&
      task.landed !== null && { reverted: { commit: task.landed, goal: task.goal } }),
  })
}
