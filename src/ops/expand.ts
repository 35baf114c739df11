import type { Anchor } from '../domain/anchor.ts'
import { type AnchorState, anchorsIn, type Place } from '../domain/anchor-moves.ts'
import { placeOfCodeId } from '../domain/code-search.ts'
import { Fault } from '../domain/fault.ts'
import { symbolsOf } from '../domain/lexical.ts'
import { MARKS } from '../domain/mark.ts'
import { compareBytes } from '../domain/order.ts'
import { type Manifest, placeOf } from '../domain/receipt.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Repo } from '../domain/repo.ts'
import { codeLine, proseLine, quotedLines } from '../domain/sanitise.ts'
import { TASK_ID_PATTERN, type Task } from '../domain/task.ts'
import { listWithMoved } from './anchored-records.ts'
import type { IndexedView } from './code-indexes.ts'
import type { Deps, Handler } from './deps.ts'
import { renderExplanation } from './explanation.ts'
import { findConvention, findReceipt, findRecord, findRepo, findTask } from './lookup.ts'
import { viewGiven } from './records.ts'

/** Receipts looked through for a code item's id, newest first. */
const RECEIPTS_MAX = 200
/** Records named of one place, newest first. */
const RECORDS_MAX = 20
/** Of a record, what `av why` and `av expand` show. */
const BODY_CHARS_MAX = 20_000
/** Files and folders named of one folder. */
const ENTRIES_MAX = 200

/** Everything behind an id of a pack. What it quotes is data, each line marked as such. */
export const expand: Handler<'expand'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const view = await viewGiven({ indexes }, repo.id, input.view)
  const items: Expanded[] = []
  for (const id of input.ids) items.push(await expandOne({ store, indexes, repo, view }, id))
  return { items }
}

type Expanded = { readonly id: string; readonly text: string }

/** Where an id is looked up: the repo, and the code one stands on. */
type Here = Pick<Deps, 'store' | 'indexes'> & {
  readonly repo: Repo
  readonly view: IndexedView | null
}

async function expandOne(here: Here, given: string): Promise<Expanded> {
  const { store, repo, view } = here
  if (given.startsWith('r:')) return recordText(await findRecord(store, repo.id, given), view)
  if (given.startsWith('c:')) {
    const { id, glob, text, required, state, author } = await findConvention(store, repo.id, given)
    const head = `${id} convention for ${codeLine(glob)}${required ? ', required' : ''}, ${state}, by ${author}`
    return { id, text: lines(head, ...quotedLines(text, BODY_CHARS_MAX)) }
  }
  if (given.startsWith('rcp:')) {
    const { id, manifest } = await findReceipt(store, repo.id, given)
    return { id, text: `${id} receipt\n${renderExplanation(manifest as Manifest)}` }
  }
  if (given.startsWith('s:')) return codeItem(here, given)
  const folder = folderText(view, given)
  if (folder !== null) return folder
  const place = placeIn(view, given)
  if (place !== null) return codeText(here, given, place)
  const gone = await goneText(here, given, given.replace(MAP, ''))
  if (gone !== null) return gone
  if (MAP.test(given)) return { id: given, text: lines(codeLine(given), NOT_AT_HAND) }
  if (TASK_ID_PATTERN.test(given)) return taskText(await findTask(store, repo.id, given))
  throw new Fault(
    'not_found',
    `There is no ${given} here.`,
    'Give an id that a pack, `av search` or `av log` named, or path[:symbol|:line] from the root of the repository.',
    { detail: { reason: 'item_unknown', id: given } },
  )
}

function recordText(record: TaskRecord, view: IndexedView | null): Expanded {
  const { id, kind, task, author, at, supersedes, supersededBy, replyTo, receipt } = record
  const states = anchorsIn(view, record.anchors)
  const anchors = record.anchors.map((anchor, nth) => `at ${anchorText(anchor, states[nth]!)}`)
  return {
    id,
    text: lines(
      `${id} ${kind === 'attempt' ? 'attempt (a dead end)' : kind}, task ${task}, by ${author}, ${at}`,
      ...quotedLines(record.summary, BODY_CHARS_MAX),
      ...anchors,
      ...(supersedes.length > 0 ? [`supersedes ${supersedes.join(', ')}`] : []),
      ...(supersededBy.length > 0 ? [`superseded by ${supersededBy.join(', ')}`] : []),
      ...(replyTo === null ? [] : [`answers ${replyTo}`]),
      ...(receipt === null ? [] : [`written from ${receipt}`]),
      ...(record.body === '' ? [] : quotedLines(record.body, BODY_CHARS_MAX)),
    ),
  }
}

