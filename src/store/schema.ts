import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text as plainText,
  primaryKey,
  unique,
} from 'drizzle-orm/pg-core'
import type { ActorKind } from '../domain/actor.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import type { ConventionId, ConventionState } from '../domain/convention.ts'
import type { RecordId, RecordKind } from '../domain/record.ts'
import type { CommitId, Position, RepoId } from '../domain/repo.ts'
import type { TaskId, TaskKind, TaskState } from '../domain/task.ts'
import { bytes, exactText, instant, text } from './column.ts'

/**
 * The tables, once for PGlite and Postgres. `migrations/` follows from this file, except triggers and functions, which
 * are written there by hand. Nothing here needs more than PostgreSQL 15. `jsonb` holds objects only.
 */
export const repoId = () => text('repo').$type<RepoId>().notNull()
export const position = () => bigint('position', { mode: 'number' }).$type<Position>().notNull()
export const inRepo = () => repoId().references(() => repo.id)
export const taskId = () => text('task').$type<TaskId>().notNull()
export const at = () => instant('at').notNull()

export const repo = pgTable('repo', {
  id: text('id').$type<RepoId>().primaryKey(),
  name: text('name').notNull(),
  trunk: text('trunk').notNull(),
  trunkCommit: text('trunk_commit').$type<CommitId>(),
  trunkHome: text('trunk_home'),
  /** The fencing number given out last; rises with every grant of the merge slot. */
  slot: integer('slot').notNull().default(0),
  slotActor: text('slot_actor'),
  slotSession: text('slot_session'),
  /** What it is held for; null: for no single task. */
  slotTask: text('slot_task').$type<TaskId>(),
  /** When it was granted, and when it lapses; null: nobody holds it. */
  slotSince: instant('slot_since'),
  slotExpiresAt: instant('slot_expires_at'),
  /** The newest position taken; whoever takes the next one holds this row until it commits. */
  position: position(),
  createdAt: instant('created_at').notNull(),
})

export const repoRoot = pgTable(
  'repo_root',
  { repo: inRepo(), commit: text('commit').$type<CommitId>().notNull() },
  (t) => [primaryKey({ columns: [t.repo, t.commit] }), index().on(t.commit)],
)

export const repoRemote = pgTable(
  'repo_remote',
  { repo: inRepo(), name: text('name').notNull(), url: text('url').notNull() },
  (t) => [primaryKey({ columns: [t.repo, t.name] }), index().using('hash', t.url)],
)

/** Who ever wrote to a repo. */
export const repoActor = pgTable(
  'repo_actor',
  {
    repo: inRepo(),
    actor: text('actor').notNull(),
    kind: text('kind').$type<ActorKind>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.actor] })],
)

/** A repo's log: one row for each position, so that two facts can never share one. Append-only. */
export const fact = pgTable(
  'fact',
  {
    repo: inRepo(),
    position: position(),
    /** What happened, for example `record.added`; every `purged` row is an audit entry. */
    event: text('event').notNull(),
    /** Id of the task, record or convention it happened to. */
    subject: text('subject').notNull(),
    actor: text('actor').notNull(),
    session: text('session'),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.position] }),
    index('fact_purged').on(t.repo, t.position).where(sql`event = 'purged'`),
  ],
)

export const task = pgTable(
  'task',
  {
    repo: inRepo(),
    id: text('id').$type<TaskId>().notNull(),
    goal: text('goal').notNull(),
    kind: text('kind').$type<TaskKind>().notNull(),
    state: text('state').$type<TaskState>().notNull(),
    owner: text('owner'),
    ownerSession: text('owner_session'),
    generation: integer('generation').notNull(),
    leaseExpiresAt: instant('lease_expires_at'),
    base: text('base').$type<CommitId>(),
    head: text('head').$type<CommitId>(),
    change: text('change'),
    parent: text('parent').$type<TaskId>(),
    flags: plainText('flags').array().notNull(),
    conflicted: plainText('conflicted').array().notNull().default([]),
    approval: bigint('approval', { mode: 'number' }).$type<Position>(),
    approvedBy: text('approved_by'),
    approvalVoid: text('approval_void'),
    offeredTo: text('offered_to'),
    landing: integer('landing'),
    landed: text('landed').$type<CommitId>(),
    /** Where it was created. */
    position: position(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.id] }),
    foreignKey({ columns: [t.repo, t.parent], foreignColumns: [t.repo, t.id] }),
    index().on(t.repo, t.position),
  ],
)

/** Every generation of a task ever granted. Append-only. */
export const claim = pgTable(
  'claim',
  {
    repo: repoId(),
    task: taskId(),
    generation: integer('generation').notNull(),
    actor: text('actor').notNull(),
    session: text('session'),
    at: at(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.task, t.generation] }), ofTask(t)],
)

