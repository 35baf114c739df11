import type { List } from '../../api/views.ts'
import { relativeTime } from '../relative-time.ts'
import { visible, visibleLine } from '../visible.ts'
import type { Page } from './page.ts'

/** Label and value on a line each, set in by two, the values below one another. */
export function facts(rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(0, ...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}\n`).join('')
}

/** An id as it stands first on a line. */
export function id(text: string, page: Page): string {
  return page.paint.dim(visibleLine(text))
}

/** The text of an item, set in; a long one is cut, with a last line that says how to see it all. */
export function indented(text: string, itemId: string): string {
  const lines = visible(text.replaceAll('\r\n', '\n')).trimEnd().split('\n')
  const shown = lines.slice(0, TEXT_LINES_MAX).map((line) => `    ${line}`.trimEnd())
  const left = lines.length - shown.length
  const rest = `    … ${left} more lines: av expand ${visibleLine(itemId)}`
  return [...shown, ...(left > 0 ? [rest] : [])].map((line) => `${line}\n`).join('')
}

const TEXT_LINES_MAX = 12

/** The last line of a list that was cut. Its `…` keeps it from being taken for an item. */
export function moreLine(list: List<unknown>, page: Page, way: string): string {
  return list.more && !page.isQuiet ? `… and more: ${way}\n` : ''
}

/** The way to see more of a list with a limit, in one more step of the same size. */
export function largerLimit(list: List<unknown>): string {
  return `--limit ${Math.min(2 * Math.max(1, list.items.length), LIMIT_MAX)} shows more`
}

/** What `limit()` of the contract allows. */
const LIMIT_MAX = 1_000

export function ago(instant: string, page: Page): string {
  return visibleLine(relativeTime(instant, page.nowMs))
}

/** A commit as people tell it from another. */
export const shortCommit = (commit: string): string => visibleLine(commit.slice(0, 12))

export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function byteCount(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${Math.round(bytes / 1_000_000)} MB`
}
