import type { Anchor } from './anchor.ts'

/** What became of anchored code since it was recorded. */
export const MARKS = {
  changed: 'changed since recorded',
  gone: 'gone since recorded',
  missing: 'not found when recorded',
  /** It stands unchanged at another place (`anchorIn` tells where). */
  moved: 'moved since recorded',
} as const
export type Mark = keyof typeof MARKS

/**
 * Judges an anchor against the code at hand.
 * @param now the hash of what stands there; null: nothing does; undefined: it cannot be told here.
 */
export function markOf(anchor: Anchor, now: string | null | undefined): Mark | null {
  if (now === undefined) return null
  if (anchor.hash === null) return now === null ? 'missing' : null
  if (now === null) return 'gone'
  return now === anchor.hash ? null : 'changed'
}
