import { z } from 'zod'
import { GOAL_CHARS_MAX, TASK_ID_PATTERN, TASK_STATES } from '../../domain/task.ts'
import { arg, flag, limit, supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import type { List, TaskView } from '../views.ts'
import { hex, repo } from './repos.ts'

export const task = () =>
  arg(text(64).optional(), {
    description: "The task; the workspace's own when left out.",
    positional: true,
    value: 'TASK',
  })

const goal = () =>
  arg(text(GOAL_CHARS_MAX), {
    description: 'What the task is to reach.',
    positional: true,
    value: 'GOAL',
  })
const ownId = () =>
  arg(z.string().regex(TASK_ID_PATTERN, 'lower-case letters, digits and dashes').optional(), {
    description: 'An id of your own choice.',
    value: 'ID',
  })

export const taskRoutes = {
  'task.start': {
    summary: 'Start a task: a workspace of its own, branched from trunk.',
    group: 'tasks',
    mcp: true,
    input: () =>
      z.strictObject({
        goal: goal(),
        id: ownId(),
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
  'task.file': {
    summary: 'File a task for later: no owner and no workspace until somebody claims it.',
    group: 'tasks',
    mcp: true,
    input: () =>
      z.strictObject({
        goal: goal(),
        id: ownId(),
        offer: arg(text(64).optional(), {
          description: 'Whom it is meant for: it shows among their tasks; anybody may claim it.',
          value: 'ACTOR',
        }),
        parent: arg(text(64).optional(), {
          description: 'The task it continues, once claimed.',
          value: 'TASK',
        }),
        repo: repo(),
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
} as const satisfies Record<string, Route>
