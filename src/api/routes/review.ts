import { z } from 'zod'
import { ATTESTED_NAME_MAX } from '../../domain/attestation.ts'
import { ANCHORS_MAX } from '../../domain/record.ts'
import { arg, flag, limit, supplied, text } from '../field.ts'
import type { AttestationView, ReviewItem, ReviewView } from '../review-views.ts'
import { type Route, returns } from '../route.ts'
import type { List, LogItem, TaskView } from '../views.ts'
import { codeView } from './code.ts'
import { hex, repo } from './repos.ts'
import { task } from './tasks.ts'
import { anchors } from './why.ts'

/** What the reviewer's machine has of the task: a verdict is bound to it. */
const reviewed = () => ({
  base: supplied(hex().nullable(), 'The commit the task stood on.'),
  tip: supplied(hex(), 'The checkpoint looked at.'),
  tree: supplied(hex(), 'Its tree.'),
  patch: supplied(text(200), 'Patch identity.'),
  trunk: supplied(hex().nullable(), 'Where trunk is.'),
})

export const reviewRoutes = {
  'review.list': {
    summary: 'The tasks that wait for a review or a merge, oldest first.',
    group: 'review',
    mcp: true,
    input: () =>
      z.strictObject({
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
      }),
    output: returns<List<ReviewItem>>(),
  },
  'review.show': {
    summary: 'What there is to review: the why, what changed, open points, checks.',
    group: 'review',
    mcp: true,
    input: () => z.strictObject({ task: task(), repo: repo(), view: codeView() }),
    output: returns<ReviewView>(),
  },
  'review.resolve': {
    summary: 'Close a point of a review, as who raised it or as the owner of the task.',
    group: 'review',
    mcp: true,
    input: () =>
      z.strictObject({
        record: arg(text(64), {
          description: 'The record that raised it.',
          positional: true,
          value: 'RECORD',
        }),
        repo: repo(),
      }),
    output: returns<LogItem>(),
  },
  approve: {
    summary: 'Let a task be merged: what you looked at, byte for byte.',
    group: 'review',
    mcp: true,
    input: () =>
      z.strictObject({
        task: task(),
        message: arg(z.string().max(1_000_000).optional(), {
          description: 'What you think of it.',
          short: 'm',
          value: 'TEXT',
        }),
        repo: repo(),
        ...reviewed(),
      }),
    output: returns<TaskView>(),
  },
  'request-changes': {
    summary: 'Send a task back to its owner, and say why.',
    group: 'review',
    mcp: true,
    input: () =>
      z.strictObject({
        task: task(),
        message: arg(z.string().min(1).max(1_000_000), {
          description: 'What is to change.',
          short: 'm',
          value: 'TEXT',
        }),
        at: arg(z.array(text(4_096)).max(ANCHORS_MAX).default([]), {
          description: 'The code it is about; may be repeated. It opens a point to be resolved.',
          short: 'a',
          value: 'PATH[:SYMBOL]',
        }),
        allowMissing: arg(flag(), {
          description: 'Take an anchor whose path or symbol is not there.',
        }),
        anchors: anchors(),
        repo: repo(),
        ...reviewed(),
      }),
    output: returns<TaskView>(),
  },
  attest: {
    summary: 'Report that a check ran on the task, and how it ended. av runs nothing itself.',
    group: 'review',
    mcp: true,
    input: () =>
      z.strictObject({
        name: arg(text(ATTESTED_NAME_MAX), {
          description: 'Name of the check.',
          positional: true,
          value: 'NAME',
        }),
        exit: arg(z.int().min(0).max(255), { description: 'Its exit code.' }),
        command: arg(z.string().max(2_000).default(''), {
          description: 'The command that ran.',
          value: 'TEXT',
        }),
        log: arg(text(4_096).optional(), {
          description: 'Its output; the end of the file is kept, secrets taken out.',
          value: 'FILE',
        }),
        task: arg(text(64).optional(), { description: 'On which task.', value: 'TASK' }),
        repo: repo(),
        commit: supplied(hex(), 'The checkpoint it ran on.'),
        dirty: supplied(z.boolean(), 'The folder held more than that.'),
        excerpt: supplied(z.string().max(64 * 1_024), 'The end of its output.'),
      }),
    output: returns<AttestationView>(),
  },
} as const satisfies Record<string, Route>
