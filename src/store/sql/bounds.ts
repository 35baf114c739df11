import type { Page } from '../store.ts'

/** No list is longer, whoever asks. */
export const LIST_MAX = 100_000

export function bounded(limit: number, max: number = LIST_MAX): number {
  return Math.max(0, Math.min(Math.trunc(limit), max))
}

/** One more than the limit was asked for, to know whether there is more. */
export function pageOf<T>(rows: readonly T[], limit: number): Page<T> {
  return { items: rows.slice(0, bounded(limit)), more: rows.length > bounded(limit) }
}
