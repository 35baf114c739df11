import { edenGC, fullGC, memoryUsage } from 'bun:jsc'

/**
 * JavaScriptCore lets a heap double before it collects, and counts the database's memory to it: left
 * alone, a daemon would hold some 300 MB of what packs left behind. What is new in the heap shows in no
 * figure of its own before a collection; it does in what the process takes.
 */
type Limits = {
  /** Above what the last collection left: what is new is looked at, which takes some milliseconds. */
  readonly quickBytes: number
  /** Above what the last full collection left: all is looked at. */
  readonly fullBytes: number
}

/** While somebody waits; reached only where packs are asked for one after another. */
const ASKED: Limits = { quickBytes: 30_000_000, fullBytes: 80_000_000 }
const IDLE: Limits = { quickBytes: 5_000_000, fullBytes: 40_000_000 }

let keptBytes = Number.POSITIVE_INFINITY
let quickBytes = Number.POSITIVE_INFINITY

/** Collects garbage where so much has come that the next pack must not add to it. */
export function giveBackMuch(): void {
  giveBackAbove(ASKED)
}

/** Collects garbage while nobody waits, so that the next pack need not. */
export function giveBackIdle(): void {
  giveBackAbove(IDLE)
}

function giveBackAbove(limits: Limits): void {
  const bytes = memoryUsage().current
  // What was collected is given back to the system bit by bit.
  keptBytes = Math.min(keptBytes, bytes)
  quickBytes = Math.min(quickBytes, bytes)
  if (bytes - keptBytes > limits.fullBytes) giveBack()
  else if (bytes - quickBytes > limits.quickBytes) {
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
