import type { ChangedFile } from './checkpoint.ts'
import type { Handoff } from './handoff.ts'
import { compareBytes } from './order.ts'
import type { RecordKind } from './record.ts'
import { block, codeLine, proseLine, quotedLines } from './sanitise.ts'

/** What a handoff bundle tells of. Superseded and purged records are not among it. */
export type BundleFacts = {
  readonly task: {
    readonly id: string
    readonly goal: string
    readonly kind: string
    readonly state: string
    readonly owner: string | null
    readonly base: string | null
    readonly head: string | null
    readonly flags: readonly string[]
    /** Paths that are in conflict. */
    readonly conflicted: readonly string[]
  }
  readonly handoff: (Handoff & { readonly by: string }) | null
  /** Newest first. */
  readonly records: readonly BundleRecord[]
  readonly files: readonly ChangedFile[]
  /** `path:Symbol` */
  readonly symbols: readonly string[]
  /** `at`: `path[:Symbol]`. */
  readonly openThreads: readonly {
    readonly id: string
    readonly summary: string
    readonly author: string
    readonly at: string | null
  }[]
  /** The current verdict in words. */
  readonly verdict: string | null
  /** Names of checks whose last report failed. */
  readonly failing: readonly string[]
}

export type BundleRecord = {
  readonly id: string
  readonly kind: RecordKind
  readonly summary: string
  readonly body: string
  readonly author: string
  readonly anchors: readonly { readonly path: string; readonly symbol: string | null }[]
}

/** Something a bundle can tell, poorest text first, each a block as `sanitise.block` makes it. */
export type Entry = {
  readonly noun: 'goal' | 'handoff item' | 'record' | 'file' | 'symbol' | 'open question'
  /** The record that it tells, or is part of. */
  readonly record: string | null
  readonly texts: readonly [string, ...string[]]
}

/** In the order in which a bundle tells them. */
export type Entries = {
  readonly head: Entry
  readonly handoffHeading: string
  readonly handoff: Readonly<Record<keyof Handoff, readonly Entry[]>>
  readonly decisions: readonly Entry[]
  readonly others: readonly Entry[]
  readonly files: readonly Entry[]
  readonly symbols: readonly Entry[]
  readonly threads: readonly Entry[]
}

/**
 * All that a bundle could tell. Each line of untrusted text is within a list item or quoted, so that none stands where
 * a line of ours does. A record is told once: the last handoff by its items, an open thread as a question.
 */
export function entriesOf(facts: BundleFacts): Entries {
  const { handoff, openThreads } = facts
  const lastHandoff = handoff === null ? undefined : facts.records.find(isHandoff)
  const threads = new Set(openThreads.map(({ id }) => id))
  const isDecision = ({ kind }: BundleRecord) => kind === 'decision' || kind === 'attempt'
  const isOther = (record: BundleRecord) =>
    !isDecision(record) &&
    record !== lastHandoff &&
    !threads.has(record.id) &&
    !(record.kind === 'intent' && record.summary.trim() === facts.task.goal.trim())
  const items = (part: keyof Handoff) =>
    (handoff?.[part] ?? []).map((text) => handoffItem(part, text, lastHandoff?.id ?? null))
  return {
    head: head(facts),
    handoffHeading: block([`## Last handoff, by ${proseLine(handoff?.by ?? '', NAME_CHARS)}`]),
    handoff: {
      done: items('done'),
      remaining: items('remaining'),
      broken: items('broken'),
      open: items('open'),
    },
    decisions: facts.records.filter(isDecision).map(recordEntry),
    others: facts.records.filter(isOther).map(recordEntry),
    files: [...facts.files].sort(byPath).map(fileEntry),
    symbols: unique(facts.symbols).map((symbol) =>
      entry('symbol', null, [`- symbol ${proseLine(symbol)}`]),
    ),
    threads: openThreads
      .filter(({ id }) => !facts.records.some((one) => one.id === id && isDecision(one)))
      .map((thread) => threadEntry(thread, facts.records)),
  }
}

const isHandoff = ({ kind }: BundleRecord): boolean => kind === 'handoff'

const GOAL_LEAST_CHARS = 160
const GOAL_CHARS = 1_200
const BODY_CHARS = 1_400
const NAME_CHARS = 64
const LIST_CHARS = 160
const ANCHORS_SHOWN = 3
const COMMIT_CHARS = 12

