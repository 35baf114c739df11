import { SECTIONS, type SectionName } from './budget.ts'
import { canonicalJson } from './canonical.ts'
import { knownTiers, type Ledger, tierHashes } from './ledger.ts'
import { compareBytes } from './order.ts'
import type { Candidates, ChangedCode } from './pack-candidate.ts'
import { codeId, codeItems } from './pack-code.ts'
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
  MANIFEST_VERSION,
  type Manifest,
  type ManifestItem,
  RECEIPT_DIGITS,
  receiptId,
  scoreOf,
} from './receipt.ts'
import { TIERS_BY_BYTES, type Tier } from './section-fill.ts'
import { sentLine } from './sent-line.ts'
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
): BuiltPack {
  const { items, scores, unweighed } = weighedItems(input, weights)
  const degraded = [...new Set(input.degraded)].sort(compareBytes)
  const frame = frameOf(input.task.id, degraded, input.budget, countTokens, receiptDigits)
  const headings = Object.fromEntries(
    SECTIONS.map((name) => [name, countTokens(HEADINGS[name])]),
  ) as Record<SectionName, number>
  const sent = knownTiers(items, input.ledger ?? NOTHING_SENT)
  const known = bestFirst(
    items.filter(({ id }) => sent.has(id)),
    scores,
  )
  const line = sentLine(known, input.budget, input.budget - frame.reserved, countTokens)
  const undecided = {
    inputs: {
      ...{ task: input.task.id, focus: input.focus, budget: input.budget },
      ...{ position: input.position, overlay: input.overlay, indexVersion: input.indexVersion },
    },
    ...{ weights, reserved: frame.reserved + line.reserved, headings },
    items: items.map((item) =>
      undecidedItem(item, scores.get(item.id)!, sent.get(item.id), countTokens),
    ),
  }
  const { allocation } = decide(undecided, scores)
  const manifest: Manifest = {
    ...undecided,
    ...{ version: MANIFEST_VERSION, encoding: 'o200k_base', degraded, unweighed },
    items: undecided.items.map((item, at) => {
      const tier = allocation.tiers.get(item.id) ?? null
      // Without a session nobody can say what was delivered to whom.
      const isNoted = input.ledger !== undefined && tier !== null && item.kind !== 'group'
      return { ...item, tier, hashes: isNoted ? tierHashes(items[at]!) : undefined }
    }),
  }
  const manifestText = canonicalJson(manifest)
  const receipt = receiptId(manifestText, receiptDigits)
  const around = { frame, line, countTokens }
  return { ...finishPack(manifest, receipt, items, known, input.records, around), manifestText }
}

const NOTHING_SENT: Ledger = new Map()

/** `manifestText`: the manifest's canonical JSON, as the receipt's id is made from it. */
export type BuiltPack = Pack & { readonly manifestText: string }

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
  /** What the reader was sent before; left out: a pack for no session, of which nothing is noted. */
  readonly ledger?: Ledger | undefined
}

/** Tokens of the budget for each candidate that is weighed: more could hardly be shown. */
const TOKENS_PER = { file: 10, symbol: 8, record: 20 }
const LIVE_MAX = 20
const OPTIONAL_CONVENTIONS_MAX = 50

/** The ranked records that a pack of this budget looks at: those the reader has take nobody's place. */
export function recordsWeighed<Ranked extends { readonly id: string }>(
  ranked: readonly Ranked[],
  { budget, ledger }: Pick<PackInput, 'budget' | 'ledger'>,
): readonly Ranked[] {
  const max = Math.ceil(budget / TOKENS_PER.record)
  return ranked.slice(
    0,
    reach(ranked, max, ({ id }) => ledger?.has(id) === true),
  )
}

/** How far down one has to go to meet `max` that were not sent. */
function reach<T>(ranked: readonly T[], max: number, isSent: (each: T) => boolean): number {
  let met = 0
  const end = ranked.findIndex((each) => !isSent(each) && ++met > max)
  return end < 0 ? ranked.length : end
}

