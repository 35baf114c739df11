import type { Paint } from '../paint.ts'

/** Where a result is shown. */
export type Page = {
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  /** Standard output is a terminal: nothing may steer it. */
  readonly isTty: boolean
  /** How wide it is; null where there is no terminal, and nothing is cut. */
  readonly columns: number | null
  /** The result only. */
  readonly isQuiet: boolean
  readonly paint: Paint
}

export type Rendered = {
  /** For standard output. */
  readonly out: string
  /** Asked for as well, but not part of it: for standard error. */
  readonly beside?: string
  /** For standard error, unless only the result is wanted. */
  readonly talk?: string
  readonly warnings?: readonly string[]
}
