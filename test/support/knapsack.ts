import { type BudgetItem, tierValue } from '../../src/domain/section-fill.ts'

/**
 * The most value a section can show in `room` tokens, its heading not among them, by an exact dynamic
 * programme of one token a step: each item at one of its tiers or not at all, an item only together
 * with its parent, and those of `forced` in any case. -Infinity when these do not fit.
 */
export function optimum(
  items: readonly BudgetItem[],
  room: number,
  forced: ReadonlySet<string> = new Set(),
): number {
  const ids = new Set(items.map(({ id }) => id))
  const isUnder = ({ parent }: BudgetItem) => (parent !== null && ids.has(parent) ? parent : null)
  const under = Map.groupBy(items, isUnder)
  const decided = (item: BudgetItem, before: Values): Values => {
    let shown = withItem(before, item)
    for (const child of under.get(item.id) ?? []) shown = decided(child, shown)
    return forced.has(item.id) ? shown : better(before, shown)
  }
  let best: Values = new Float64Array(Math.max(0, room + 1))
  for (const item of under.get(null) ?? []) best = decided(item, best)
  return best.at(-1) ?? Number.NEGATIVE_INFINITY
}

/** By tokens: the most value in that many. */
type Values = Float64Array<ArrayBuffer>

function withItem(before: Values, item: BudgetItem): Values {
  const after = new Float64Array(before.length).fill(Number.NEGATIVE_INFINITY)
  for (const [level, { tokens }] of item.costs.entries()) {
    const value = tierValue(item, level)
    for (let at = tokens; at < before.length; at++) {
      after[at] = Math.max(after[at]!, before[at - tokens]! + value)
    }
  }
  return after
}

function better(a: Values, b: Values): Values {
  return a.map((value, at) => Math.max(value, b[at]!))
}

/** The same by trying every choice: for a handful of items, to judge the programme itself. */
export function optimumByTrying(
  items: readonly BudgetItem[],
  room: number,
  forced: ReadonlySet<string> = new Set(),
): number {
  let most = Number.NEGATIVE_INFINITY
  const shown = new Set<string>()
  const isAllowed = () =>
    items.every(
      ({ id, parent }) =>
        (shown.has(id) || !forced.has(id)) &&
        (!shown.has(id) || parent === null || shown.has(parent)),
    )
  const choose = (at: number, left: number, value: number): void => {
    const item = items[at]
    if (item === undefined) {
      if (isAllowed()) most = Math.max(most, value)
      return
    }
    choose(at + 1, left, value)
    shown.add(item.id)
    for (const [level, { tokens }] of item.costs.entries()) {
      if (tokens <= left) choose(at + 1, left - tokens, value + tierValue(item, level))
    }
    shown.delete(item.id)
  }
  if (room >= 0) choose(0, room, 0)
  return most
}

/**
 * What has to be shown whatever else were worth more: the first three by rank, of those the reader
 * has not, that fit as handles beside one another, each with what it stands under.
 */
export function floorOf(items: readonly BudgetItem[], room: number): ReadonlySet<string> {
  const byId = new Map(items.map((item) => [item.id, item]))
  const floor = new Set<string>()
  let left = room
  let found = 0
  for (const item of items) {
    if (found === 3) break
    if (item.sent !== undefined) continue
    const joining: BudgetItem[] = []
    let up: BudgetItem | undefined = item
    while (up !== undefined && !floor.has(up.id)) {
      joining.push(up)
      up = up.parent === null ? undefined : byId.get(up.parent)
    }
    const cost = joining.reduce((sum, { costs }) => sum + costs[0]!.tokens, 0)
    if (cost > left) continue
    left -= cost
    found++
    for (const { id } of joining) floor.add(id)
  }
  return floor
}
