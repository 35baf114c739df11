import { customType } from 'drizzle-orm/pg-core'
import type { Instant } from '../domain/repo.ts'

/**
 * Text that compares and sorts by its UTF-8 bytes, whatever the cluster's locale. PGlite drops a byte order mark from
 * the start of every text it reads; so that all databases give back the same, it is dropped when it is written.
 */
export const text = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  toDriver: (value) => value.replace(/^\ufeff+/, ''),
})

/** The same, kept to the last character: for what is only ever read inside JSON. */
export const exactText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
})

/** A moment of the database's clock; read in UTC with milliseconds. */
export const instant = customType<{ data: Instant; driverData: string }>({
  dataType: () => 'timestamp with time zone',
  fromDriver: readInstant,
})

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
})

/** `2026-11-30 19:50:09.381123+00`, as Postgres writes it with `DateStyle` ISO, to RFC 3339 in UTC. */
export function readInstant(written: string): Instant {
  return new Date(written).toISOString() as Instant
}
