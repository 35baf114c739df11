import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import type { BlobId, ParseStatus } from '../domain/code.ts'
import type { TreeKey } from '../domain/code-view.ts'
import type { VectorKey } from '../domain/vector-key.ts'
import { bytes, instant, text } from './column.ts'
import { inRepo } from './schema.ts'

/** Derived: what a client found in a file, as zstd-compressed JSON. */
export const fileIndex = pgTable(
  'file_index',
  {
    repo: inRepo(),
    version: text('version').notNull(),
    blob: text('blob').$type<BlobId>().notNull(),
    language: text('language').notNull(),
    status: text('status').$type<ParseStatus>().notNull(),
    doc: bytes('doc').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.version, t.blob] }),
    index('file_index_unparsable').on(t.repo, t.version, t.blob).where(sql`status = 'unparsable'`),
  ],
)

/** Derived: the files of a listed tree, as zstd-compressed JSON. */
export const tree = pgTable(
  'tree',
  {
    repo: inRepo(),
    key: text('key').$type<TreeKey>().notNull(),
    doc: bytes('doc').notNull(),
    touchedAt: instant('touched_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.key] })],
)

/** Derived: what an embedder behind an address said of a text, int8; empty where it said nothing. */
export const vector = pgTable(
  'vector',
  {
    repo: inRepo(),
    embedder: text('embedder').notNull(),
    key: text('key').$type<VectorKey>().notNull(),
    int8s: bytes('int8s').notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.embedder, t.key] })],
)
