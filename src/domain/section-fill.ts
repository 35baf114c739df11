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
  const unit = Math.ceil(((room + 1) * (forest.nodes.length + 1)) / CELLS_MAX)
  const levels = bestLevels(forest.nodes, floor, room, unit)
  let used = headingCost
  for (const [at, { item }] of forest.nodes.entries()) used += costAt(item, levels[at]!)
  used = raiseByRank(forest, levels, used, cap)
  const tiers = new Map<string, Tier>()
  let value = 0
  for (const [at, { item }] of forest.nodes.entries()) {
    const level = levels[at]!
    if (level === 0) continue
    tiers.set(item.id, item.costs[level - 1]!.tier)
    value += tierValue(item, level - 1)
  }
  const holdsDownTo = unit > 1 ? cap : tiers.size === 0 ? 0 : used
  return tiers.size === 0 ? { ...NOTHING, holdsDownTo } : { tiers, used, value, holdsDownTo }
}

/** So many of the best that the reader lacks are shown, at least as handles, whatever else would be worth more. */
export const BREADTH_FLOOR = 3

/** Poorest first. */
export const TIERS = ['handle', 'summary', 'full'] as const
export type Tier = (typeof TIERS)[number]
/** In the order in which canonical JSON has them. */
export const TIERS_BY_BYTES: readonly Tier[] = TIERS.toSorted()

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
  readonly sent?: Tier | undefined
}
export type TierCost = { readonly tier: Tier; readonly tokens: number }

/** `used` includes the heading; 0 when nothing is shown. */
export type SectionFill = {
  readonly tiers: ReadonlyMap<string, Tier>
  readonly used: number
  readonly value: number
  /** The least cap that gives the same: what was the best of more room is so of less that holds it. */
  readonly holdsDownTo: number
}
const NOTHING: SectionFill = { tiers: new Map(), used: 0, value: 0, holdsDownTo: 0 }

/**
 * What showing an item at a tier is worth. Fused scores are flat (rank 22 has half the score of rank
 * 1) and the chance of being wanted is not, so it is the cube of the score that counts: measured to
 * find more symbols at the same number of files than the score itself. What the reader has is taken off.
 */
export function tierValue(item: BudgetItem, level: number): number {
  const had = item.sent === undefined ? 0 : TIER_FACTORS[item.sent]
  const more = Math.max(0, TIER_FACTORS[item.costs[level]!.tier] - had)
  return Math.floor(item.score / SCORE_UNIT) ** 3 * more
}

/** Keeps the cubes of the highest scores, summed, below 2^53. */
const SCORE_UNIT = 60_000

/** `next`: the first place after the item and all that stand under it. */
type Node = {
  readonly item: BudgetItem
  /** Place of the item it stands under, or -1. */
  readonly parent: number
  /** How many it stands under. */
  readonly depth: number
  next: number
}

/** `byRank`: the places, that of the best item first. */
type Forest = { readonly nodes: readonly Node[]; readonly byRank: readonly number[] }

/** Each item followed by those under it, all by rank. One whose parent is not here stands alone. */
function inPreorder(items: readonly BudgetItem[]): Forest {
  const rankOf = new Map(items.map(({ id }, rank) => [id, rank]))
  const roots: number[] = []
  const under: number[][] = []
  for (const [rank, { parent }] of items.entries()) {
    const above = parent === null ? undefined : rankOf.get(parent)
    if (above === undefined) roots.push(rank)
    else if (under[above] === undefined) under[above] = [rank]
    else under[above].push(rank)
  }
  const nodes: Node[] = []
  const placeOf: number[] = []
  const place = (rank: number, parent: number, depth: number) => {
    const at = nodes.length
    const node = { item: items[rank]!, parent, depth, next: at + 1 }
    nodes.push(node)
    placeOf[rank] = at
    for (const child of under[rank] ?? []) place(child, at, depth + 1)
    node.next = nodes.length
  }
  for (const rank of roots) place(rank, -1, 0)
  // What stands under itself has no place.
  const byRank = items.flatMap((_, rank) => placeOf[rank] ?? [])
  return { nodes, byRank }
}

