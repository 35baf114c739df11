import { z } from 'zod'
import { FILE_STATUSES } from '../../domain/checkpoint.ts'
import { GOAL_CHARS_MAX, TASK_ID_PATTERN, TASK_STATES } from '../../domain/task.ts'
import { arg, flag, limit, supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import type { CheckpointView, List, TaskView } from '../views.ts'
import { hex, repo } from './repos.ts'

const path = () => text(4_096)
const task = () =>
  arg(text(64).optional(), {
    description: "The task; the workspace's own when left out.",
    positional: true,
    value: 'TASK',
  })

export const taskRoutes = {
  'task.start': {
    summary: 'Start a task: a workspace of its own, branched from trunk.',
    group: 'tasks',
    mcp: true,
    input: () =>
      z.strictObject({
        goal: arg(text(GOAL_CHARS_MAX), {
          description: 'What the task is to reach.',
          positional: true,
          value: 'GOAL',
        }),
        id: arg(
          z.string().regex(TASK_ID_PATTERN, 'lower-case letters, digits and dashes').optional(),
          {
            description: 'An id of your own choice.',
            value: 'ID',
          },
        ),
        from: arg(text(200).optional(), {
          description: 'Start on this commit or branch instead of trunk.',
          value: 'REV',
        }),
        parent: arg(text(64).optional(), {
          description: "Start on this task's last checkpoint.",
          value: 'TASK',
        }),
        repo: repo(),
        base: supplied(hex().nullable(), 'The commit it branches from.'),
      }),
    output: returns<TaskView>(),
  },
  'task.list': {
    summary: 'The tasks of the repository, newest first.',
    group: 'tasks',
    mcp: true,
    input: () =>
      z.strictObject({
        state: arg(z.enum(TASK_STATES).optional(), { description: 'Only those in this state.' }),
        mine: arg(flag(), { description: 'Only your own.' }),
        all: arg(flag(), { description: 'Finished ones too.' }),
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
      }),
    output: returns<List<TaskView>>(),
  },
  'task.show': {
    summary: 'One task: state, owner, workspace.',
    group: 'tasks',
    mcp: true,
    input: () => z.strictObject({ task: task(), repo: repo() }),
    output: returns<TaskView>(),
  },
  'task.path': {
    summary: 'Where the workspace of a task lies, for `cd "$(av task path T)"`.',
    group: 'tasks',
    mcp: false,
    local: true,
    input: () => z.strictObject({ task: task() }),
    output: returns<{ readonly id: string; readonly path: string }>(),
  },
  'task.check': {
    summary: 'Whether the caller may write to a task: asked before anything runs in its workspace.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), task: supplied(text(64), 'The task.') }),
    output: returns<TaskView>(),
  },
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
        symbols: supplied(
          z.array(text(4_500)).max(20_000),
          'Definitions that differ from the base.',
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
} as const satisfies Record<string, Route>
