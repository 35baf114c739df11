import { Fault } from './fault.ts'
import { BODY_BYTES_MAX, checkRecordText, SUMMARY_CHARS_MAX } from './record.ts'
import { codeLine } from './sanitise.ts'
import { utf8Bytes } from './text.ts'

/** What one agent tells the next. Each item is text of one or more lines. */
export type Handoff = {
  readonly done: readonly string[]
  readonly remaining: readonly string[]
  readonly broken: readonly string[]
  readonly open: readonly string[]
}

/**
 * Reads a small Markdown with the headings Done, Remaining, Broken and Open (or Open questions), of any level and case.
 * Below them each list item or paragraph is one item, of one or more lines; task marks (`- [x]`) are dropped, and what
 * is indented belongs to the item above it.
 * @throws Fault `bad_input`: text before the first heading, an unknown heading, nothing at all, or far too much.
 */
export function parseHandoff(markdown: string): Handoff {
  const bytes = utf8Bytes(markdown)
  if (bytes > INPUT_BYTES_MAX) {
    throw refused(
      'too_long',
      `The handoff has ${bytes} bytes; the limit is ${INPUT_BYTES_MAX}.`,
      'Keep what the next reader needs.',
    )
  }
  const items: Record<Part, string[]> = { done: [], remaining: [], broken: [], open: [] }
  let part: Part | null = null
  for (const piece of piecesOf(markdown.split(/\r\n?|\n/).map((line) => line.trimEnd()))) {
    if (piece.kind === 'heading') part = partOf(piece.text)
    else if (part === null) {
      throw refused(
        'text_before_heading',
        `The handoff begins with "${codeLine(piece.text, 60)}", under no heading.`,
        `Put it under one of the headings ${HEADINGS}.`,
      )
    } else items[part].push(piece.text)
  }
  if (isEmpty(items)) throw nothing()
  return items
}

/**
 * The handoff as a record keeps it: a summary of one line, and a body that `parseHandoff` reads back as the same
 * handoff, whatever its items hold. White space at line ends and around items, and empty items, are dropped.
 * @throws Fault `bad_input`: nothing in any of the four, a body over its limit, or text that no store takes.
 */
export function handoffRecord(handoff: Handoff): {
  readonly summary: string
  readonly body: string
} {
  const parts = PARTS.map((part) => ({ part, items: handoff[part].map(tidy).filter(Boolean) }))
  if (parts.every(({ items }) => items.length === 0)) throw nothing()
  const body = parts
    .filter(({ items }) => items.length > 0)
    .map(({ part, items }) => `## ${TITLES[part]}\n\n${items.map(listItem).join('\n')}\n`)
    .join('\n')
  const counts = parts
    .filter(({ items }) => items.length > 0)
    .map(({ part, items }) => `${items.length} ${part}`)
  const next = NEXT_FIRST.map((part) => parts.find((one) => one.part === part)!.items[0]).find(
    (item) => item !== undefined,
  )
  const summary = codeLine(`Handed off (${counts.join(', ')}): ${next}`, SUMMARY_CHARS_MAX)
  checkRecordText(summary, body)
  return { summary, body }
}

type Part = keyof Handoff
const PARTS = ['done', 'remaining', 'broken', 'open'] as const satisfies readonly Part[]
/** Which item a summary quotes: what the next owner has to know first. */
const NEXT_FIRST = ['remaining', 'broken', 'open', 'done'] as const satisfies readonly Part[]
const TITLES: Readonly<Record<Part, string>> = {
  done: 'Done',
  remaining: 'Remaining',
  broken: 'Broken',
  open: 'Open questions',
}
const HEADINGS = '## Done, ## Remaining, ## Broken, ## Open questions'
/** White space and marks may take some; what is kept has the limit of a record's body. */
const INPUT_BYTES_MAX = 4 * BODY_BYTES_MAX

/** A list mark, the gap after it, and the text. */
const ITEM = /^( {0,3}(?:[-*+]|\d{1,9}[.)]))(?:([ \t]+)(.*))?$/s
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)(.*)$/s
const UNDERLINE = /^ {0,3}(?:={3,}|-{3,})$/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})$/
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/s
const TASK_MARK = /^\[[ xX]\](?=\s|$)/
/** A backslash in front keeps a text from being read as a task mark; one more keeps that backslash. */
const LIKE_TASK_MARK = /^\\*\[[ xX]\](?=\s|$)/
const ESCAPED_TASK_MARK = /^\\+\[[ xX]\](?=\s|$)/

type Piece = { readonly kind: 'heading' | 'item'; readonly text: string }

/** An item being read: its lines, and how far the lines that belong to it are indented; null: a paragraph. */
type OpenItem = { readonly lines: string[]; readonly indent: number | null }

