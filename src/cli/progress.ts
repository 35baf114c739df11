import { cutTo } from './columns.ts'
import type { Terminal } from './terminal.ts'
import { prose } from './visible.ts'

/** One line on standard error that says what takes long; gone when the command ends. */
export type Progress = {
  /** @param total 0: not known, nothing is counted */
  readonly report: (phase: string, done: number, total: number) => void
  /** Takes the line away; the next report draws it again. */
  readonly clear: () => void
  /** Takes it away for good. */
  readonly end: () => void
}

/** A command that takes no longer shows nothing. */
const QUIET_MS = 1_000
/** Between two drawings of one phase, for the eye's sake. */
const REDRAW_MS = 100

export function drawProgress(terminal: Terminal): Progress {
  let latest: { readonly phase: string; readonly text: string } | null = null
  let drawn: { readonly phase: string; readonly atMs: number } | null = null
  let isDue = false

  const draw = () => {
    if (latest === null) return
    const line = cutTo((terminal.columns ?? 80) - 1, latest.text)
    terminal.err(`${ERASE_LINE}${line}`)
    drawn = { phase: latest.phase, atMs: terminal.now() }
  }
  const clear = () => {
    if (drawn !== null) terminal.err(ERASE_LINE)
    drawn = null
    // Else the timer would draw it again, over what was cleared for.
    latest = null
  }
  const callOff = terminal.later(QUIET_MS, () => {
    isDue = true
    draw()
  })
  return {
    report: (phase, done, total) => {
      latest = { phase, text: total > 0 ? `${prose(phase)} ${done}/${total}` : prose(phase) }
      const isFresh = drawn?.phase === phase && terminal.now() - drawn.atMs < REDRAW_MS
      if (isDue && !isFresh) draw()
    },
    clear,
    end: () => {
      callOff()
      isDue = false
      clear()
    },
  }
}

const ERASE_LINE = '\r\x1b[K'
