import { SECTIONS, type SectionName } from './budget.ts'
import { correctionsFirst, type PackRecord } from './pack-history.ts'
import type { PackItem } from './pack-item.ts'
import {
  type CountTokens,
  type Frame,
  type LeftOut,
  leftOut,
  nothingShown,
  overLine,
  packText,
  type ShownItem,
} from './pack-text.ts'
import type { Manifest } from './receipt.ts'
import type { Tier } from './section-fill.ts'

export type Pack = {
  readonly text: string
  /** `rcp:` and the first 8 hex digits of the manifest's hash. */
  readonly receipt: string
  /** Of the whole text. */
  readonly tokens: number
  readonly budget: number
  readonly degraded: readonly string[]
  /** In the order of the text. */
  readonly items: readonly PackedItem[]
  /** Candidates that are not shown. */
  readonly omitted: number
  readonly manifest: Manifest
}

export type PackedItem = {
  readonly id: string
  readonly section: SectionName
  readonly tier: Tier
}

/** Writes out what the manifest decided. `items` are those of the manifest, in its order. */
export function finishPack(
  manifest: Manifest,
  receipt: string,
  items: readonly PackItem[],
  records: readonly PackRecord[],
  frame: Frame,
  countTokens: CountTokens,
): Pack {
  const { budget } = manifest.inputs
  const tierOf = new Map(manifest.items.map(({ id, tier }) => [id, tier]))
  const shown = inOrder(items, records).flatMap((item) => {
    const tier = tierOf.get(item.id) ?? null
    return tier === null ? [] : [{ item, tier }]
  })
  const counts = countLeftOut(manifest)
  const text = boundedText(frame, receipt, shown, counts, budget, countTokens)
  return {
    ...{ text, receipt, tokens: countTokens(text), budget, manifest },
    degraded: manifest.degraded,
    items: shown.flatMap(({ item: { id, section, kind }, tier }) =>
      kind === 'group' ? [] : [{ id, section, tier }],
    ),
    omitted: Object.values(counts).reduce((sum, count) => sum + count, 0),
  }
}

/** By section; in it by rank, but a file's symbols under it by line, and corrections first. */
function inOrder(items: readonly PackItem[], records: readonly PackRecord[]): PackItem[] {
  return SECTIONS.flatMap((name) => {
    const inside = items.filter(({ section }) => section === name)
    if (name === 'history') return correctionsFirst(inside, records)
    if (name !== 'code') return inside
    const under = Map.groupBy(inside, ({ parent }) => parent)
    const withAllUnder = (item: PackItem): PackItem[] => {
      const children = [...(under.get(item.id) ?? [])]
      children.sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0))
      return [item, ...children.flatMap(withAllUnder)]
    }
    return (under.get(null) ?? []).flatMap(withAllUnder)
  })
}

/**
 * The costs of the blocks add up exactly, so the whole fits where the parts did; that is asserted
 * once. A pack that its frame or its required conventions fill is cut to these.
 */
function boundedText(
  frame: Frame,
  receipt: string,
  shown: readonly ShownItem[],
  counts: LeftOut,
  budget: number,
  countTokens: CountTokens,
): string {
  const onlyTask = shown.every(({ item }) => item.section === 'task')
  const last = onlyTask ? nothingShown(counts, budget) : leftOut(counts, frame.brief)
  const text = packText(frame, receipt, shown, last)
  if (countTokens(text) <= budget) return text
  if (shown.some(({ item }) => !item.required)) {
    throw new RangeError(`a pack of ${countTokens(text)} tokens was built for ${budget}`)
  }
  const bare = packText(frame, receipt, shown, '')
  if (countTokens(bare) <= budget) return bare
  return shown.length === 0 ? bare : bare + overLine(countTokens(bare), budget, countTokens)
}

function countLeftOut({ items, unweighed }: Manifest): LeftOut {
  const counts = { files: 0, symbols: 0, records: 0, others: 0, ...unweighed }
  for (const { kind, tier } of items) {
    if (tier === null && kind !== 'group') counts[NOUNS[kind]]++
  }
  return counts
}

const NOUNS = {
  file: 'files',
  symbol: 'symbols',
  record: 'records',
  folder: 'others',
  rule: 'others',
  work: 'others',
  goal: 'others',
} as const satisfies Record<Exclude<Manifest['items'][number]['kind'], 'group'>, keyof LeftOut>
