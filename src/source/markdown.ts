import { oneLine } from './source-text.ts'
import type { DeclaredSymbol } from './symbols.ts'

/**
 * The headings of a Markdown text; each reaches to the next one of the same or a higher level. Front
 * matter, fenced and indented code and HTML comments hold none.
 */
export function headings(lines: readonly string[]): DeclaredSymbol[] {
  const found = scan(lines)
  return found.map((heading, at) => {
    const next = found.slice(at + 1).find((other) => other.level <= heading.level)
    const endLine = lastFilled(lines, heading.row, (next?.row ?? lines.length) - 1) + 1
    const intro = lines
      .slice(heading.row + heading.rows, endLine)
      .find((line) => line.trim() !== '')
    return {
      name: heading.name,
      kind: 'heading',
      line: heading.row + 1,
      endLine,
      signature: oneLine(`${'#'.repeat(heading.level)} ${heading.name}`),
      doc: intro !== undefined && PROSE.test(intro) ? oneLine(intro) : '',
      comment: null,
    }
  })
}

type Heading = {
  readonly row: number
  /** 1, or 2 with an underline. */
  readonly rows: number
  readonly level: number
  readonly name: string
}

const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/
const UNDERLINE = /^ {0,3}(?:(=+)|-+)[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** A line that an underline turns into a heading: text, not a list, quote, table or indented code. */
const PARAGRAPH = /^ {0,3}(?![-*+>|]|\d+[.)] )\S/
const PROSE = /^ {0,3}(?![|#>`~<[!]|[-*_=]{3})\S*\p{L}/u
const HEADINGS_MAX = 5_000
/** Bounds the work on a hostile line. */
const RAW_MAX = 300

function scan(lines: readonly string[]): Heading[] {
  const out: Heading[] = []
  for (let row = frontMatterEnd(lines); row < lines.length && out.length < HEADINGS_MAX; row++) {
    const line = lines[row]!
    const skipped = skip(lines, row)
    if (skipped > row) row = skipped
    else {
      const heading = atx(line, row) ?? setext(lines, row)
      if (heading === null) continue
      if (heading.name !== '') out.push(heading)
      row += heading.rows - 1
    }
  }
  return out
}

function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0
  const end = lines.findIndex((line, row) => row > 0 && /^(?:---|\.\.\.)\s*$/.test(line))
  return end < 0 ? 0 : end + 1
}

/** The last row of the fence or comment that begins at `row`, or `row` itself. */
function skip(lines: readonly string[], row: number): number {
  const line = lines[row]!
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined && !(fence[0] === '`' && line.trimStart().includes('`', fence.length))) {
    const close = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`)
    return nextRow(lines, row + 1, (each) => close.test(each))
  }
  if (!/^ {0,3}<!--/.test(line) || line.includes('-->')) return row
  return nextRow(lines, row + 1, (each) => each.includes('-->'))
}

function nextRow(lines: readonly string[], from: number, ends: (line: string) => boolean): number {
  for (let row = from; row < lines.length; row++) if (ends(lines[row]!)) return row
  return lines.length
}

function atx(line: string, row: number): Heading | null {
  const marks = ATX.exec(line)?.[1]
  if (marks === undefined) return null
  const rest = line.slice(line.indexOf('#') + marks.length, RAW_MAX)
  return { row, rows: 1, level: marks.length, name: heading(rest) }
}

function setext(lines: readonly string[], row: number): Heading | null {
  if (!PARAGRAPH.test(lines[row]!)) return null
  if (row > 0 && PARAGRAPH.test(lines[row - 1]!) && !ATX.test(lines[row - 1]!)) return null
  const under = UNDERLINE.exec(lines[row + 1] ?? '')
  return (
    under && { row, rows: 2, level: under[1] === undefined ? 2 : 1, name: heading(lines[row]!) }
  )
}

/** What a reader sees of a heading: no links' targets, no marks of emphasis or code. */
function heading(raw: string): string {
  const text = raw
    .slice(0, RAW_MAX)
    .trim()
    .replace(/(^|[ \t])#+$/, '')
    .replace(/<!--.*?-->/g, '')
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/\s*\{#[\w-]+\}$/, '')
    .replace(/\*\*|__|`/g, '')
    .replace(/(^|\s)[*_](\S[^*_]*)[*_](?=\s|$|[.,:;!?])/g, '$1$2')
  return oneLine(text.normalize('NFC'))
}

function lastFilled(lines: readonly string[], from: number, to: number): number {
  let row = to
  while (row > from && lines[row]!.trim() === '') row--
  return row
}
