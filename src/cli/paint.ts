import type { TaskState } from '../domain/task.ts'

/** Colours, used so that nothing needs them: without them the same words stand there. */
export type Paint = {
  readonly dim: (text: string) => string
  readonly state: (state: TaskState) => string
}

export function paintFor(hasColor: boolean): Paint {
  const sgr = (code: number, text: string) => (hasColor ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    dim: (text) => sgr(2, text),
    state: (state) => sgr(STATE_COLORS[state], state),
  }
}

const STATE_COLORS = {
  open: 32,
  in_review: 36,
  handed_off: 33,
  conflicted: 31,
  merged: 35,
  abandoned: 2,
  answered: 2,
  closed: 2,
} as const satisfies Record<TaskState, number>
