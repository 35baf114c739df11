import tables from '../../migrations/0000_tables.sql' with { type: 'text' }
import guards from '../../migrations/0001_guards.sql' with { type: 'text' }
import review from '../../migrations/0002_review.sql' with { type: 'text' }
import reviewGuards from '../../migrations/0003_review_guards.sql' with { type: 'text' }
import sessionLedger from '../../migrations/0004_session_ledger.sql' with { type: 'text' }
import vectors from '../../migrations/0005_vectors.sql' with { type: 'text' }
import packedReceipts from '../../migrations/0006_packed_receipts.sql' with { type: 'text' }
import type { Migration } from './migrate.ts'

/** The folder `migrations/`, in its order, embedded. Only ever added to; a test compares the two. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0000_tables', sql: tables },
  { name: '0001_guards', sql: guards },
  { name: '0002_review', sql: review },
  { name: '0003_review_guards', sql: reviewGuards },
  { name: '0004_session_ledger', sql: sessionLedger },
  { name: '0005_vectors', sql: vectors },
  { name: '0006_packed_receipts', sql: packedReceipts },
]
