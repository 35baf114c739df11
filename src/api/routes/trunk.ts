import { z } from 'zod'
import { arg, flag, supplied, text } from '../field.ts'
import type { LandedView, SyncView } from '../review-views.ts'
import { type Route, returns } from '../route.ts'
import type { TaskView } from '../views.ts'
import { hex, repo } from './repos.ts'
import { task } from './tasks.ts'

/** What moves trunk runs at the caller: the daemon touches no repository. */
export const trunkRoutes = {
  merge: {
    summary: 'Land an approved task on trunk as one commit that says why.',
    group: 'review',
    mcp: true,
    local: true,
    input: () => z.strictObject({ task: task() }),
    output: returns<LandedView>(),
  },
  resolve: {
    summary: 'Say that the conflicts of your task are resolved; it is open again.',
    group: 'review',
    mcp: true,
    input: () =>
      z.strictObject({
        repo: repo(),
        task: supplied(text(64), 'The task.'),
        commit: supplied(hex(), 'The checkpoint without conflicts.'),
      }),
    output: returns<TaskView>(),
  },
  undo: {
    summary: 'Take the last merge back from trunk, when nothing came after it.',
    group: 'review',
    mcp: false,
    local: true,
    input: () => z.strictObject({ task: task() }),
    output: returns<LandedView>(),
  },
  revert: {
    summary: 'Add a commit to trunk that takes a merged task back.',
    group: 'review',
    mcp: false,
    local: true,
    input: () => z.strictObject({ task: task() }),
    output: returns<LandedView>(),
  },
  sync: {
    summary: 'Follow trunk: what others moved, what landed elsewhere, what a crash left open.',
    group: 'repo',
    mcp: false,
    local: true,
    input: () =>
      z.strictObject({
        yes: arg(flag(), {
          description: 'Remove folders of merged tasks even where ignored files lie in them.',
          short: 'y',
        }),
      }),
    output: returns<SyncView>(),
  },
} as const satisfies Record<string, Route>
