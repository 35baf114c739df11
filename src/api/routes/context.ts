import { z } from 'zod'
import { arg, flag, limit, supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import type { List, PackView, ReceiptView, SentView, SessionView } from '../views.ts'
import { codeView } from './code.ts'
import { repo } from './repos.ts'

export const BUDGET_DEFAULT = 800

const session = () =>
  arg(text(200).optional(), {
    description: 'The session; AV_SESSION when left out.',
    positional: true,
    value: 'SESSION',
  })

export const contextRoutes = {
  pack: {
    summary: 'The context pack of a task: what is known, within a token budget.',
    group: 'context',
    mcp: true,
    input: () =>
      z.strictObject({
        task: arg(text(64).optional(), {
          description: "The task; the workspace's own when left out.",
          positional: true,
          value: 'TASK',
        }),
        focus: arg(z.array(text(1_000)).max(50).default([]), {
          description: 'A path, symbol or words to look at first; may be repeated.',
          short: 'f',
          value: 'FOCUS',
        }),
        budget: arg(z.int().min(50).max(200_000).default(BUDGET_DEFAULT), {
          description: 'Tokens the pack may take at most.',
          short: 'b',
          value: 'TOKENS',
        }),
        session: arg(text(200).optional(), {
          description: 'The session the pack is for; AV_SESSION when left out.',
          value: 'SESSION',
        }),
        fresh: arg(flag(), {
          description: 'Send what this session was sent before once more.',
        }),
        explain: arg(flag(), { description: 'Say where the rank of each line came from.' }),
        repo: repo(),
        view: codeView(),
        changed: supplied(
          z.array(text(4_096)).max(20_000),
          'Files that differ from the base of the task, on disk.',
        ),
        indexing: supplied(z.boolean(), 'The index of the view is still being built.'),
      }),
    output: returns<PackView>(),
  },
  'pack.ack': {
    summary: 'A pack was delivered: what it sent, its reader has.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        receipt: supplied(text(64), 'The receipt of the pack.'),
        session: supplied(text(200), 'The session it was made for.'),
        resets: supplied(z.int().min(0), 'How often that had lost its context by then.'),
        repo: repo(),
      }),
    /** Not noted: the session lost its context meanwhile. */
    output: returns<{ readonly noted: boolean }>(),
  },
  expand: {
    summary: 'Everything behind an id or a `path:Symbol` of a pack.',
    group: 'context',
    mcp: true,
    input: () =>
      z.strictObject({
        ids: arg(z.array(text(4_200)).min(1).max(50), {
          description: 'Records, conventions, tasks, receipts, code items, or path[:symbol|:line].',
          positional: true,
          value: 'ID',
        }),
        repo: repo(),
        view: codeView(),
      }),
    output: returns<{
      readonly items: readonly { readonly id: string; readonly text: string }[]
    }>(),
  },
  receipt: {
    summary: 'What a pack held, at which tier, and why.',
    group: 'context',
    mcp: true,
    input: () =>
      z.strictObject({
        id: arg(text(64), { description: 'The receipt.', positional: true, value: 'RECEIPT' }),
        explain: arg(flag(), {
          description: 'Recompute score and tier of every line from the manifest.',
        }),
        repo: repo(),
      }),
    output: returns<ReceiptView>(),
  },
  'receipt.list': {
    summary: 'The receipts, newest first.',
    group: 'context',
    mcp: false,
    input: () =>
      z.strictObject({
        task: arg(text(64).optional(), { description: 'Only of this task.', value: 'TASK' }),
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
      }),
    output: returns<List<Omit<ReceiptView, 'manifest' | 'explanation'>>>(),
  },
  'session.list': {
    summary: 'The sessions that packs were delivered to, the last heard of first.',
    group: 'context',
    mcp: false,
    input: () =>
      z.strictObject({
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
      }),
    output: returns<List<SessionView>>(),
  },
  'session.show': {
    summary: 'What a session was sent and has not lost since.',
    group: 'context',
    mcp: false,
    input: () =>
      z.strictObject({
        session: session(),
        limit: arg(limit(), { description: 'How many items at most.' }),
        repo: repo(),
      }),
    output: returns<SessionView & { readonly sent: readonly SentView[]; readonly more: boolean }>(),
  },
  'session.reset': {
    summary: 'A session lost its context, and all below it: send everything again.',
    group: 'context',
    mcp: false,
    input: () => z.strictObject({ session: session(), repo: repo() }),
    output: returns<{ readonly session: string; readonly forgotten: number }>(),
  },
} as const satisfies Record<string, Route>