/**
 * In the order of the sections, best first in each; with the score of each by its id, and how many
 * candidates were not looked at.
 */
function weighedItems(
  input: PackInput,
  weights: WeightTable,
): { items: PackItem[]; scores: Map<string, number>; unweighed: Record<string, number> } {
  const { candidates, budget, ledger } = input
  const unweighed: Record<string, number> = {}
  const note = <T>(kind: string, all: readonly T[], weighed: readonly T[]): readonly T[] => {
    if (all.length > weighed.length) unweighed[kind] = all.length - weighed.length
    return weighed
  }
  const first = <T>(kind: string, all: readonly T[], max: number, idOf: (each: T) => string) => {
    const isSent = (each: T) => ledger?.has(idOf(each)) === true
    return note(kind, all, all.slice(0, reach(all, max, isSent)))
  }
  const filesMax = Math.ceil(budget / TOKENS_PER.file)
  const files = first('files', candidates.files, filesMax, ({ path }) => codeId(path, '', 0))
  const symbolsMax = Math.ceil(budget / TOKENS_PER.symbol)
  const symbols = first('symbols', candidates.symbols, symbolsMax, ({ path, symbol }) =>
    codeId(path, symbol.name, symbol.nth),
  )
  const records = note('records', candidates.records, recordsWeighed(candidates.records, input))
  const rules = conventionItems(input.conventions)
  const required = rules.filter((item) => item.required)
  const optional = rules.filter((item) => !item.required)
  const items = [
    ...taskItems(input.task),
    ...mapItems(candidates.folders),
    ...historyItems(records, input.records, input.task.id),
    ...codeItems(files, symbols, new Set(input.changed.map(({ path }) => path))),
    ...required,
    ...first('others', optional, OPTIONAL_CONVENTIONS_MAX, ({ id }) => id),
    ...first('others', liveItems(input.live, candidates.taskFiles), LIVE_MAX, ({ id }) => id),
  ]
  const scores = new Map(items.map((item) => [item.id, scoreOf(item, weights)]))
  const keyed = items.map((item) => {
    return { item, section: SECTIONS.indexOf(item.section), score: scores.get(item.id)! }
  })
  keyed.sort(
    (a, b) =>
      a.section - b.section ||
      b.score - a.score ||
      compareBytes(a.item.order, b.item.order) ||
      compareBytes(a.item.id, b.item.id),
  )
  return { items: keyed.map(({ item }) => item), scores, unweighed }
}

/** Whatever section they are of. */
function bestFirst(
  items: readonly PackItem[],
  scores: ReadonlyMap<string, number>,
): readonly PackItem[] {
  return items.toSorted((a, b) => scores.get(b.id)! - scores.get(a.id)! || compareBytes(a.id, b.id))
}

/** Keys in the order of their bytes, which is what the receipt's hash takes them in. */
function undecidedItem(
  item: PackItem,
  score: number,
  sent: Tier | undefined,
  countTokens: CountTokens,
): ManifestItem {
  const { id, section, kind, ranks, factor, place } = item
  const isFile = place !== null && place.symbol === null
  return {
    blob: isFile ? place.blob : undefined,
    costs: costsOf(item, countTokens),
    factor,
    hashes: undefined,
    id,
    kind,
    line: isFile ? undefined : place?.line,
    parent: item.parent ?? undefined,
    path: isFile ? place.path : undefined,
    ranks,
    required: item.required ? true : undefined,
    score,
    section,
    sent,
    symbol: place?.symbol ?? undefined,
    tier: null,
  }
}

function costsOf({ texts }: PackItem, countTokens: CountTokens): ManifestItem['costs'] {
  const costs: Partial<Record<Tier, number>> = {}
  for (const wanted of TIERS_BY_BYTES) {
    const text = texts.find(({ tier }) => tier === wanted)?.text
    if (text !== undefined) costs[wanted] = countTokens(text)
  }
  return costs
}
