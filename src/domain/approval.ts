import { Fault } from './fault.ts'
import type { TaskId } from './task.ts'
import type { Reviewed } from './verdict.ts'

/**
 * Holds what is about to be merged against what was approved, byte for byte.
 * @param tree what the task holds now; null: it is not at hand here, and its last checkpoint is what is merged
 * @throws Fault `refused_rule` reason `tree_changed`
 */
export function assertSameTree(
  task: TaskId,
  tree: string | null,
  approved: Pick<Reviewed, 'tree'>,
): void {
  if (tree === null || tree === approved.tree) return
  throw new Fault(
    'refused_rule',
    `The files of ${task} changed since it was approved.`,
    'Run `av checkpoint` in its workspace, and ask for a fresh approval.',
    { detail: { reason: 'tree_changed', approved: approved.tree, found: tree } },
  )
}
