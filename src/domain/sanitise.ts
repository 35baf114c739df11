/**
 * Text from records, goals, code and file names is data: it may not pose as a line of ours, hide
 * what it says from a human reader, or cost without bound. Everything is cut to size before it is
 * normalised or counted.
 */

/** Characters of a line, and of one item's text. */
export const LINE_CHARS_MAX = 240
export const TEXT_CHARS_MAX = 2_000

/** Prose on one line: white space folded, clipped with `…`, markers at its start escaped. */
export function proseLine(text: string, charsMax: number = LINE_CHARS_MAX): string {
  return escapeMarkers(oneLine(text, charsMax))
}

/** A path, name or signature on one line: as prose, but its characters are left as they are. */
export function codeLine(text: string, charsMax: number = LINE_CHARS_MAX): string {
  return oneLine(text, charsMax)
}

/**
 * Prose of several lines, each quoted with `> ` so that none can pose as ours; blank lines are left
 * out, long ones wrapped. At most `charsMax` characters, and `…` at the end when there was more.
 */
export function quotedLines(text: string, charsMax: number = TEXT_CHARS_MAX): string[] {
  const lines: string[] = []
  let left = charsMax
  for (const raw of visible(text, charsMax).split('\n')) {
    for (const line of wrapped(raw.replace(/\s+/g, ' ').trim())) {
      if (left <= 0) return [...lines.slice(0, -1), `${lines.at(-1)!.replace(/…$/, '')}…`]
      lines.push(`> ${escapeMarkers(clip(line, left))}`)
      left -= line.length
    }
  }
  return lines
}

/**
 * One block of a pack: its lines, each ended by one `\n`. A block that begins outside white space
 * and `/` and ends with exactly one `\n` never shares a token with its neighbours, so that costs add
 * up exactly; that is checked here because every budget rests on it.
 */
export function block(lines: readonly string[]): string {
  let text = ''
  for (const line of lines) text += `${line.trimEnd()}\n`
  const said = text.trim()
  if (said === '' || said.length + 1 < text.length || text.startsWith('/')) {
    throw new RangeError(`not a block: ${JSON.stringify(text.slice(0, 80))}`)
  }
  return text
}

/** Cuts to `charsMax` UTF-16 units at most, `…` included, without splitting a character. */
export function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, wholeEnd(text, Math.max(0, charsMax - 1))).trimEnd()}…`
}

/** `end`, or one less where that would fall within a character. */
function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end
}

/** A long line in parts of at most `LINE_CHARS_MAX`, cut at spaces where it has some. */
function wrapped(line: string): string[] {
  const parts: string[] = []
  let rest = line
  while (rest.length > LINE_CHARS_MAX) {
    const space = rest.lastIndexOf(' ', LINE_CHARS_MAX)
    const cut = space > LINE_CHARS_MAX / 2 ? space : wholeEnd(rest, LINE_CHARS_MAX)
    parts.push(rest.slice(0, cut))
    rest = rest.slice(cut).trimStart()
  }
  if (rest !== '') parts.push(rest)
  return parts
}

function oneLine(text: string, charsMax: number): string {
  if (text.length <= charsMax && PLAIN.test(text)) return text
  return clip(visible(text, charsMax).replace(/\s+/g, ' ').trim(), charsMax)
}

/** Words of visible ASCII, one space between them: a line already. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/**
 * What a reader would see: line ends as `\n`, tabs as spaces, no control, direction, tag or
 * zero-width characters, no lone surrogates, NFC. White space may shrink later, so four times the
 * wanted length is looked at, and no more.
 */
function visible(text: string, charsMax: number): string {
  const part = text.slice(0, 4 * charsMax + 16)
  if (PRINTABLE.test(part)) return part
  return part
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(HIDDEN, '')
    .normalize('NFC')
}

/** Nothing of what `visible` changes. */
const PRINTABLE = /^[\x20-\x7e\n]*$/

// Kept: joiners and variation selectors, which scripts and emoji need.
const HIDDEN =
  /(?!\n)[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** What begins a heading, list, quote, rule, fence or comment, or one of a pack's own lines. */
const MARKER =
  /^(?:#|[-*+](?=\s|$)|-{3}|\*{3}|_{3}|={3}|>|`{3}|~{3}|<|\||\d{1,9}[.)](?=\s|$)|(?:degraded|receipt|rcp|over budget|left out|nothing (?:shown|to show)|sent before|system|assistant|user|human)\s*:|av pack\b)/i

/** Tags that agents' harnesses read as frames of their own, wherever they stand. */
const FRAME =
  /<(?=\/?(?:system|assistant|user|human|developer|tool|function|instruction|important|context|thinking|antml)[\w:-]*\s*\/?>?)|<(?=!--)/gi

function escapeMarkers(line: string): string {
  const framed = line.replace(FRAME, '<\\')
  return MARKER.test(framed) && !framed.startsWith('<\\') ? `\\${framed}` : framed
}
