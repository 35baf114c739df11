import type { SectionName } from './budget.ts'
import type { Ranks } from './rank.ts'
import type { Tier } from './section-fill.ts'
import type { WEIGHTS } from './weights.ts'

/** Something a pack can show: how it came to its rank, and its text at each tier. */
export type PackItem = {
  /** Unique in its pack. */
  readonly id: string
  readonly section: SectionName
  /** Which row of `WEIGHTS` its lists are weighed by. */
  readonly kind: ItemKind
  readonly ranks: Ranks
  /** In thousandths; the score is the fused ranks times this. */
  readonly factor: number
  readonly required: boolean
  /** Id of the item it stands under. */
  readonly parent: string | null
  readonly place: CodePlace | null
  /** Orders equal scores, by bytes. */
  readonly order: string
  /** Poorest first, each a block as `sanitise.block` makes it; at least one. */
  readonly texts: readonly TierText[]
}

export type ItemKind = keyof typeof WEIGHTS
export type TierText = { readonly tier: Tier; readonly text: string }
/** Of each tier an item has, the hash of what it says there. */
export type TierHashes = Readonly<Partial<Record<Tier, string>>>

/** Where a code item is, so that its id can be followed without the pack. */
export type CodePlace = {
  readonly path: string
  readonly blob: string
  /** Null for the file itself. */
  readonly symbol: string | null
  /** 1-based; 0 for the file itself. */
  readonly line: number
}

/** Leaves out a tier that says no more than the one before. */
export function tierTexts(handle: string, summary: string, full: string): TierText[] {
  const texts: TierText[] = [{ tier: 'handle', text: handle }]
  if (summary !== handle) texts.push({ tier: 'summary', text: summary })
  if (full !== summary) texts.push({ tier: 'full', text: full })
  return texts
}

/** A whole number below 10^12 as text that sorts by bytes as the number does. */
export function sortable(value: number): string {
  return String(1_000_000_000_000 + value).slice(1)
}
