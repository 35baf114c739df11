import { z } from 'zod'
import { FILE_STATUSES } from '../../domain/checkpoint.ts'
import { arg, flag, supplied, text } from '../field.ts'
import type { ClaimView, HandoffView, SubmitView } from '../review-views.ts'
import { type Route, returns } from '../route.ts'
import type { CheckpointView, TaskView } from '../views.ts'
import { hex, repo } from './repos.ts'
import { task } from './tasks.ts'

const path = () => text(4_096)
const items = (description: string) =>
  arg(z.array(text(2_000)).max(200).default([]), { description, value: 'TEXT' })
/** The workspace's own task: these commands take no other. */
const ownTask = () => supplied(text(64), 'The task.')

/** What a snapshot of a workspace holds. */
export const snapshot = () => ({
  commit: supplied(hex(), 'The snapshot.'),
  change: supplied(text(64), 'Its jj change.'),
  base: supplied(hex().nullable(), 'The commit the task branched from.'),
  files: supplied(
    z
      .array(
        z.strictObject({
          path: path(),
          status: z.enum(FILE_STATUSES),
          from: path().nullable(),
        }),
      )
      .max(20_000),
    'Files that differ from the base.',
  ),
  symbols: supplied(z.array(text(4_500)).max(20_000), 'Definitions that differ from the base.'),
  tree: supplied(hex().nullable(), 'Its tree; null for one with conflicts.'),
  conflicts: supplied(
    z.array(path()).max(20_000),
    'Files with conflicts, or with markers left from one.',
  ),
  patch: supplied(text(200), 'Patch identity.'),
  incomplete: supplied(
    z.strictObject({
      tooLarge: z.array(path()).max(1_000),
      badNames: z.array(path()).max(1_000),
      nested: z.array(path()).max(1_000),
    }),
    'What the snapshot could not take in.',
  ),
})

export const workRoutes = {
  checkpoint: {
    summary: "Snapshot the task's workspace.",
    group: 'work',
    mcp: true,
    input: () =>
      z.strictObject({
        message: arg(text(2_000).optional(), {
          description: 'What this step was.',
          short: 'm',
          value: 'TEXT',
        }),
        repo: repo(),
        task: supplied(text(64), 'The task.'),
        ...snapshot(),
      }),
    output: returns<CheckpointView>(),
  },
  diff: {
    summary: 'What a task changed, as a git diff against its base.',
    group: 'work',
    mcp: true,
    local: true,
    input: () => z.strictObject({ task: task() }),
    output: returns<{
      readonly task: string
      readonly base: string | null
      readonly diff: string
    }>(),
  },
  submit: {
    summary: 'Ask for a review: snapshots, and wants to know why it changed.',
    group: 'work',
    mcp: true,
    input: () =>
      z.strictObject({
        repo: repo(),
        task: ownTask(),
        commit: supplied(hex(), 'The checkpoint to review.'),
      }),
    output: returns<SubmitView>(),
  },
  handoff: {
    summary: 'Give the task back, and say what is done, remains, is broken and open.',
    group: 'work',
    mcp: true,
    input: () =>
      z.strictObject({
        notes: arg(
          z
            .string()
            .max(64 * 1_024)
            .optional(),
          {
            description:
              'Markdown with the headings Done, Remaining, Broken and Open; - reads it from standard input.',
            positional: true,
            value: '-',
          },
        ),
        done: items('What is done; may be repeated.'),
        remaining: items('What remains to be done; may be repeated.'),
        broken: items('What does not work; may be repeated.'),
        open: items('What is not decided; may be repeated.'),
        repo: repo(),
        task: ownTask(),
        commit: supplied(hex().nullable(), 'The last checkpoint.'),
      }),
    output: returns<HandoffView>(),
  },
  'handoff.show': {
    summary: 'What the next one on a task needs to know, within a token budget.',
    group: 'work',
    mcp: true,
    input: () =>
      z.strictObject({
        task: task(),
        budget: arg(z.int().min(100).max(100_000).default(2_000), {
          description: 'How many tokens at most.',
        }),
        repo: repo(),
      }),
    output: returns<{
      readonly task: string
      readonly bundle: string
      readonly tokens: number
      readonly budget: number
      readonly omitted: number
    }>(),
  },
  claim: {
    summary: 'Make a task yours: one handed off, owned by nobody, or whose owner fell silent.',
    group: 'work',
    mcp: true,
    input: () =>
      z.strictObject({
        task: arg(text(64), { description: 'The task.', positional: true, value: 'TASK' }),
        repo: repo(),
        base: supplied(hex().nullable(), 'Where the work begins, when it has not begun.'),
      }),
    output: returns<ClaimView>(),
  },
  abandon: {
    summary: 'Give a task up for good; its records stay, its last state can be recovered.',
    group: 'work',
    mcp: false,
    input: () =>
      z.strictObject({
        task: task(),
        yes: arg(flag(), { description: 'Do not ask.', short: 'y' }),
        repo: repo(),
        commit: supplied(hex().nullable(), 'Its last snapshot.'),
      }),
    output: returns<TaskView>(),
  },
} as const satisfies Record<string, Route>
