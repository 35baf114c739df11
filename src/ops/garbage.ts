import { edenGC, fullGC, memoryUsage } from 'bun:jsc'

/**
 * JavaScriptCore lets a heap double before it collects, and counts the database's memory to it: left
 * alone, a daemon would hold some 300 MB of what packs left behind. What is new in the heap shows in no
 * figure of its own before a collection; it does in what the process takes.
 */
const MUCH_BYTES = 30_000_000
/** Of what a quick collection leaves: then all is looked at. */
const TOO_MUCH_BYTES = 80_000_000

let keptBytes = Number.POSITIVE_INFINITY
let quickBytes = Number.POSITIVE_INFINITY

/** Collects garbage where much has come by now: some milliseconds once in a few packs, seldom more. */
export function giveBackMuch(): void {
  const bytes = memoryUsage().current
  // What was collected is given back to the system bit by bit.
  keptBytes = Math.min(keptBytes, bytes)
  quickBytes = Math.min(quickBytes, bytes)
  if (bytes - keptBytes > TOO_MUCH_BYTES) giveBack()
  else if (bytes - quickBytes > MUCH_BYTES) {
    edenGC()
    quickBytes = memoryUsage().current
  }
}

/** Collects garbage at once, where much was just made: while a store is read batch by batch, say. */
export function giveBack(): void {
  fullGC()
  keptBytes = memoryUsage().current
  quickBytes = keptBytes
}
