/**
 * Fills one section: which of `items` (best first) are shown, and at which tier, within `cap` tokens.
 *
 * The first three by rank that fit are shown, at least as handles. Beyond that the most valuable
 * choice is taken, by an exact dynamic programme over tokens (in a large section over units of a few
 * tokens); tokens it leaves raise what is shown, by rank, to the richest tier that fits.
 */
export function fillSection(
  items: readonly BudgetItem[],
  headingCost: number,
  cap: number,
): SectionFill {
  const room = cap - headingCost
  const forest = inPreorder(items)
  const floor = breadthFloor(forest, room)
  const isEmpty = floor.size === 0 && (room < 0 || items.every(({ sent }) => sent === undefined))
  if (isEmpty) return NOTHING
  const levels = bestLevels(forest, floor, room)
  let used = headingCost
  for (const [at, { item }] of forest.entries()) used += costAt(item, levels[at]!)
  used = raiseByRank(forest, levels, used, cap)
  const tiers = new Map<string, Tier>()
  let value = 0
  for (const [at, { item }] of forest.entries()) {
    const level = levels[at]!
    if (level === 0) continue
    tiers.set(item.id, item.costs[level - 1]!.tier)
    value += tierValue(item, level - 1)
  }
  return tiers.size === 0 ? NOTHING : { tiers, used, value }
}

/** So many of the best that the reader lacks are shown, at least as handles, whatever else would be worth more. */
export const BREADTH_FLOOR = 3

/** Poorest first. */
export const TIERS = ['handle', 'summary', 'full'] as const
export type Tier = (typeof TIERS)[number]

/** Richer is higher. */
export function tierRank(tier: Tier): number {
  return TIERS.indexOf(tier)
}

/** What a tier is worth, in hundredths of the item's worth. */
export const TIER_FACTORS: Readonly<Record<Tier, number>> = { handle: 100, summary: 150, full: 180 }

/** `costs`: the tiers it has, poorest first, each with the tokens of its whole block at that tier. */
export type BudgetItem = {
  readonly id: string
  readonly score: number
  /** Orders equal scores, by bytes. */
  readonly order: string
  readonly required: boolean
  /** An item of the same section that is shown, at least as a handle, whenever this one is. */
  readonly parent: string | null
  readonly costs: readonly TierCost[]
  /** The tier at which the reader has it, or need not have it: worth showing only more richly, or above another. */
  readonly sent?: Tier
}
export type TierCost = { readonly tier: Tier; readonly tokens: number }

/** `used` includes the heading; 0 when nothing is shown. */
export type SectionFill = {
  readonly tiers: ReadonlyMap<string, Tier>
  readonly used: number
  readonly value: number
}
const NOTHING: SectionFill = { tiers: new Map(), used: 0, value: 0 }

/**
 * What showing an item at a tier is worth. Fused scores are flat (rank 60 has half the score of rank
 * 1) and the chance of being wanted is not, so it is the cube of the score that counts: measured to
 * find more symbols at the same number of files than the score itself. What the reader has is taken off.
 */
export function tierValue(item: BudgetItem, level: number): number {
  const had = item.sent === undefined ? 0 : TIER_FACTORS[item.sent]
  const more = Math.max(0, TIER_FACTORS[item.costs[level]!.tier] - had)
  return Math.floor(item.score / SCORE_UNIT) ** 3 * more
}

/** Keeps the cubes of the highest scores, summed, below 2^53. */
const SCORE_UNIT = 20_000

/** `next`: the first place after the item and all that stand under it. */
type Node = {
  readonly item: BudgetItem
  readonly rank: number
  /** Place of the item it stands under, or -1. */
  readonly parent: number
  next: number
}

/** Each item followed by those under it, all by rank. One whose parent is not here stands alone. */
function inPreorder(items: readonly BudgetItem[]): Node[] {
  const ranked = items.map((item, rank) => ({ item, rank }))
  const ids = new Set(items.map(({ id }) => id))
  const under = Map.groupBy(ranked, ({ item }) =>
    item.parent !== null && ids.has(item.parent) ? item.parent : null,
  )
  const nodes: Node[] = []
  const place = (entry: (typeof ranked)[number], parent: number) => {
    const at = nodes.length
    const node = { ...entry, parent, next: at + 1 }
    nodes.push(node)
    for (const child of under.get(entry.item.id) ?? []) place(child, at)
    node.next = nodes.length
  }
  for (const root of under.get(null) ?? []) place(root, -1)
  return nodes
}

