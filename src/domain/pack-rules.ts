import type { Convention } from './convention.ts'
import { type PackItem, sortable, tierTexts } from './pack-item.ts'
import { block, codeLine, proseLine, quotedLines } from './sanitise.ts'

/** An active convention whose glob matches one of the task's files. */
export type PackConvention = Pick<Convention, 'id' | 'glob' | 'text' | 'required' | 'position'>

/** Required ones first, then the oldest: what a repo has long lived by. */
export function conventionItems(conventions: readonly PackConvention[]): PackItem[] {
  const order = [...conventions].sort(
    (a, b) =>
      Number(b.required) - Number(a.required) || a.position - b.position || (a.id < b.id ? -1 : 1),
  )
  return order.map((convention, at) => ({
    ...{ id: convention.id, section: 'conventions', kind: 'rule' },
    ranks: { [convention.required ? 'required' : 'matched']: at + 1 },
    ...{ factor: 1_000, required: convention.required, parent: null, place: null },
    order: sortable(at),
    texts: conventionTexts(convention),
  }))
}

/** A required rule is shown whole; it is stored within 4 KiB. */
const REQUIRED_CHARS = 4_096
const FULL_CHARS = 1_600

function conventionTexts({ id, glob, text, required }: PackConvention) {
  const head = `- ${id} ${codeLine(glob, 120)}`
  const lines = quotedLines(text, required ? REQUIRED_CHARS : FULL_CHARS)
  const first = text.trim().split('\n', 1)[0]!
  const summary = `${head}: ${proseLine(first, 160)}`
  const isWhole = proseLine(text, required ? REQUIRED_CHARS : FULL_CHARS) === proseLine(first, 160)
  return tierTexts(
    block([head]),
    block([summary]),
    isWhole ? block([summary]) : block([`${head}:`, ...lines]),
  )
}
