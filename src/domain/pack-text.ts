import { SECTIONS, type SectionName } from './budget.ts'
import { compareBytes } from './order.ts'
import type { PackItem } from './pack-item.ts'
import { block, codeLine } from './sanitise.ts'
import type { Tier } from './section-fill.ts'

/**
 * The lines around a pack's items. Each is a block, so that what they cost is known before it is
 * known what they say: the receipt's digits and the counts of the last line are reserved at their
 * widest.
 */
export function frameOf(
  task: string,
  degraded: readonly string[],
  budget: number,
  countTokens: CountTokens,
  receiptDigits: number,
): Frame {
  const notes = [...degraded]
    .sort(compareBytes)
    .map((what) => block([`degraded: ${codeLine(what, 40)}`]))
  const brief = budget < BRIEF_BELOW
  // A token a digit is the worst there is, and one for the line end that then stands alone.
  const receipt = countTokens(block(['receipt: rcp:'])) + receiptDigits + 1
  const last = [leftOut(WIDEST, brief), nothingShown(WIDEST, budget), nothingShown(NONE, budget)]
  const widestLast = Math.max(...last.map(countTokens))
  const rest = notes.reduce((sum, text) => sum + countTokens(text), receipt + widestLast)
  const long = block([`# av pack ${codeLine(task, 80)}`])
  const room = (budget - rest) * TITLE_SHARE
  const title = countTokens(long) <= room ? long : block(['# av pack'])
  return { title, notes, brief, reserved: rest + countTokens(title) }
}

export type CountTokens = (text: string) => number

export type Frame = {
  readonly title: string
  /** `degraded: …` lines. */
  readonly notes: readonly string[]
  /** The last line gives one sum only. */
  readonly brief: boolean
  /** Tokens of all of it, the last line included, at most. */
  readonly reserved: number
}

export const HEADINGS: Readonly<Record<SectionName, string>> = {
  task: '## Task\n',
  map: '## Map\n',
  history: '## Decisions & dead ends\n',
  code: '## Code\n',
  conventions: '## Conventions\n',
  live: '## Live work\n',
}

/** `shown`: in the order of the text. `sentBefore` and `lastLine`: a whole line, or ''. */
export function packText(
  frame: Frame,
  receipt: string,
  sentBefore: string,
  shown: readonly ShownItem[],
  lastLine: string,
): string {
  let text = frame.title + block([`receipt: ${receipt}`]) + frame.notes.join('') + sentBefore
  for (const name of SECTIONS) {
    const inside = shown.filter(({ item }) => item.section === name)
    if (inside.length === 0) continue
    text += HEADINGS[name]
    for (const { item, tier } of inside) text += textAt(item, tier)
  }
  return text + lastLine
}

export type ShownItem = { readonly item: PackItem; readonly tier: Tier }

export function textAt(item: PackItem, tier: Tier): string {
  return item.texts.find((text) => text.tier === tier)!.text
}

/** How many of each kind are not shown. */
export type LeftOut = Readonly<Record<'files' | 'symbols' | 'records' | 'others', number>>

/** What was left out and how to see it; '' when nothing was. */
export function leftOut(counts: LeftOut, brief: boolean): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  if (sum === 0) return ''
  if (brief) return block([`left out: ${sum} (${SHOW})`])
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  const texts = parts.map(([noun, n]) => `${n} ${n === 1 ? noun.slice(0, -1) : noun}`)
  return block([`left out: ${texts.join(', ')} (${SHOW})`])
}

/** Why a pack holds nothing but its task. */
export function nothingShown(counts: LeftOut, budget: number): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  return block([
    sum === 0
      ? 'nothing to show: nothing indexed or recorded matches the goal'
      : `nothing shown: none of ${sum} candidates fits ${budget} tokens (${SHOW})`,
  ])
}

/** The same, where there is no room to refer back to it. Shorter than what is reserved for the last line. */
export const NOTHING_NEW = block(['nothing to show: all of it was sent before'])

/**
 * Says by how much a pack that its required conventions fill is over its budget, this line included:
 * the number is part of what it counts, so it is looked for until it agrees with itself.
 */
export function overLine(tokens: number, budget: number, countTokens: CountTokens): string {
  const line = (over: number) =>
    block([`over budget: ${over} tokens more than ${budget}, for required conventions`])
  let over = tokens - budget
  for (let round = 0; round < 4; round++) {
    const exact = tokens + countTokens(line(over)) - budget
    if (exact === over) break
    over = exact
  }
  return line(over)
}

const SHOW = 'av pack --explain'
const BRIEF_BELOW = 200
/** The task's id may take so much of what is left for it and the sections. */
const TITLE_SHARE = 0.5
const NONE: LeftOut = { files: 0, symbols: 0, records: 0, others: 0 }
const WIDEST: LeftOut = { files: 99_999, symbols: 99_999, records: 99_999, others: 99_999 }