/** Places of the first few by rank that fit as handles together, and of what they stand under. */
function breadthFloor(forest: readonly Node[], room: number): Set<number> {
  const byRank = [...forest.keys()].sort((a, b) => forest[a]!.rank - forest[b]!.rank)
  const floor = new Set<number>()
  let used = 0
  let count = 0
  for (const start of byRank) {
    if (count === BREADTH_FLOOR) break
    if (forest[start]!.item.sent !== undefined) continue
    const joining: number[] = []
    for (let at = start; at >= 0 && !floor.has(at); at = forest[at]!.parent) joining.push(at)
    const cost = joining.reduce((sum, at) => sum + costAt(forest[at]!.item, 1), 0)
    if (used + cost > room) continue
    used += cost
    count++
    for (const at of joining) floor.add(at)
  }
  return floor
}

function costAt(item: BudgetItem, level: number): number {
  return level === 0 ? 0 : item.costs[level - 1]!.tokens
}

/** The table of the programme has at most so many cells (8 bytes each). */
const CELLS_MAX = 1 << 21

/**
 * Level of each place (0 not shown, else 1 + index of its tier) in the most valuable choice that
 * shows all of `floor`. `best[at][w]`: the most that places from `at` on can give in `w` units.
 */
function bestLevels(forest: readonly Node[], floor: ReadonlySet<number>, room: number): Uint8Array {
  const unit = Math.ceil(((room + 1) * (forest.length + 1)) / CELLS_MAX)
  // More room than all of it takes changes nothing.
  const most = forest.reduce((sum, { item }) => sum + mostUnits(item, unit), 0)
  const width = Math.min(Math.floor(room / unit), most) + 1
  const best = new Float64Array((forest.length + 1) * width)
  for (let at = forest.length - 1; at >= 0; at--) {
    const { item, next } = forest[at]!
    const row = at * width
    if (floor.has(at)) best.fill(Number.NEGATIVE_INFINITY, row, row + width)
    else best.copyWithin(row, next * width, (next + 1) * width)
    for (const [index, { tokens }] of item.costs.entries()) {
      const units = Math.ceil(tokens / unit)
      const value = tierValue(item, index)
      const after = row + width - units
      for (let w = units; w < width; w++) {
        const with_ = best[after + w]! + value
        if (with_ > best[row + w]!) best[row + w] = with_
      }
    }
  }
  return traced(forest, floor, best, width, unit)
}

/** Of its dearest tier. */
function mostUnits({ costs }: BudgetItem, unit: number): number {
  return costs.reduce((most, { tokens }) => Math.max(most, Math.ceil(tokens / unit)), 0)
}

function traced(
  forest: readonly Node[],
  floor: ReadonlySet<number>,
  best: Float64Array,
  width: number,
  unit: number,
): Uint8Array {
  const levels = new Uint8Array(forest.length)
  let w = width - 1
  let at = 0
  while (at < forest.length) {
    const { item, next } = forest[at]!
    const value = best[at * width + w]!
    const level = item.costs.findIndex(({ tokens }, index) => {
      const rest = w - Math.ceil(tokens / unit)
      return rest >= 0 && best[(at + 1) * width + rest]! + tierValue(item, index) === value
    })
    const skip = !floor.has(at) && best[next * width + w] === value
    if (skip || level < 0) at = next
    else {
      levels[at] = level + 1
      w -= Math.ceil(item.costs[level]!.tokens / unit)
      at++
    }
  }
  return levels
}

function isSent({ sent, costs }: BudgetItem, level: number): boolean {
  return sent !== undefined && tierRank(costs[level]!.tier) <= tierRank(sent)
}

function raiseByRank(
  forest: readonly Node[],
  levels: Uint8Array,
  usedBefore: number,
  cap: number,
): number {
  let used = usedBefore
  const byRank = [...forest.keys()].sort((a, b) => forest[a]!.rank - forest[b]!.rank)
  for (const at of byRank) {
    const level = levels[at]!
    if (level === 0) continue
    const { item } = forest[at]!
    for (let richer = item.costs.length; richer > level; richer--) {
      const more = costAt(item, richer) - costAt(item, level)
      if (used + more > cap || isSent(item, richer - 1)) continue
      used += more
      levels[at] = richer
      break
    }
  }
  return used
}