export const checkpoint = pgTable(
  'checkpoint',
  {
    repo: repoId(),
    position: position(),
    task: taskId(),
    generation: integer('generation').notNull(),
    commit: text('commit').$type<CommitId>().notNull(),
    change: text('change').notNull(),
    base: text('base').$type<CommitId>(),
    message: text('message').notNull(),
    patch: text('patch').notNull(),
    tree: text('tree'),
    content: jsonb('content').$type<CheckpointContent>().notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.position] }),
    index().on(t.repo, t.task, t.position),
    ofTask(t),
  ],
)

/** `conflicts` is left out by rows of before there were merges. */
export type CheckpointContent = Pick<Checkpoint, 'files' | 'symbols' | 'incomplete'> & {
  readonly conflicts?: readonly string[]
}

/** Append-only: only `av_purge_record` changes a row, and only to the purge mark. */
export const record = pgTable(
  'record',
  {
    repo: repoId(),
    id: text('id').$type<RecordId>().notNull(),
    position: position(),
    task: taskId(),
    kind: text('kind').$type<RecordKind>().notNull(),
    summary: text('summary').notNull(),
    body: text('body').notNull(),
    replyTo: text('reply_to').$type<RecordId>(),
    receipt: text('receipt'),
    author: text('author').notNull(),
    session: text('session'),
    redacted: integer('redacted').notNull(),
    purged: boolean('purged').notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.id] }),
    unique().on(t.repo, t.position),
    index().on(t.repo, t.task, t.position),
    ofTask(t),
    foreignKey({ columns: [t.repo, t.replyTo], foreignColumns: [t.repo, t.id] }),
  ],
)

/** Append-only, as its record. */
export const recordAnchor = pgTable(
  'record_anchor',
  {
    repo: repoId(),
    record: text('record').$type<RecordId>().notNull(),
    ordinal: integer('ordinal').notNull(),
    path: exactText('path').notNull(),
    symbol: exactText('symbol'),
    hash: text('hash'),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.record, t.ordinal] }),
    foreignKey({ columns: [t.repo, t.record], foreignColumns: [record.repo, record.id] }),
    // A path may be longer than an index entry can be.
    index('record_anchor_path').on(t.repo, sql`left(${t.path}, 400)`),
  ],
)

/** Which record took the place of which. Append-only. */
export const supersession = pgTable(
  'supersession',
  {
    repo: repoId(),
    record: text('record').$type<RecordId>().notNull(),
    ordinal: integer('ordinal').notNull(),
    superseded: text('superseded').$type<RecordId>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.record, t.superseded] }),
    foreignKey({ columns: [t.repo, t.record], foreignColumns: [record.repo, record.id] }),
    foreignKey({
      name: 'supersession_superseded_fk',
      columns: [t.repo, t.superseded],
      foreignColumns: [record.repo, record.id],
    }),
    index().on(t.repo, t.superseded),
  ],
)

export const convention = pgTable(
  'convention',
  {
    repo: inRepo(),
    id: text('id').$type<ConventionId>().notNull(),
    glob: text('glob').notNull(),
    text: text('text').notNull(),
    required: boolean('required').notNull(),
    state: text('state').$type<ConventionState>().notNull(),
    author: text('author').notNull(),
    acceptedBy: text('accepted_by'),
    createdPosition: bigint('created_position', { mode: 'number' }).$type<Position>().notNull(),
    /** Of its newest change. */
    position: position(),
    at: at(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.id] }), unique().on(t.repo, t.createdPosition)],
)

export const receipt = pgTable(
  'receipt',
  {
    repo: repoId(),
    id: text('id').notNull(),
    task: taskId(),
    actor: text('actor').notNull(),
    session: text('session'),
    /**
     * JSON in its exact bytes: `jsonb` would reorder keys and refuse characters that text may hold
     * escaped. Compressed by zstd, but for those of before 0006.
     */
    manifest: bytes('manifest').notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.id] }),
    ofTask(t),
    index().on(t.repo, t.task, t.at),
    index().on(t.repo, t.session, t.at),
  ],
)

/** The newest receipt of each session on each task, which may have been made, byte for byte, for another one. */
export const lastReceipt = pgTable(
  'last_receipt',
  {
    repo: repoId(),
    task: taskId(),
    actor: text('actor').notNull(),
    session: text('session').notNull(),
    receipt: text('receipt').notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.task, t.actor, t.session] }),
    foreignKey({ columns: [t.repo, t.receipt], foreignColumns: [receipt.repo, receipt.id] }),
  ],
)

/** One row: how far `av_now()` is from the server's clock. Zero, but for tests. */
export const clockShift = pgTable(
  'clock_shift',
  { id: integer('id').primaryKey(), millis: bigint('millis', { mode: 'number' }).notNull() },
  (t) => [check('clock_shift_one_row', sql`${t.id} = 1`)],
)

export function ofTask(t: { readonly repo: AnyPgColumn; readonly task: AnyPgColumn }) {
  return foreignKey({ columns: [t.repo, t.task], foreignColumns: [task.repo, task.id] })
}
