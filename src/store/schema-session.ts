import { foreignKey, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import type { Tier } from '../domain/section-fill.ts'
import { instant, text } from './column.ts'
import { at, inRepo, repoId } from './schema.ts'

/** A conversation that packs were delivered to, or that lost what it had read. */
export const readingSession = pgTable(
  'reading_session',
  {
    repo: inRepo(),
    session: text('session').notNull(),
    /** Rises whenever it loses its context: what was sent before does not count any more. */
    resets: integer('resets').notNull(),
    /** Deliveries noted so far. */
    deliveries: integer('deliveries').notNull(),
    seenAt: instant('seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.session] }), index().on(t.seenAt)],
)

/** What a reader, an actor of a session, has of an item: the richest tier of the newest content. No text. */
export const sentItem = pgTable(
  'sent_item',
  {
    repo: repoId(),
    session: text('session').notNull(),
    actor: text('actor').notNull(),
    item: text('item').notNull(),
    tier: text('tier').$type<Tier>().notNull(),
    hash: text('hash').notNull(),
    /** With which of the session's deliveries it came last. */
    delivery: integer('delivery').notNull(),
    receipt: text('receipt').notNull(),
    at: at(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.session, t.actor, t.item] }),
    foreignKey({
      columns: [t.repo, t.session],
      foreignColumns: [readingSession.repo, readingSession.session],
    }).onDelete('cascade'),
  ],
)
