import { SECTIONS, type SectionName } from './budget.ts'
import { compareBytes } from './order.ts'
import type { Candidates, ChangedCode } from './pack-candidate.ts'
import { codeItems } from './pack-code.ts'
import { finishPack, type Pack } from './pack-finish.ts'
import { historyItems, type PackRecord } from './pack-history.ts'
import type { PackItem } from './pack-item.ts'
import { type LiveTask, liveItems } from './pack-live.ts'
import { mapItems } from './pack-map.ts'
import { conventionItems, type PackConvention } from './pack-rules.ts'
import { type PackTask, taskItems } from './pack-task.ts'
import { type CountTokens, frameOf, HEADINGS } from './pack-text.ts'
import {
  decide,
  type Manifest,
  RECEIPT_DIGITS,
  receiptId,
  scoreOf,
  type UndecidedItem,
} from './receipt.ts'
import type { Tier } from './section-fill.ts'
import { WEIGHTS, type WeightTable } from './weights.ts'

/**
 * Candidates → the text of a pack and its manifest, within the budget. Pure: any permutation of a
 * list of `input` gives the same bytes, but for `focus` and the lists of `candidates`, whose order
 * is their rank.
 * @param receiptDigits hex digits of the receipt's id: more where another manifest's begins alike
 */
export function buildPack(
  input: PackInput,
  countTokens: CountTokens,
  receiptDigits: number = RECEIPT_DIGITS,
  weights: WeightTable = WEIGHTS,
): Pack {
  const { items, unweighed } = weighedItems(input, weights)
  const degraded = [...new Set(input.degraded)].sort(compareBytes)
  const frame = frameOf(input.task.id, degraded, input.budget, countTokens, receiptDigits)
  const headings = Object.fromEntries(
    SECTIONS.map((name) => [name, countTokens(HEADINGS[name])]),
  ) as Record<SectionName, number>
  const undecided = {
    inputs: {
      ...{ task: input.task.id, focus: input.focus, budget: input.budget },
      ...{ position: input.position, overlay: input.overlay, indexVersion: input.indexVersion },
    },
    ...{ weights, reserved: frame.reserved, headings },
    items: items.map((item) => undecidedItem(item, countTokens)),
  }
  const { scores, allocation } = decide(undecided)
  const manifest: Manifest = {
    ...undecided,
    ...{ version: 1, encoding: 'o200k_base', degraded, unweighed },
    items: undecided.items.map((item) => ({
      ...item,
      score: scores.get(item.id)!,
      tier: allocation.tiers.get(item.id) ?? null,
    })),
  }
  const receipt = receiptId(manifest, receiptDigits)
  return finishPack(manifest, receipt, items, input.records, frame, countTokens)
}

export type PackInput = {
  readonly task: PackTask
  readonly focus: readonly string[]
  readonly budget: number
  /** Of the repo's log: everything up to it has been looked at. */
  readonly position: number
  /** Names the code the caller stands on, overlay included: a hash, no path of this machine. */
  readonly overlay: string
  readonly indexVersion: string
  /** What this pack lacks, a word each: `index`, `semantic`. */
  readonly degraded: readonly string[]
  readonly candidates: Candidates
  readonly changed: readonly ChangedCode[]
  /** The text of `candidates.records`; one that is missing here is left out. */
  readonly records: readonly PackRecord[]
  /** Active ones whose glob matches one of `candidates.taskFiles`. */
  readonly conventions: readonly PackConvention[]
  /** The other live tasks of the repo; those that share no file are left out. */
  readonly live: readonly LiveTask[]
}

/** Tokens of the budget for each candidate that is weighed: more could hardly be shown. */
const TOKENS_PER = { file: 10, symbol: 8, record: 20 }
const LIVE_MAX = 20
const OPTIONAL_CONVENTIONS_MAX = 50

/** How many of the ranked records a pack of this budget looks at. */
export function recordsWeighed(budget: number): number {
  return Math.ceil(budget / TOKENS_PER.record)
}

/** In the order of the sections, best first in each; and how many candidates were not looked at. */
function weighedItems(
  input: PackInput,
  weights: WeightTable,
): { items: PackItem[]; unweighed: Record<string, number> } {
  const { candidates, budget } = input
  const unweighed: Record<string, number> = {}
  const first = <T>(kind: string, all: readonly T[], max: number): T[] => {
    if (all.length > max) unweighed[kind] = all.length - max
    return all.slice(0, max)
  }
  const files = first('files', candidates.files, Math.ceil(budget / TOKENS_PER.file))
  const symbols = first('symbols', candidates.symbols, Math.ceil(budget / TOKENS_PER.symbol))
  const records = first('records', candidates.records, recordsWeighed(budget))
  const rules = conventionItems(input.conventions)
  const required = rules.filter((item) => item.required)
  const optional = rules.filter((item) => !item.required)
  const items = [
    ...taskItems(input.task),
    ...mapItems(candidates.folders),
    ...historyItems(records, input.records, input.task.id),
    ...codeItems(files, symbols, new Set(input.changed.map(({ path }) => path))),
    ...required,
    ...first('others', optional, OPTIONAL_CONVENTIONS_MAX),
    ...first('others', liveItems(input.live, candidates.taskFiles), LIVE_MAX),
  ]
  const keyed = items.map((item) => ({ item, score: scoreOf(item, weights) }))
  keyed.sort(
    (a, b) =>
      SECTIONS.indexOf(a.item.section) - SECTIONS.indexOf(b.item.section) ||
      b.score - a.score ||
      compareBytes(a.item.order, b.item.order) ||
      compareBytes(a.item.id, b.item.id),
  )
  return { items: keyed.map(({ item }) => item), unweighed }
}

function undecidedItem(item: PackItem, countTokens: CountTokens): UndecidedItem {
  const costs: Partial<Record<Tier, number>> = {}
  for (const { tier, text } of item.texts) costs[tier] = countTokens(text)
  const { id, section, kind, ranks, factor, place } = item
  return {
    ...{ id, section, kind, ranks, factor, costs },
    ...(item.required ? { required: true } : {}),
    ...(item.parent === null ? {} : { parent: item.parent }),
    ...(place === null || place.symbol !== null ? {} : { path: place.path, blob: place.blob }),
    ...(place === null || place.symbol === null ? {} : { symbol: place.symbol, line: place.line }),
  }
}