function anchorText(anchor: Anchor, { mark, at }: AnchorState): string {
  const recorded = placeText(anchor)
  if (mark === 'moved' && at !== null) return `${placeText(at)} (moved from ${recorded})`
  return `${recorded}${mark === null ? '' : ` (${MARKS[mark]})`}`
}

function placeText({ path, symbol }: Place): string {
  return codeLine(symbol === null ? path : `${path}:${symbol}`)
}

function taskText(task: Task): Expanded {
  const { id, state, owner, goal, base, head, createdAt } = task
  return {
    id,
    text: lines(
      `${id} task, ${state}, ${owner === null ? 'nobody owns it' : `owner ${owner}`}, started ${createdAt}`,
      `base ${base ?? 'none'}, last checkpoint ${head ?? 'none'}`,
      ...quotedLines(goal, BODY_CHARS_MAX),
    ),
  }
}

type CodePlace = {
  readonly path: string
  readonly symbol: string | null
  readonly line: number | null
}

/** Where a code item of some pack lies now; the receipts know what its id stood for. */
async function codeItem(here: Here, id: string): Promise<Expanded> {
  const { store, repo, view } = here
  const { items } = await store.listReceipts(repo.id, {}, RECEIPTS_MAX)
  for (const { manifest } of items) {
    const place = placeOf(manifest as Manifest, id)
    if (place === null) continue
    const { path, symbol, line } = place
    if (view?.lexical.byPath.has(path)) {
      return codeText(here, id, { path, symbol, line: symbol === null ? null : line })
    }
    const at = symbol === null ? path : `${path}:${line} ${symbol}`
    const gone = await goneText(here, id, symbol === null ? path : `${path}:${symbol}`)
    return gone ?? { id, text: lines(`${id} ${codeLine(at)}`, NOT_AT_HAND) }
  }
  // What a search named, and no pack held.
  const found = view === null ? null : placeOfCodeId(view.lexical, id)
  if (found !== null) return codeText(here, id, found)
  throw new Fault(
    'not_found',
    `No pack of this repository had an item ${id}, and the code here has none.`,
    'Name it by path:Symbol.',
    {
      detail: { reason: 'item_unknown', id },
    },
  )
}

/** What a pack's Map puts before a folder. */
const MAP = /^map:/

const NOT_AT_HAND = 'It is not among the code at hand here.'

/** `map:src/` of a pack, `src/` or `./`: what lies directly in it. Null for what is no folder here. */
function folderText(view: IndexedView | null, given: string): Expanded | null {
  const folder = given.replace(MAP, '')
  if (!folder.endsWith('/')) return null
  const prefix = folder === './' ? '' : folder
  const files: string[] = []
  const below = new Map<string, number>()
  for (const [path, file] of view?.lexical.byPath ?? []) {
    if (!path.startsWith(prefix)) continue
    const cut = path.indexOf('/', prefix.length)
    const inner = path.slice(0, cut + 1)
    if (cut < 0) files.push(`${codeLine(path)}, ${counted(file.symbols.size, 'symbol')}`)
    else below.set(inner, (below.get(inner) ?? 0) + 1)
  }
  if (files.length + below.size === 0) return null
  const folders = [...below].map(([inner, count]) => `${codeLine(inner)} ${counted(count, 'file')}`)
  const all = [...files.sort(compareBytes), ...folders.sort(compareBytes)]
  const left = all.length - ENTRIES_MAX
  return {
    id: given,
    text: lines(
      `${codeLine(given)} folder`,
      ...all.slice(0, ENTRIES_MAX),
      ...(left > 0 ? [`… and ${left} more`] : []),
    ),
  }
}

