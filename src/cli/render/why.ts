import type { Output } from '../../api/routes.ts'
import type { AnchorView, ConventionView, List, LogItem, RecordView } from '../../api/views.ts'
import type { Anchor } from '../../domain/anchor.ts'
import { prose, visibleLine } from '../visible.ts'
import { ago, counted, id, indented, largerLimit, moreLine } from './lines.ts'
import type { Page, Rendered } from './page.ts'

export const whyRenderers = {
  record: (record: RecordView, page: Page): Rendered => ({
    out: [
      `${id(record.id, page)} ${record.kind}, ${visibleLine(record.task)}\n`,
      `  ${prose(record.summary)}\n`,
      ...record.anchors.map((anchor) => `  at ${anchorText(anchor)}\n`),
      redactedLine(record.redacted),
    ].join(''),
  }),
  log: (list: Output<'log'>, page: Page): Rendered => logText(list, page, 'No records.'),
  why: (list: Output<'why'>, page: Page): Rendered =>
    logText(list, page, 'No record is anchored there.'),
  'convention.add': conventionAlone,
  'convention.retire': conventionAlone,
  'convention.propose': conventionAlone,
  'convention.accept': conventionAlone,
  'convention.list': (list: List<ConventionView>, page: Page): Rendered => ({
    out: `${list.items.map((item) => conventionText(item, page)).join('')}${moreLine(list, page, 'give a PATH for the rules of one file')}`,
    ...(list.items.length === 0 && { talk: 'No conventions. `av convention add` makes one.\n' }),
  }),
} as const

function logText(list: List<LogItem>, page: Page, none: string): Rendered {
  if (list.items.length === 0) return { out: '', talk: `${none}\n` }
  const items = list.items.map((item) => logItem(item, page))
  return { out: `${items.join('')}${moreLine(list, page, largerLimit(list))}` }
}

export function logItem(item: LogItem, page: Page): string {
  const { supersedes, supersededBy, replyTo, receipt } = item
  const head = [item.kind, visibleLine(item.author), ago(item.at, page), visibleLine(item.task)]
  // What became of the code stands beside the anchor it is about.
  const ofAnchors = item.anchors.map(({ mark }) => mark)
  const ownMarks = item.marks.filter((mark) => !ofAnchors.includes(mark))
  const marks = ownMarks.map((mark) => ` (${visibleLine(mark)})`).join('')
  const links = [
    ...link('supersedes', supersedes),
    ...link('superseded by', supersededBy),
    ...link('answers', replyTo === null ? [] : [replyTo]),
    ...link('from', receipt === null ? [] : [receipt]),
  ]
  return [
    `${id(item.id, page)} ${head.join(', ')}${marks}\n`,
    `  ${prose(item.summary)}\n`,
    ...item.anchors.map(anchorLine),
    ...(links.length === 0 ? [] : [`  ${links.join(', ')}\n`]),
    item.body === '' ? '' : indented(item.body, item.id),
  ].join('')
}

function link(verb: string, ids: readonly string[]): readonly string[] {
  return ids.length === 0 ? [] : [`${verb} ${ids.map(visibleLine).join(', ')}`]
}

function anchorText({ path, symbol }: Pick<Anchor, 'path' | 'symbol'>): string {
  return visibleLine(symbol === null ? path : `${path}:${symbol}`)
}

/** Where a record is anchored, and what became of the code there; of code that moved, where it is now. */
export function anchorLine(anchor: AnchorView): string {
  const { mark, movedTo } = anchor
  if (movedTo !== null) {
    return `  at ${anchorText(movedTo)} (moved from ${anchorText(anchor)})\n`
  }
  const known = mark === null ? '' : ` (${visibleLine(mark)})`
  return `  at ${anchorText(anchor)}${known}\n`
}

function redactedLine(count: number): string {
  if (count === 0) return ''
  return `  ${counted(count, 'secret was', 'secrets were')} replaced before storing\n`
}

function conventionAlone(convention: ConventionView, page: Page): Rendered {
  return { out: conventionText(convention, page) }
}

function conventionText(convention: ConventionView, page: Page): string {
  const { glob, required, state, author, at } = convention
  const facts = [
    visibleLine(glob),
    state,
    ...(required ? ['required'] : []),
    visibleLine(author),
    ago(at, page),
  ]
  return `${id(convention.id, page)} ${facts.join(', ')}\n${indented(convention.text, convention.id)}`
}
