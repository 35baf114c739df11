import { type PackItem, tierTexts } from './pack-item.ts'
import { block, codeLine, proseLine, quotedLines } from './sanitise.ts'

/** What the Task section says of the task a pack is for. Plain facts; nothing that a clock moves. */
export type PackTask = {
  readonly id: string
  readonly goal: string
  readonly kind: string
  readonly state: string
  readonly owner: string | null
  /** A commit id, or null before the first commit. */
  readonly base: string | null
  readonly checkpoint: {
    readonly commit: string
    readonly files: number
    readonly message: string
  } | null
  readonly flags: readonly string[]
  /** The current verdict in words (`approved by ana`), or null. */
  readonly verdict: string | null
  /** Names of checks whose last report on the head failed. */
  readonly failing: readonly string[]
  readonly lastJournal: string | null
  /** The last hand-back: what was done, remains, is broken, is open. */
  readonly handoff: string | null
}

/** Goal → + state line → + last hand-back. A long goal is shown in full at the richest tier only. */
export function taskItems(task: PackTask): PackItem[] {
  const goal = (charsMax: number) => `- goal: ${proseLine(task.goal, charsMax)}`
  const state = `- ${stateLine(task)}`
  const back = [...handBack(task), ...journal(task)]
  const whole = wholeGoal(task.goal)
  return [
    {
      ...{ id: task.id, section: 'task', kind: 'goal', ranks: { task: 1 }, factor: 1_000 },
      ...{ required: false, parent: null, place: null, order: task.id },
      texts: tierTexts(
        block([goal(GOAL_HANDLE_CHARS)]),
        block([goal(GOAL_SUMMARY_CHARS), state]),
        block([...whole, state, ...back]),
      ),
    },
  ]
}

const GOAL_HANDLE_CHARS = 160
const GOAL_SUMMARY_CHARS = 240
const GOAL_FULL_CHARS = 1_200
const HAND_BACK_CHARS = 700
const COMMIT_CHARS = 12

function wholeGoal(goal: string): string[] {
  const short = proseLine(goal, GOAL_SUMMARY_CHARS)
  const isWhole = proseLine(goal, GOAL_SUMMARY_CHARS + 1) === short && !goal.trim().includes('\n')
  return isWhole ? [`- goal: ${short}`] : ['- goal:', ...quotedLines(goal, GOAL_FULL_CHARS)]
}

function stateLine(task: PackTask): string {
  const parts = [
    task.kind === 'work' ? task.state : `${task.state} ${task.kind}`,
    task.owner === null ? 'nobody owns it' : `owner ${codeLine(task.owner, 64)}`,
    task.base === null ? 'no base commit' : `base ${codeLine(task.base.slice(0, COMMIT_CHARS))}`,
  ]
  const { checkpoint } = task
  if (checkpoint === null) parts.push('no checkpoint yet')
  else {
    const message = proseLine(checkpoint.message, 80)
    const files = `${checkpoint.files} ${checkpoint.files === 1 ? 'file' : 'files'}`
    parts.push(`last checkpoint ${files}${message === '' ? '' : `: ${message}`}`)
  }
  for (const flag of task.flags) parts.push(codeLine(flag, 40))
  if (task.verdict !== null) parts.push(proseLine(task.verdict, 120))
  if (task.failing.length > 0) {
    parts.push(`failing: ${codeLine(task.failing.slice(0, 10).join(', '), 160)}`)
  }
  return parts.join('; ')
}

function handBack({ handoff }: PackTask): string[] {
  return handoff === null ? [] : ['- last hand-back:', ...quotedLines(handoff, HAND_BACK_CHARS)]
}

function journal({ lastJournal }: PackTask): string[] {
  return lastJournal === null ? [] : [`- journal: ${proseLine(lastJournal)}`]
}
