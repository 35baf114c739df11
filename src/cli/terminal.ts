/**
 * The terminal as the command line sees it. `main.ts` gives the real one; a test gives one that
 * writes down what it is told.
 */
export type Terminal = {
  /**
   * Writes to standard output. Resolves when the text was handed on: true; and also when nobody
   * reads it any more, since a broken pipe ends quietly: false.
   */
  readonly out: (text: string) => Promise<boolean>
  /** Writes to standard error, in the order called. */
  readonly err: (text: string) => void
  readonly outIsTty: boolean
  readonly errIsTty: boolean
  /** How wide the terminal is; null where there is none. */
  readonly columns: number | null
  /** Standard output takes colours: it is a terminal, and NO_COLOR is not set. */
  readonly color: boolean
  /** The folder the command was started in, absolute. */
  readonly cwd: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Runs something once, after a while; what it returns calls that off. */
  readonly later: (delayMs: number, run: () => void) => () => void
  /** Standard input up to its end, or its first `bytesMax` + 1 bytes when there are more. */
  readonly readStdin: (bytesMax: number) => Promise<Uint8Array>
  /** Shows a question on standard error and returns the line typed; null when nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | null
}
