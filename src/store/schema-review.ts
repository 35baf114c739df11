import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  text as plainText,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { Landing, LandingKind } from '../domain/landing.ts'
import type { RecordId } from '../domain/record.ts'
import type { CommitId, Position } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import type { VerdictResult } from '../domain/verdict.ts'
import { bytes, text } from './column.ts'
import { at, inRepo, ofTask, position, record, repoId, taskId } from './schema.ts'

/** Append-only. */
export const verdict = pgTable(
  'verdict',
  {
    repo: repoId(),
    position: position(),
    task: taskId(),
    result: text('result').$type<VerdictResult>().notNull(),
    base: text('base').$type<CommitId>(),
    tip: text('tip').$type<CommitId>().notNull(),
    tree: text('tree').notNull(),
    patch: text('patch').notNull(),
    trunk: text('trunk').$type<CommitId>(),
    isSelf: boolean('is_self').notNull(),
    carriedFrom: bigint('carried_from', { mode: 'number' }).$type<Position>(),
    carriedOver: plainText('carried_over').array().notNull(),
    record: text('record').$type<RecordId>(),
    actor: text('actor').notNull(),
    session: text('session'),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.position] }),
    index().on(t.repo, t.task, t.position),
    ofTask(t),
    foreignKey({ columns: [t.repo, t.record], foreignColumns: [record.repo, record.id] }),
  ],
)

/** Every move of trunk by av: written before it is made, closed after. */
export const landing = pgTable(
  'landing',
  {
    repo: repoId(),
    slot: integer('slot').notNull(),
    task: taskId(),
    kind: text('kind').$type<LandingKind>().notNull(),
    old: text('old').$type<CommitId>(),
    new: text('new').$type<CommitId>(),
    patch: text('patch').notNull(),
    verdict: bigint('verdict', { mode: 'number' }).$type<Position>(),
    files: plainText('files').array().notNull(),
    state: text('state').$type<Landing['state']>().notNull(),
    position: bigint('position', { mode: 'number' }).$type<Position>(),
    actor: text('actor').notNull(),
    session: text('session'),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.slot] }),
    ofTask(t),
    index().on(t.repo, t.task, t.slot),
    uniqueIndex('landing_one_open').on(t.repo).where(sql`state = 'open'`),
  ],
)

/** Every move of trunk, by av or outside of it, in order. Append-only. */
export const trunkMove = pgTable(
  'trunk_move',
  {
    repo: inRepo(),
    position: position(),
    kind: text('kind').$type<Landing['kind'] | 'outside'>().notNull(),
    old: text('old').$type<CommitId>(),
    new: text('new').$type<CommitId>(),
    /** What trunk was before is no part of what it is now. */
    forced: boolean('forced').notNull(),
    task: text('task').$type<TaskId>(),
    actor: text('actor').notNull(),
    at: at(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.position] })],
)

/** Threads that were closed. Append-only. */
export const threadResolution = pgTable(
  'thread_resolution',
  {
    repo: repoId(),
    record: text('record').$type<RecordId>().notNull(),
    position: position(),
    actor: text('actor').notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.record] }),
    foreignKey({ columns: [t.repo, t.record], foreignColumns: [record.repo, record.id] }),
  ],
)

/** Append-only. */
export const attestation = pgTable(
  'attestation',
  {
    repo: repoId(),
    position: position(),
    task: taskId(),
    commit: text('commit').$type<CommitId>().notNull(),
    name: text('name').notNull(),
    command: text('command').notNull(),
    exitCode: integer('exit_code').notNull(),
    log: text('log').notNull(),
    dirty: boolean('dirty').notNull(),
    actor: text('actor').notNull(),
    session: text('session'),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.position] }),
    index().on(t.repo, t.task, t.position),
    ofTask(t),
  ],
)

/** A task's commits on their way to other machines; complete when all its parts are there. */
export const bundle = pgTable(
  'bundle',
  {
    repo: repoId(),
    /** SHA-256 of its bytes. */
    id: text('id').notNull(),
    task: taskId(),
    base: text('base').$type<CommitId>(),
    tip: text('tip').$type<CommitId>().notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    parts: integer('parts').notNull(),
    isComplete: boolean('is_complete').notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.id] }),
    index().on(t.repo, t.tip),
    index().on(t.repo, t.task),
    ofTask(t),
  ],
)

export const bundlePart = pgTable(
  'bundle_part',
  {
    repo: repoId(),
    bundle: text('bundle').notNull(),
    ordinal: integer('ordinal').notNull(),
    data: bytes('data').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.bundle, t.ordinal] }),
    foreignKey({
      columns: [t.repo, t.bundle],
      foreignColumns: [bundle.repo, bundle.id],
    }).onDelete('cascade'),
  ],
)
