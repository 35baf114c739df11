import { placeOfCodeId } from '../domain/code-search.ts'
import { Fault } from '../domain/fault.ts'
import { symbolsOf } from '../domain/lexical.ts'
import { MARKS } from '../domain/mark.ts'
import { compareBytes } from '../domain/order.ts'
import { type Manifest, placeOf } from '../domain/receipt.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Repo } from '../domain/repo.ts'
import { codeLine, proseLine, quotedLines } from '../domain/sanitise.ts'
import type { Task } from '../domain/task.ts'
import type { Store } from '../store/store.ts'
import { asCodeView } from './code.ts'
import type { IndexedView } from './code-indexes.ts'
import type { Handler } from './deps.ts'
import { renderExplanation } from './explanation.ts'
import { findConvention, findReceipt, findRecord, findRepo, findTask } from './lookup.ts'
import { markIn } from './records.ts'

/** Receipts looked through for a code item's id, newest first. */
const RECEIPTS_MAX = 200
/** Of a record, what `av why` and `av expand` show. */
const BODY_CHARS_MAX = 20_000
/** Files and folders named of one folder. */
const ENTRIES_MAX = 200

/** Everything behind an id of a pack. What it quotes is data, each line marked as such. */
export const expand: Handler<'expand'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const code = asCodeView(input.view)
  const view = code === null ? null : await indexes.of(repo.id).view(code)
  const items: { readonly id: string; readonly text: string }[] = []
  for (const id of input.ids) items.push(await expandOne(store, repo, view, id))
  return { items }
}

type Expanded = { readonly id: string; readonly text: string }

async function expandOne(
  store: Store,
  repo: Repo,
  view: IndexedView | null,
  given: string,
): Promise<Expanded> {
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
  if (given.startsWith('s:')) return codeItem(store, repo, view, given)
  const folder = folderText(view, given)
  if (folder !== null) return folder
  const place = placeIn(view, given)
  if (place !== null && view !== null) return codeText(store, repo, view, given, place)
  return taskText(await findTask(store, repo.id, given))
}

function recordText(record: TaskRecord, view: IndexedView | null): Expanded {
  const { id, kind, task, author, at, supersedes, supersededBy, replyTo, receipt } = record
  const anchors = record.anchors.map((anchor) => {
    const mark = markIn(view, anchor)
    const place = anchor.symbol === null ? anchor.path : `${anchor.path}:${anchor.symbol}`
    return `at ${codeLine(place)}${mark === null ? '' : ` (${MARKS[mark]})`}`
  })
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
async function codeItem(
  store: Store,
  repo: Repo,
  view: IndexedView | null,
  id: string,
): Promise<Expanded> {
  const { items } = await store.listReceipts(repo.id, {}, RECEIPTS_MAX)
  for (const { manifest } of items) {
    const place = placeOf(manifest as Manifest, id)
    if (place === null) continue
    const { path, symbol, line } = place
    if (view?.lexical.byPath.has(path)) {
      return codeText(store, repo, view, id, { path, symbol, line: symbol === null ? null : line })
    }
    const at = symbol === null ? path : `${path}:${line} ${symbol}`
    return { id, text: lines(`${id} ${codeLine(at)}`, NOT_AT_HAND) }
  }
  // What a search named, and no pack held.
  const found = view === null ? null : placeOfCodeId(view.lexical, id)
  if (view !== null && found !== null) return codeText(store, repo, view, id, found)
  throw new Fault(
    'not_found',
    `No pack of this repository had an item ${id}, and the code here has none.`,
    'Name it by path:Symbol.',
    {
      detail: { reason: 'item_unknown', id },
    },
  )
}

const NOT_AT_HAND = 'It is not among the code at hand here.'

/** `map:src/` of a pack, `src/` or `./`: what lies directly in it. Null for what is no folder here. */
function folderText(view: IndexedView | null, given: string): Expanded | null {
  const folder = given.replace(/^map:/, '')
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
  if (files.length + below.size === 0) {
    return given === folder ? null : { id: given, text: lines(codeLine(given), NOT_AT_HAND) }
  }
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
function placeIn(view: IndexedView | null, given: string): CodePlace | null {
  if (view === null) return null
  if (view.lexical.byPath.has(given)) return { path: given, symbol: null, line: null }
  const cut = given.lastIndexOf(':')
  const path = given.slice(0, cut)
  if (cut <= 0 || !view.lexical.byPath.has(path)) return null
  const rest = given.slice(cut + 1)
  if (/^\d+$/.test(rest)) return { path, symbol: null, line: Number(rest) }
  return { path, symbol: rest, line: null }
}

/** Signature, lines and documentation, never a body: that is read from the file itself. */
async function codeText(
  store: Store,
  repo: Repo,
  view: IndexedView,
  id: string,
  { path, symbol, line }: CodePlace,
): Promise<Expanded> {
  const file = view.lexical.byPath.get(path)
  const all = file === undefined ? [] : symbolsOf(file)
  const wanted = all.filter((each) => {
    if (symbol !== null) return each.name === symbol
    return line === null || (each.line <= line && line <= each.endLine)
  })
  if (symbol !== null && wanted.length === 0) {
    throw new Fault(
      'not_found',
      `There is no symbol ${symbol} in ${path}.`,
      `See \`av expand ${path}\`.`,
      {
        detail: { reason: 'symbol_missing', path, symbol },
      },
    )
  }
  const filter = { path, ...(symbol !== null && { symbol }), all: false }
  const { items } = await store.listRecords(repo.id, filter, 20)
  const named = id.startsWith('s:') ? `${id} ` : ''
  return {
    id,
    text: lines(
      `${named}${codeLine(path)}, ${file?.language ?? 'text'}, ${counted(file?.lines ?? 0, 'line')}`,
      ...wanted.flatMap((each) => [
        `L${each.line}-${each.endLine} ${codeLine(each.signature || each.name)}`,
        ...(each.doc === '' ? [] : [`  ${codeLine(each.doc)}`]),
      ]),
      ...items.map((record) => `${record.id} ${record.kind}: ${proseLine(record.summary)}`),
    ),
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function lines(...parts: readonly string[]): string {
  return parts.map((part) => `${part}\n`).join('')
}
