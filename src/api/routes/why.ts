import { z } from 'zod'
import { ANCHORS_MAX, RECORD_KINDS } from '../../domain/record.ts'
import { arg, flag, limit, supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import type { ConventionView, List, LogItem, RecordView } from '../views.ts'
import { codeView } from './code.ts'
import { repo } from './repos.ts'

const path = () => text(4_096)
const conventionId = () =>
  arg(text(64), { description: 'The convention.', positional: true, value: 'CONVENTION' })
const glob = () =>
  arg(text(1_000), {
    description: 'Which files it is for: src/api/**',
    positional: true,
    value: 'GLOB',
  })

export const anchors = () =>
  supplied(
    z
      .array(
        z.strictObject({
          path: path(),
          symbol: text(1_000).nullable(),
          hash: z
            .string()
            .regex(/^[0-9a-f]{32}$/)
            .nullable(),
        }),
      )
      .max(ANCHORS_MAX),
    'The anchors found, with the hash of the code.',
  )

export const whyRoutes = {
  record: {
    summary: 'Keep a why: a decision, a dead end, a note, tied to code.',
    group: 'why',
    mcp: true,
    input: () =>
      z.strictObject({
        kind: arg(z.enum(RECORD_KINDS), {
          description: 'What it is.',
          positional: true,
          value: 'KIND',
        }),
        // Its length is judged by the domain, which names the limit and the length found.
        summary: arg(z.string().max(100_000), {
          description: 'One line, at most 200 characters.',
          positional: true,
          value: 'SUMMARY',
        }),
        task: arg(text(64).optional(), { description: 'On which task.', value: 'TASK' }),
        replyTo: arg(text(64).optional(), {
          description: 'The record it answers.',
          value: 'RECORD',
        }),
        body: arg(z.string().max(1_000_000).optional(), {
          description: 'The rest of it; - reads it from standard input.',
          value: 'TEXT|-',
        }),
        at: arg(z.array(path()).max(ANCHORS_MAX).default([]), {
          description: 'The code it is about; may be repeated.',
          short: 'a',
          value: 'PATH[:SYMBOL]',
        }),
        supersedes: arg(z.array(text(64)).max(20).default([]), {
          description: 'The record it replaces; may be repeated.',
          value: 'RECORD',
        }),
        receipt: arg(text(64).optional(), {
          description: "The pack it was written from; the session's last one when left out.",
          value: 'RECEIPT',
        }),
        allowMissing: arg(flag(), {
          description: 'Take an anchor whose path or symbol is not there.',
        }),
        repo: repo(),
        workspaceTask: supplied(text(64).nullable(), 'The task whose workspace one stands in.'),
        anchors: anchors(),
      }),
    output: returns<RecordView>(),
  },
  log: {
    summary: 'The records, newest first.',
    group: 'why',
    mcp: true,
    input: () =>
      z.strictObject({
        task: arg(text(64).optional(), { description: 'Only of this task.', value: 'TASK' }),
        kind: arg(z.enum(RECORD_KINDS).optional(), {
          description: 'Only of this kind.',
          value: 'KIND',
        }),
        at: arg(path().optional(), {
          description: 'Only those whose code is, or was, at this path or below this folder.',
          value: 'PATH',
        }),
        all: arg(flag(), { description: 'All of them, superseded ones too.' }),
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
        path: supplied(path().nullable(), '`at` from the root of the repository.'),
        view: codeView(),
      }),
    output: returns<List<LogItem>>(),
  },
  why: {
    summary: 'Why this code is as it is: its records, wherever it stood then.',
    group: 'why',
    mcp: true,
    input: () =>
      z.strictObject({
        target: arg(path(), {
          description: 'A file, a symbol in it, or a line.',
          positional: true,
          value: 'PATH[:SYMBOL|:LINE]',
        }),
        all: arg(flag(), { description: 'Superseded ones too.' }),
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
        path: supplied(path(), 'The file, from the root of the repository.'),
        symbol: supplied(text(1_000).nullable(), 'The symbol asked for, or the one on the line.'),
        view: codeView(),
      }),
    output: returns<List<LogItem>>(),
  },
  'convention.add': {
    summary: 'Add a rule for the files a glob matches.',
    group: 'rules',
    mcp: false,
    input: () =>
      z.strictObject({
        glob: glob(),
        text: arg(text(100_000), { description: 'The rule.', positional: true, value: 'TEXT' }),
        required: arg(flag(), { description: 'Always in a matching pack, whatever the budget.' }),
        repo: repo(),
      }),
    output: returns<ConventionView>(),
  },
  'convention.list': {
    summary: 'The rules, or those for one path.',
    group: 'rules',
    mcp: true,
    input: () =>
      z.strictObject({
        at: arg(path().optional(), {
          description: 'Only those whose glob matches this path.',
          positional: true,
          value: 'PATH',
        }),
        all: arg(flag(), { description: 'Proposed and retired ones too.' }),
        limit: arg(limit(), { description: 'How many at most.' }),
        repo: repo(),
        path: supplied(path().nullable(), '`at` from the root of the repository.'),
      }),
    output: returns<List<ConventionView>>(),
  },
  'convention.retire': {
    summary: 'Take a rule out of packs; it stays readable.',
    group: 'rules',
    mcp: false,
    input: () => z.strictObject({ id: conventionId(), repo: repo() }),
    output: returns<ConventionView>(),
  },
  'convention.propose': {
    summary: 'Propose a rule; a human accepts it.',
    group: 'rules',
    mcp: true,
    input: () =>
      z.strictObject({
        glob: glob(),
        text: arg(text(100_000), { description: 'The rule.', positional: true, value: 'TEXT' }),
        required: arg(flag(), { description: 'Proposed as a required one.' }),
        repo: repo(),
      }),
    output: returns<ConventionView>(),
  },
  'convention.accept': {
    summary: 'Make a proposed rule count.',
    group: 'rules',
    mcp: false,
    input: () => z.strictObject({ id: conventionId(), repo: repo() }),
    output: returns<ConventionView>(),
  },
} as const satisfies Record<string, Route>
