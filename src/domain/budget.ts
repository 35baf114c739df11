import { compareBytes } from './order.ts'
import { type BudgetItem, fillSection, type SectionFill, type Tier } from './section-fill.ts'

/**
 * Decides at which tier each item is shown, from costs and scores alone: no text is needed, so a
 * stored manifest is enough to decide again.
 *
 * What is required is in at its richest, whatever the budget; when that alone is over it, nothing
 * else is in, and `over` says by how much. The rest is divided between sections by their shares
 * (largest remainder), each filled by value; what a section leaves goes to the others in spill order.
 * The goal comes before the shares: its section has room for it at its poorest wherever that fits.
 */
export function allocate(
  budget: number,
  /** Tokens that are taken in any case: title, receipt line, last line. */
  reserved: number,
  sections: readonly BudgetSection[],
): Allocation {
  const tiers = new Map<string, Tier>()
  let fixed = reserved
  const open = new Set<SectionName>()
  for (const { name, headingCost, items } of sections) {
    for (const item of items) {
      if (!item.required) continue
      const richest = item.costs.at(-1)!
      tiers.set(item.id, richest.tier)
      fixed += richest.tokens + (open.has(name) ? 0 : headingCost)
      open.add(name)
    }
  }
  if (fixed >= budget) return { tiers, used: fixed, over: fixed - budget }
  const fills = fillAll(sections, open, budget - fixed)
  let used = fixed
  for (const fill of fills) {
    used += fill.used
    for (const [id, tier] of fill.tiers) tiers.set(id, tier)
  }
  return { tiers, used, over: 0 }
}

/** In the order of a pack. */
export const SECTIONS = ['task', 'map', 'history', 'code', 'conventions', 'live'] as const
export type SectionName = (typeof SECTIONS)[number]

/** Shares of the budget in hundredths. Conventions and live work have one between them. */
export const SHARES = [
  { sections: ['map'], share: 10 },
  { sections: ['task'], share: 10 },
  { sections: ['history'], share: 20 },
  { sections: ['code'], share: 50 },
  { sections: ['conventions', 'live'], share: 10 },
] as const satisfies readonly Share[]
type Share = { readonly sections: readonly SectionName[]; readonly share: number }

/** Who takes first what others left unused. */
export const SPILL = ['code', 'history', 'task', 'map', 'conventions', 'live'] as const

export type BudgetSection = {
  readonly name: SectionName
  readonly headingCost: number
  readonly items: readonly BudgetItem[]
}

export type Allocation = {
  /** Items that are shown. */
  readonly tiers: ReadonlyMap<string, Tier>
  readonly used: number
  readonly over: number
}

/** Better first. */
export function byScore(a: BudgetItem, b: BudgetItem): number {
  return b.score - a.score || compareBytes(a.order, b.order) || compareBytes(a.id, b.id)
}

function fillAll(
  sections: readonly BudgetSection[],
  open: ReadonlySet<SectionName>,
  tokens: number,
): readonly SectionFill[] {
  const wanted = new Map(
    sections.map(({ name, headingCost, items }) => {
      const optional = items.filter((item) => !item.required).sort(byScore)
      return [name, { items: optional, headingCost: open.has(name) ? 0 : headingCost }]
    }),
  )
  const fills = new Map<SectionName, SectionFill>()
  const filledTo = new Map<SectionName, number>()
  const fill = (name: SectionName, cap: number): number => {
    const section = wanted.get(name)
    if (section === undefined || section.items.length === 0) return 0
    // The rounds that find nothing to change any more ask for what was done already.
    const before = fills.get(name)
    if (before !== undefined && before.holdsDownTo <= cap && cap <= filledTo.get(name)!) {
      return before.used
    }
    const after = fillSection(section.items, section.headingCost, cap)
    fills.set(name, after)
    filledTo.set(name, cap)
    return after.used
  }
  let left = 0
  for (const { names, cap } of caps(tokens, leastOf(wanted.get('task')))) {
    let room = cap
    // The first of the spill comes after all others: it is filled once, with what they leave it.
    if (names[0] !== SPILL[0]) for (const name of names) room -= fill(name, room)
    left += room
  }
  for (let round = 0; round < SPILL_ROUNDS; round++) {
    const leftBefore = left
    for (const name of SPILL) {
      const had = fills.get(name)?.used ?? 0
      left -= fill(name, had + left) - had
    }
    if (left === leftBefore) break
  }
  return SECTIONS.flatMap((name) => fills.get(name) ?? [])
}

const SPILL_ROUNDS = 8

/** Tokens of the best that the reader lacks at its poorest, with the heading; 0 when there is none. */
function leastOf(section: Pick<BudgetSection, 'headingCost' | 'items'> | undefined): number {
  const best = section?.items[0]
  if (section === undefined || best === undefined || best.sent !== undefined) return 0
  return section.headingCost + best.costs[0]!.tokens
}

/**
 * Whole tokens by largest remainder; of equal remainders the earlier in the table.
 * @param taskLeast what Task has in any case, if there is as much; the others then share the rest
 */
export function caps(tokens: number, taskLeast = 0): readonly Cap[] {
  const all = divided(tokens, SHARES)
  const isShort = all.some(({ names, cap }) => names[0] === 'task' && cap < taskLeast)
  if (!isShort || taskLeast > tokens) return all
  const others = SHARES.filter(({ sections }) => sections[0] !== 'task')
  return [{ names: ['task'], cap: taskLeast }, ...divided(tokens - taskLeast, others)]
}

type Cap = { readonly names: readonly SectionName[]; readonly cap: number }

function divided(tokens: number, shares: readonly Share[]): readonly Cap[] {
  const whole = shares.reduce((sum, { share }) => sum + share, 0)
  const exact = shares.map(({ sections, share }, at) => {
    const floor = Math.floor((tokens * share) / whole)
    return { at, names: sections, cap: floor, remainder: tokens * share - floor * whole }
  })
  let left = tokens - exact.reduce((sum, { cap }) => sum + cap, 0)
  for (const row of exact.toSorted((a, b) => b.remainder - a.remainder || a.at - b.at)) {
    if (left-- > 0) row.cap++
  }
  return exact.map(({ names, cap }) => ({ names, cap }))
}
