import type { IndexDifference } from '../domain/index-check.ts'

export type ReindexView = {
  /** With `--check`: compared, and nothing changed. */
  readonly checked: boolean
  /** Rows, listings and private git indexes that were deleted before anything was built. */
  readonly dropped: number
  /** Contents read from the code at hand: of the folder one stands in, the checkout, every workspace here. */
  readonly files: number
  readonly bytes: number
  /** In memory now, of the folder one stands in. */
  readonly symbols: number
  readonly records: number
  readonly leftOut: number
  /** How many contents a grammar failed on, which are searched as text; up to 50 of their paths. */
  readonly unparsable: number
  readonly asText: readonly string[]
  /** With `--check`: contents that are read when they are first needed. */
  readonly pending: number
  /** Contents and listings stored that no code here has: of other times and machines, not compared. */
  readonly unseen: number
  /** Empty: all as it should be. */
  readonly differences: readonly IndexDifference[]
}