/** `lines` have no white space at their ends. */
function piecesOf(lines: readonly string[]): Piece[] {
  const pieces: Piece[] = []
  const fenceEnd = fenceFinder(lines)
  const reading: { item: OpenItem | null } = { item: null }
  const startItem = (next: OpenItem | null) => {
    if (reading.item !== null) pieces.push(...itemOf(reading.item))
    reading.item = next
    return next
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const { item } = reading
    if (item?.indent != null && (line === '' || indentOf(line) >= item.indent)) {
      item.lines.push(outdented(line, item.indent))
      continue
    }
    const isAfterBlank = (lines[at - 1] ?? '') === ''
    const listed = ITEM.exec(line)
    const end = fenceEnd(at)
    const below = lines[at + 1] ?? ''
    // Under the last line of a longer text, dashes are a rule, as people write them.
    const isUnderlined =
      listed === null && UNDERLINE.test(below) && (isAfterBlank || below.endsWith('='))
    const title = HEADING.exec(line)?.[1] ?? (isUnderlined && end === null ? line : null)
    if (line === '' || RULE.test(line)) startItem(null)
    else if (title !== null) {
      startItem(null)
      pieces.push({ kind: 'heading', text: title.trim().replace(/(?:^|[ \t])#+$/, '') })
      if (HEADING.exec(line) === null) at++
    } else if (listed !== null) {
      startItem({ lines: [listed[3] ?? ''], indent: contentIndent(listed[1]!, listed[2] ?? '') })
    } else {
      // Right below an item's line it belongs to it, indented or not; after a blank one it does not.
      const into = item === null || isAfterBlank ? startItem({ lines: [], indent: null })! : item
      into.lines.push(end === null ? line.trimStart() : lines.slice(at, end + 1).join('\n'))
      at = end ?? at
    }
  }
  startItem(null)
  return pieces
}

/** Where the fence that opens in a line is closed; null: none opens there, or it is never closed. */
function fenceFinder(lines: readonly string[]): (at: number) => number | null {
  // Shortest fence of each character known to stay open to the end: no longer one is looked for again.
  const unclosed = new Map<string, number>()
  return (at) => {
    const mark = FENCE.exec(lines[at]!)?.[1]
    if (mark === undefined || mark.length >= (unclosed.get(mark[0]!) ?? Infinity)) return null
    for (let end = at + 1; end < lines.length; end++) {
      const line = lines[end]!.trim()
      if (line.startsWith(mark) && line === mark[0]!.repeat(line.length)) return end
    }
    unclosed.set(mark[0]!, mark.length)
    return null
  }
}

function itemOf({ lines, indent }: OpenItem): Piece[] {
  const text = lines.join('\n').trim()
  const isList = indent !== null
  const unmarked = !isList
    ? text
    : ESCAPED_TASK_MARK.test(text)
      ? text.slice(1)
      : text.replace(TASK_MARK, '').trim()
  return unmarked === '' ? [] : [{ kind: 'item', text: unmarked }]
}

/** Every line after the first is indented, so that whatever it begins with stays within its item. */
function listItem(item: string): string {
  const text = LIKE_TASK_MARK.test(item) ? `\\${item}` : item
  return `- ${text.replace(/\n(?!\n)/g, '\n  ')}`
}

function tidy(item: string): string {
  const lines = item.split(/\r\n?|\n/).map((line) => line.trimEnd())
  return lines.join('\n').trim()
}

/** Columns of white space at a line's start; a tab reaches to the next fourth one. */
function indentOf(line: string): number {
  let columns = 0
  for (const char of line) {
    if (char === ' ') columns++
    else if (char === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}

function outdented(line: string, indent: number): string {
  let columns = 0
  let at = 0
  for (; columns < indent && at < line.length; at++) {
    columns += line[at] === '\t' ? 4 - (columns % 4) : 1
  }
  return ' '.repeat(Math.max(0, columns - indent)) + line.slice(at)
}

function contentIndent(mark: string, gap: string): number {
  const columns = indentOf(' '.repeat(mark.length) + gap)
  return columns === mark.length || columns > mark.length + 4 ? mark.length + 1 : columns
}

/** @throws Fault `bad_input`, naming what was found */
function partOf(title: string): Part {
  const bare = codeLine(title, 60).replace(/^[*_]+|[*_:]+$/g, '')
  const name = bare
    .replace(/[()]/g, '')
    .replace(/ questions?$/i, '')
    .toLowerCase()
    .trim()
  const part = PARTS.find((one) => one === name)
  if (part !== undefined) return part
  throw refused(
    'unknown_heading',
    `The handoff has the heading "${bare}".`,
    `Use the headings ${HEADINGS}.`,
  )
}

function isEmpty(handoff: Handoff): boolean {
  return PARTS.every((part) => handoff[part].length === 0)
}

function nothing(): Fault {
  return refused(
    'empty_handoff',
    'The handoff says nothing: it needs what is done, what remains, what is broken, or what is open.',
    `Give --done, --remaining, --broken or --open, or on stdin the headings ${HEADINGS}.`,
  )
}

function refused(reason: string, message: string, remediation: string): Fault {
  return new Fault('bad_input', message, remediation, { detail: { reason } })
}
