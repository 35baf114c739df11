import { fullGC, heapSize } from 'bun:jsc'

/**
 * JavaScriptCore lets a heap double before it collects all of it, and counts the database's memory to it:
 * left alone, a daemon would hold some 300 MB of what packs left behind.
 */
const MUCH_BYTES = 80_000_000

let keptBytes = Number.POSITIVE_INFINITY

/** Collects garbage where there is much of it by now: some tens of milliseconds, once in some ten packs. */
export function giveBackMuch(): void {
  const bytes = heapSize()
  if (bytes - keptBytes > MUCH_BYTES) giveBack()
  else keptBytes = Math.min(keptBytes, bytes)
}

/** Collects garbage at once, where much was just made: while a store is read batch by batch, say. */
export function giveBack(): void {
  fullGC()
  keptBytes = heapSize()
}
