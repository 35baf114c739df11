import { SECTIONS, type SectionName } from './budget.ts'
import { correctionsFirst, type PackRecord } from './pack-history.ts'
import type { PackItem } from './pack-item.ts'
import {
  type CountTokens,
  type Frame,
  type LeftOut,
  leftOut,
  NOTHING_NEW,
  nothingShown,
  overLine,
  packText,
  type ShownItem,
} from './pack-text.ts'
import { isReferred, type Manifest } from './receipt.ts'
import type { Tier } from './section-fill.ts'
import type { SentLine } from './sent-line.ts'

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
  /** Ids of what the reader has already and is not sent again, best first. */
  readonly sentBefore: readonly string[]
  /** Candidates that are neither shown nor referred back to. */
  readonly omitted: number
  readonly manifest: Manifest
}

export type PackedItem = {
  readonly id: string
  readonly section: SectionName
  readonly tier: Tier
}

/** The lines around the items, each with what was reserved for it. */
export type PackFrame = {
  readonly frame: Frame
  readonly line: SentLine
  readonly countTokens: CountTokens
}

/**
 * Writes out what the manifest decided.
 * @param items those of the manifest, in its order
 * @param known those that the reader has already, best first
 */
export function finishPack(
  manifest: Manifest,
  receipt: string,
  items: readonly PackItem[],
  known: readonly PackItem[],
  records: readonly PackRecord[],
  around: PackFrame,
): Pack {
  const { budget } = manifest.inputs
  const tierOf = new Map(manifest.items.map(({ id, tier }) => [id, tier]))
  const shown = inOrder(items, records).flatMap((item) => {
    const tier = tierOf.get(item.id) ?? null
    return tier === null ? [] : [{ item, tier }]
  })
  const referred = known.filter(({ id }) => (tierOf.get(id) ?? null) === null)
  const { text, tokens } = boundedText(manifest, receipt, shown, referred, around)
  return {
    ...{ text, receipt, tokens, budget, manifest },
    degraded: manifest.degraded,
    sentBefore: referred.map(({ id }) => id),
    items: shown.flatMap(({ item: { id, section, kind }, tier }) =>
      kind === 'group' ? [] : [{ id, section, tier }],
    ),
    omitted: Object.values(countLeftOut(manifest)).reduce((sum, count) => sum + count, 0),
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
  manifest: Manifest,
  receipt: string,
  shown: readonly ShownItem[],
  referred: readonly PackItem[],
  { frame, line, countTokens }: PackFrame,
): { readonly text: string; readonly tokens: number } {
  const { budget } = manifest.inputs
  const counted = (text: string) => ({ text, tokens: countTokens(text) })
  const counts = countLeftOut(manifest)
  const sent = line.text(referred)
  const last = lastLine(shown, referred, sent, counts, frame, budget)
  const whole = counted(packText(frame, receipt, sent, shown, last))
  if (whole.tokens <= budget) return whole
  if (shown.some(({ item }) => !item.required)) {
    throw new RangeError(`a pack of ${whole.tokens} tokens was built for ${budget}`)
  }
  const kept = referred.some(({ required }) => required) ? sent : ''
  const bare = counted(packText(frame, receipt, kept, shown, ''))
  if (bare.tokens <= budget || (shown.length === 0 && kept === '')) return bare
  return counted(bare.text + overLine(bare.tokens, budget, countTokens))
}

/** What was left out; or, in a pack without anything but its task, why. */
function lastLine(
  shown: readonly ShownItem[],
  referred: readonly PackItem[],
  sent: string,
  counts: LeftOut,
  frame: Frame,
  budget: number,
): string {
  const onlyTask = shown.every(({ item }) => item.section === 'task')
  const isTold = referred.some(({ kind }) => kind !== 'goal')
  if (onlyTask && !isTold) return nothingShown(counts, budget)
  const last = leftOut(counts, frame.brief)
  return onlyTask && sent === '' && last === '' ? NOTHING_NEW : last
}

function countLeftOut({ items, unweighed }: Manifest): LeftOut {
  const counts = { files: 0, symbols: 0, records: 0, others: 0, ...unweighed }
  for (const item of items) {
    const { kind, tier } = item
    if (tier === null && kind !== 'group' && !isReferred(item)) counts[NOUNS[kind]]++
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