/** Places of the first few by rank that fit as handles together, and of what they stand under. */
function breadthFloor({ nodes, byRank }: Forest, room: number): Set<number> {
  const floor = new Set<number>()
  let used = 0
  let count = 0
  for (const start of byRank) {
    if (count === BREADTH_FLOOR) break
    if (nodes[start]!.item.sent !== undefined) continue
    const joining: number[] = []
    for (let at = start; at >= 0 && !floor.has(at); at = nodes[at]!.parent) joining.push(at)
    const cost = joining.reduce((sum, at) => sum + costAt(nodes[at]!.item, 1), 0)
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

/** The table of the programme has at most so many cells, of one byte each. */
const CELLS_MAX = 1 << 21

/**
 * Level of each place (0 not shown, else 1 + index of its tier) in the most valuable choice that
 * shows all of `floor`; of equally valuable ones the one that leaves out, then the poorer tier.
 *
 * From the last place to the first: the most that it and those after it can give in each number of
 * units. Of that only the level which gives it is kept for every place. The values themselves are
 * asked for by the place before and by the next one before at no greater depth: one row a depth.
 */
function bestLevels(
  nodes: readonly Node[],
  floor: ReadonlySet<number>,
  room: number,
  unit: number,
): Uint8Array {
  // More room than all of it takes changes nothing.
  const most = nodes.reduce((sum, { item }) => sum + mostUnits(item, unit), 0)
  const width = Math.min(Math.floor(room / unit), most) + 1
  const choices = new Uint8Array(nodes.length * width)
  const deepest = nodes.reduce((deep, { depth }) => Math.max(deep, depth), 0)
  // Row 0: of nothing; then one a depth.
  const rows = Array.from({ length: deepest + 2 }, () => new Float64Array(width))
  // Those of use to the places before, the deepest last.
  const live = [0]
  let after = rows[0]!
  let spare = new Float64Array(width)
  for (let at = nodes.length - 1; at >= 0; at--) {
    const { item, depth } = nodes[at]!
    while (live.at(-1)! > depth + 1) live.pop()
    const row = spare
    if (floor.has(at)) row.fill(Number.NEGATIVE_INFINITY)
    else row.set(rows[live.at(-1)!]!)
    choose(item, floor.has(at), unit, after, row, choices.subarray(at * width, (at + 1) * width))
    if (live.at(-1)! <= depth) live.push(depth + 1)
    spare = rows[depth + 1]!
    rows[depth + 1] = row
    after = row
  }
  return traced(nodes, choices, width, unit)
}

/**
 * The best level of one item in each number of units.
 * @param after values of what comes after it when it is shown
 * @param row values when it is not shown; then the best
 */
function choose(
  item: BudgetItem,
  isForced: boolean,
  unit: number,
  after: Float64Array,
  row: Float64Array,
  levels: Uint8Array,
): void {
  for (const [index, { tokens }] of item.costs.entries()) {
    const units = Math.ceil(tokens / unit)
    const worth = tierValue(item, index)
    for (let w = units; w < row.length; w++) {
      const value = after[w - units]! + worth
      if (value > row[w]! || (isForced && levels[w] === 0)) {
        row[w] = value
        levels[w] = index + 1
      }
    }
  }
}

/** Of its dearest tier. */
function mostUnits({ costs }: BudgetItem, unit: number): number {
  return costs.reduce((most, { tokens }) => Math.max(most, Math.ceil(tokens / unit)), 0)
}

function traced(
  nodes: readonly Node[],
  choices: Uint8Array,
  width: number,
  unit: number,
): Uint8Array {
  const levels = new Uint8Array(nodes.length)
  let w = width - 1
  let at = 0
  while (at < nodes.length) {
    const { item, next } = nodes[at]!
    const level = choices[at * width + w]!
    if (level === 0) at = next
    else {
      levels[at] = level
      w -= Math.ceil(costAt(item, level) / unit)
      at++
    }
  }
  return levels
}

function isSent({ sent, costs }: BudgetItem, level: number): boolean {
  return sent !== undefined && tierRank(costs[level]!.tier) <= tierRank(sent)
}

function raiseByRank(
  { nodes, byRank }: Forest,
  levels: Uint8Array,
  usedBefore: number,
  cap: number,
): number {
  let used = usedBefore
  for (const at of byRank) {
    const level = levels[at]!
    if (level === 0) continue
    const { item } = nodes[at]!
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
