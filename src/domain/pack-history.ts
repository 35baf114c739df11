import type { RecordCandidate } from './pack-candidate.ts'
import { type PackItem, sortable, tierTexts } from './pack-item.ts'
import type { RecordKind, TaskRecord } from './record.ts'
import { block, codeLine, proseLine, quotedLines } from './sanitise.ts'
import { RECORD_FACTORS } from './weights.ts'

/** A current record as a pack shows it. `mark`: what became of the anchored code, or null. */
export type PackRecord = Pick<
  TaskRecord,
  'id' | 'position' | 'task' | 'kind' | 'summary' | 'body' | 'supersedes' | 'receipt'
> & {
  readonly anchors: readonly RecordAnchor[]
  /** Current records that this one contradicts or reverts. */
  readonly corrects: readonly string[]
  /** Other current records that supersede one of those it supersedes: the reader has to choose. */
  readonly rivals: readonly string[]
}
export type RecordAnchor = {
  readonly path: string
  readonly symbol: string | null
  /** `changed since recorded`, `gone since recorded`, …; null: as it was. It costs no rank. */
  readonly mark: string | null
  /** Where it stood when recorded, of code that moved to `path` since. */
  readonly movedFrom?: { readonly path: string; readonly symbol: string | null }
}

/** Records without text (not among `records`) are left out: superseded or purged meanwhile. */
export function historyItems(
  candidates: readonly RecordCandidate[],
  records: readonly PackRecord[],
  ownTask: string,
): PackItem[] {
  const byId = new Map<string, PackRecord>(records.map((record) => [record.id, record]))
  const corrector = correctorsAmong(candidates, byId)
  return candidates.flatMap(({ id, ranks }) => {
    const record = byId.get(id)
    if (record === undefined) return []
    return [
      {
        ...{ id, section: 'history' as const, kind: 'record' as const, ranks },
        factor: RECORD_FACTORS[record.kind],
        ...{ required: false, parent: corrector.get(id) ?? null, place: null },
        order: `${sortable(999_999_999_999 - record.position)}\0${id}`,
        texts: recordTexts(record, ownTask),
      },
    ]
  })
}

/** Record → the best ranked candidate that corrects it, which has to be shown whenever it is. */
function correctorsAmong(
  candidates: readonly RecordCandidate[],
  byId: ReadonlyMap<string, PackRecord>,
): Map<string, string> {
  const found = new Map<string, string>()
  for (const { id } of candidates) {
    for (const corrected of byId.get(id)?.corrects ?? []) {
      if (!found.has(corrected) && corrected !== id) found.set(corrected, id)
    }
  }
  return found
}

/** The same items, each directly after whatever corrects it that had not come before. */
export function correctionsFirst(
  items: readonly PackItem[],
  records: readonly PackRecord[],
): PackItem[] {
  const correctorsOf = new Map<string, PackItem[]>()
  const itemOf = new Map(items.map((item) => [item.id, item]))
  for (const { id, corrects } of records) {
    const corrector = itemOf.get(id)
    if (corrector === undefined) continue
    for (const corrected of corrects) {
      correctorsOf.set(corrected, [...(correctorsOf.get(corrected) ?? []), corrector])
    }
  }
  // A set keeps the order of insertion; an item met again on its own way up is a circle, and is left.
  const order = new Set<PackItem>()
  const met = new Set<PackItem>()
  const place = (item: PackItem) => {
    if (met.has(item)) return
    met.add(item)
    const correctors = correctorsOf.get(item.id) ?? []
    for (const corrector of items) if (correctors.includes(corrector)) place(corrector)
    order.add(item)
  }
  for (const item of items) place(item)
  return [...order]
}

const FIRST_WORDS_CHARS = 56
const ANCHORS_SHOWN = 2
const BODY_CHARS = 1_400

/** What a pack calls a kind. A dead end has to look like one. */
const KIND_WORDS: Readonly<Record<RecordKind, string>> = {
  intent: 'intent',
  decision: 'decision',
  attempt: 'dead end',
  note: 'note',
  handoff: 'handoff',
  review: 'review',
}

function recordTexts(record: PackRecord, ownTask: string) {
  const head = `- ${record.id} ${KIND_WORDS[record.kind]}: `
  const summary = `${head}${proseLine(record.summary)}${anchorsLine(record.anchors)}`
  return tierTexts(
    block([`${head}${proseLine(record.summary, FIRST_WORDS_CHARS)}`]),
    block([summary]),
    block([summary, ...quotedLines(record.body, BODY_CHARS), ...links(record, ownTask)]),
  )
}

function anchorsLine(anchors: readonly RecordAnchor[]): string {
  if (anchors.length === 0) return ''
  const shown = anchors.slice(0, ANCHORS_SHOWN).map((anchor) => {
    const { mark, movedFrom } = anchor
    if (movedFrom !== undefined) return `${placeLine(anchor)} (moved from ${placeLine(movedFrom)})`
    return mark === null ? placeLine(anchor) : `${placeLine(anchor)} (${mark})`
  })
  const more = anchors.length - shown.length
  return ` [${shown.join(', ')}${more > 0 ? `, ${more} more` : ''}]`
}

function placeLine({ path, symbol }: Pick<RecordAnchor, 'path' | 'symbol'>): string {
  return codeLine(symbol === null ? path : `${path}:${symbol}`, 160)
}

function links(record: PackRecord, ownTask: string): string[] {
  const parts: string[] = []
  // Whose it is tells too little to be worth a line of its own.
  const hasBody = record.body.trim() !== ''
  if (hasBody && record.task !== ownTask) parts.push(`from task ${record.task}`)
  if (record.supersedes.length > 0) parts.push(`supersedes ${record.supersedes.join(', ')}`)
  if (record.corrects.length > 0) parts.push(`corrects ${record.corrects.join(', ')}`)
  if (record.rivals.length > 0) parts.push(`so does ${record.rivals.join(', ')}`)
  if (record.receipt !== null) parts.push(`cites ${record.receipt}`)
  return parts.length === 0 ? [] : [`> (${parts.join('; ')})`]
}
