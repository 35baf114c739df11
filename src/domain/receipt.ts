import { hash } from 'node:crypto'
import { type Allocation, allocate, SECTIONS, type SectionName } from './budget.ts'
import { type CodePlace, type ItemKind, sortable, type TierHashes } from './pack-item.ts'
import { fusedScore, type Ranks, scaled } from './rank.ts'
import { type BudgetItem, TIERS, type Tier, type TierCost } from './section-fill.ts'
import type { WeightTable } from './weights.ts'

/**
 * What a pack was made of: enough to decide again, from this alone, what is shown at which tier.
 * Holds no text of any item.
 */
export type Manifest = {
  readonly version: number
  readonly encoding: 'o200k_base'
  readonly inputs: ManifestInputs
  readonly degraded: readonly string[]
  /** Kind → list → weight in thousandths. */
  readonly weights: WeightTable
  /** Tokens of title, receipt line and last line. */
  readonly reserved: number
  /** Tokens of each section's heading. */
  readonly headings: Readonly<Record<SectionName, number>>
  /** Shown and left out, in the order of the sections; within one best first. Equal scores keep their order. */
  readonly items: readonly ManifestItem[]
  /** Candidates that were found but ranked too low for this budget to be weighed. */
  readonly unweighed: Readonly<Record<string, number>>
}

export type ManifestInputs = {
  readonly task: string
  readonly focus: readonly string[]
  readonly budget: number
  /** Of the repo's log: what had been recorded. */
  readonly position: number
  /** Identifies the code the caller stood on. */
  readonly overlay: string
  readonly indexVersion: string
}

export type ManifestItem = {
  readonly id: string
  readonly section: SectionName
  readonly kind: ItemKind
  /** Null: left out, because it did not fit; or, with `sent`, referred back to. */
  readonly tier: Tier | null
  readonly ranks: Ranks
  readonly factor: number
  readonly score: number
  /** Tokens at each tier it has. */
  readonly costs: Readonly<Partial<Record<Tier, number>>>
  readonly required?: true | undefined
  readonly parent?: string | undefined
  /** The tier at which the reader had it already, unchanged. */
  readonly sent?: Tier | undefined
  /** Of what is shown to a session: which content it is, at each tier. */
  readonly hashes?: TierHashes | undefined
  /** Of a code item. A symbol's path and blob are its parent's. */
  readonly path?: string | undefined
  readonly blob?: string | undefined
  readonly symbol?: string | undefined
  readonly line?: number | undefined
}

/** Of the rules by which a manifest is decided: another wherever they would decide otherwise. */
export const MANIFEST_VERSION = 2

export const RECEIPT_DIGITS = 8

/** @param manifestText its canonical JSON */
export function receiptId(manifestText: string, digits: number = RECEIPT_DIGITS): string {
  return `rcp:${hash('sha256', manifestText, 'hex').slice(0, digits)}`
}

/** Where a code item of the pack is: its id can be followed as long as the receipt is kept. */
export function placeOf(manifest: Manifest, id: string): CodePlace | null {
  const item = manifest.items.find((other) => other.id === id)
  const file =
    item?.symbol === undefined ? item : manifest.items.find((other) => other.id === item.parent)
  if (item === undefined || file?.path === undefined || file.blob === undefined) return null
  const { symbol, line } = item
  return { path: file.path, blob: file.blob, symbol: symbol ?? null, line: line ?? 0 }
}

/**
 * Scores from ranks, and tiers from scores and costs.
 * @param scores what `scoreOf` says of each item, by id, where that is known
 */
export function decide(
  manifest: Undecided,
  scores: ReadonlyMap<string, number> = scoresOf(manifest),
): Decision {
  const sections = SECTIONS.map((name) => {
    return { name, headingCost: manifest.headings[name], items: [] as BudgetItem[] }
  })
  const itemsOf = new Map(sections.map(({ name, items }) => [name, items]))
  for (const [at, item] of manifest.items.entries()) {
    if (isKept(item)) continue
    itemsOf.get(item.section)?.push(budgetItem(item, scores.get(item.id)!, at))
  }
  return { scores, allocation: allocate(manifest.inputs.budget, manifest.reserved, sections) }
}

function scoresOf({ items, weights }: Undecided): Map<string, number> {
  return new Map(items.map((item) => [item.id, scoreOf(item, weights)]))
}

/** Required, and the reader has all of it: referring back includes it. */
function isKept({ required, sent, costs }: UndecidedItem): boolean {
  const richest = TIERS.findLast((tier) => costs[tier] !== undefined)
  return required === true && sent === richest
}

export type UndecidedItem = Omit<ManifestItem, 'tier' | 'score' | 'hashes'>
export type Undecided = Pick<Manifest, 'inputs' | 'weights' | 'reserved' | 'headings'> & {
  readonly items: readonly UndecidedItem[]
}
export type Decision = {
  readonly scores: ReadonlyMap<string, number>
  readonly allocation: Allocation
}

export function scoreOf(
  item: Pick<ManifestItem, 'kind' | 'ranks' | 'factor'>,
  weights: Manifest['weights'],
): number {
  return scaled(fusedScore(item.ranks, weights[item.kind]), item.factor)
}

function budgetItem(item: UndecidedItem, score: number, at: number): BudgetItem {
  const { id, kind, parent, required } = item
  const costs: TierCost[] = []
  for (const tier of TIERS) {
    const tokens = item.costs[tier]
    if (tokens !== undefined) costs.push({ tier, tokens })
  }
  // The line of a group is worth nothing without what stands under it.
  const sent = kind === 'group' ? 'full' : item.sent
  return {
    id,
    score,
    order: sortable(at),
    required: required === true,
    parent: parent ?? null,
    costs,
    sent,
  }
}

/** The reader has it, and this pack does not send it again. */
export function isReferred({ tier, sent }: Pick<ManifestItem, 'tier' | 'sent'>): boolean {
  return tier === null && sent !== undefined
}

/** Every line of the pack recomputed; `agrees` when all came out as they were sent. */
export function explain(manifest: Manifest): Explanation {
  if (manifest.version !== MANIFEST_VERSION) return asStored(manifest)
  const { scores, allocation } = decide(manifest)
  const lines = manifest.items.map((item) => {
    const score = scores.get(item.id)!
    const tier = allocation.tiers.get(item.id) ?? null
    return { item, score, tier, agrees: score === item.score && tier === item.tier }
  })
  const agrees = lines.every((line) => line.agrees)
  return { lines, over: allocation.over, isRecomputed: true, agrees }
}

/** Decided by the rules of another version. */
function asStored({ items }: Manifest): Explanation {
  const lines = items.map((item) => {
    return { item, score: item.score, tier: item.tier, agrees: true }
  })
  return { lines, over: 0, isRecomputed: false, agrees: true }
}

export type Explanation = {
  readonly lines: readonly {
    readonly item: ManifestItem
    /** Recomputed. */
    readonly score: number
    readonly tier: Tier | null
    readonly agrees: boolean
  }[]
  readonly over: number
  /** Whether this version's rules made the manifest; if not, all is as it was stored. */
  readonly isRecomputed: boolean
  readonly agrees: boolean
}