function head({ task, verdict, failing }: BundleFacts): Entry {
  const title = `# Handoff of ${codeLine(task.id, 80)}`
  const goal = `- goal: ${proseLine(task.goal, GOAL_LEAST_CHARS)}`
  const isWhole = isOneLine(task.goal, GOAL_LEAST_CHARS)
  const whole = isWhole ? [goal] : ['- goal:', ...quotedLines(task.goal, GOAL_CHARS)]
  const commit = (name: string, id: string | null) =>
    id === null ? `no ${name}` : `${name} ${codeLine(id.slice(0, COMMIT_CHARS))}`
  const list = (name: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${name} ${proseLine(unique(items).join(', '), LIST_CHARS)}`]
  const least = [
    task.kind === 'work' ? task.state : `${task.state} ${task.kind}`,
    task.owner === null ? 'nobody owns it' : `owner ${proseLine(task.owner, NAME_CHARS)}`,
  ]
  const all = [
    ...least,
    commit('base', task.base),
    commit('head', task.head),
    ...list('flags', task.flags),
    ...(verdict === null ? [] : [proseLine(verdict, LIST_CHARS)]),
    ...list('failing', failing),
    ...list('in conflict', task.conflicted),
  ]
  const state = `- state: ${all.join('; ')}`
  return entry(
    'goal',
    null,
    [title, goal, `- state: ${least.join('; ')}`],
    [title, goal, state],
    [title, ...whole, state],
  )
}

function handoffItem(part: keyof Handoff, text: string, record: string | null): Entry {
  const short = [`- ${part}: ${proseLine(text)}`]
  const long = isOneLine(text) ? short : [`- ${part}:`, ...quotedLines(text)]
  return entry('handoff item', record, short, long)
}

function recordEntry(record: BundleRecord): Entry {
  const { id, kind, summary, body, author } = record
  // A dead end has to look like one.
  const kindWord = kind === 'attempt' ? 'dead end' : kind
  const who = proseLine(author, NAME_CHARS)
  const line = `- ${proseLine(id, NAME_CHARS)} ${kindWord} by ${who}: ${proseLine(summary)}`
  const short = `${line}${anchorsOf(record)}`
  return entry('record', id, [short], [short, ...quotedLines(body, BODY_CHARS)])
}

function anchorsOf({ anchors }: BundleRecord): string {
  const places = unique(
    anchors.map(({ path, symbol }) => (symbol === null ? path : `${path}:${symbol}`)),
  )
  if (places.length === 0) return ''
  const shown = places.slice(0, ANCHORS_SHOWN).map((place) => proseLine(place, LIST_CHARS))
  const more = places.length - shown.length
  return ` [${shown.join(', ')}${more > 0 ? `, ${more} more` : ''}]`
}

function fileEntry({ path, status, from }: ChangedFile): Entry {
  const origin = from === null ? '' : ` (from ${proseLine(from)})`
  return entry('file', null, [`- ${status} ${proseLine(path)}${origin}`])
}

function threadEntry(
  { id, summary, author, at }: BundleFacts['openThreads'][number],
  records: readonly BundleRecord[],
): Entry {
  const place = at === null ? '' : ` at ${proseLine(at, LIST_CHARS)}`
  const who = proseLine(author, NAME_CHARS)
  const short = `- ${proseLine(id, NAME_CHARS)} by ${who}${place}: ${proseLine(summary)}`
  const body = records.find((record) => record.id === id)?.body ?? ''
  return entry('open question', id, [short], [short, ...quotedLines(body, BODY_CHARS)])
}

/** Texts that say no more than the one before are left out. */
function entry(
  noun: Entry['noun'],
  record: string | null,
  least: readonly string[],
  ...richer: readonly (readonly string[])[]
): Entry {
  const texts: [string, ...string[]] = [block(least)]
  for (const lines of richer) {
    const text = block(lines)
    if (text !== texts.at(-1)) texts.push(text)
  }
  return { noun, record, texts }
}

/** Whether `proseLine` tells all of it. */
function isOneLine(text: string, charsMax?: number): boolean {
  return !/[\r\n]/.test(text.trim()) && proseLine(text, charsMax) === proseLine(text, 20_000)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareBytes)
}

function byPath(a: ChangedFile, b: ChangedFile): number {
  return (
    compareBytes(a.path, b.path) ||
    compareBytes(a.status, b.status) ||
    compareBytes(a.from ?? '', b.from ?? '')
  )
}