/** `path`, `path:Symbol` or `path:line` of the code at hand. */
function placeIn(view: IndexedView | null, written: string): CodePlace | null {
  if (view === null) return null
  const whole = written.normalize('NFC')
  if (view.lexical.byPath.has(whole)) return { path: whole, symbol: null, line: null }
  const cut = whole.lastIndexOf(':')
  const path = whole.slice(0, cut)
  if (cut <= 0 || !view.lexical.byPath.has(path)) return null
  const rest = whole.slice(cut + 1)
  if (rest === '') return { path, symbol: null, line: null }
  if (/^\d+$/.test(rest)) return { path, symbol: null, line: Number(rest) }
  return { path, symbol: rest, line: null }
}

/** Signature, lines and documentation, never a body: that is read from the file itself. */
async function codeText(
  here: Here,
  id: string,
  { path, symbol, line }: CodePlace,
): Promise<Expanded> {
  const file = here.view?.lexical.byPath.get(path)
  const all = file === undefined ? [] : symbolsOf(file)
  const wanted = all.filter((each) => {
    if (symbol !== null) return each.name === symbol
    return line === null || (each.line <= line && line <= each.endLine)
  })
  if (symbol !== null && wanted.length === 0) {
    const gone = await goneText(here, id, `${path}:${symbol}`)
    if (gone !== null) return gone
    throw new Fault(
      'not_found',
      `There is no symbol ${symbol} in ${path}.`,
      `See \`av expand ${path}\`.`,
      {
        detail: { reason: 'symbol_missing', path, symbol },
      },
    )
  }
  const records = await recordsAt(here, { path, symbol })
  const named = id.startsWith('s:') ? `${id} ` : ''
  return {
    id,
    text: lines(
      `${named}${codeLine(path)}, ${file?.language ?? 'text'}, ${counted(file?.lines ?? 0, 'line')}`,
      ...wanted.flatMap((each) => [
        `L${each.line}-${each.endLine} ${codeLine(each.signature || each.name)}`,
        ...(each.doc === '' ? [] : [`  ${codeLine(each.doc)}`]),
      ]),
      ...records.map((record) => recordLine(here.view, record)),
    ),
  }
}

/** Current records anchored at a place or below it, newest first. */
async function recordsAt(
  { store, indexes, repo, view }: Here,
  { path, symbol }: Place,
): Promise<readonly TaskRecord[]> {
  const filter = { path, ...(symbol !== null && { symbol }), all: false }
  return (await listWithMoved({ store, indexes }, repo, filter, view, RECORDS_MAX)).items
}

/** A record on one line, with what became of its code. */
function recordLine(view: IndexedView | null, { id, kind, summary, anchors }: TaskRecord): string {
  const states = anchorsIn(view, anchors)
  const told = anchors.flatMap((anchor, nth) => {
    const state = states[nth]!
    return state.mark === null ? [] : [anchorText(anchor, state)]
  })
  return `${id} ${kind}: ${proseLine(summary)}${told.length === 0 ? '' : ` [${told.join(', ')}]`}`
}

/** Of `path`, `path:Symbol` or `folder/` that is not there, and was: its records say where it went. */
async function goneText(here: Here, id: string, written: string): Promise<Expanded | null> {
  const { view } = here
  if (view === null) return null
  const cut = written.lastIndexOf(':')
  const places: Place[] = [{ path: written, symbol: null }]
  if (cut > 0) places.push({ path: written.slice(0, cut), symbol: written.slice(cut + 1) })
  for (const place of places) {
    const records = await recordsAt(here, place)
    // A record of a whole file that is still there says nothing of a name that is not in it.
    const isThere = view.lexical.byPath.has(place.path)
    const told = records.filter(
      ({ anchors }) => !isThere || anchors.some(({ symbol }) => symbol === place.symbol),
    )
    if (told.length === 0) continue
    const head = id.startsWith('s:') ? `${id} ${codeLine(written)}` : codeLine(id)
    return { id, text: lines(head, NOT_AT_HAND, ...told.map((record) => recordLine(view, record))) }
  }
  return null
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function lines(...parts: readonly string[]): string {
  return parts.map((part) => `${part}\n`).join('')
}
