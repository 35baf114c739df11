import type { SymbolKind } from '../domain/code.ts'
import type { Language } from './languages.ts'
import { oneLine } from './source-text.ts'

/** Where a definition lies in its text. `body` null: none, or none that the grammar names. */
export type DefinitionSpan = {
  readonly start: number
  readonly end: number
  readonly name: number
  readonly body: number | null
}

/**
 * A definition in one line: the words before it on its line (`export`, `type`), the definition up to
 * its body, no attributes, no comments.
 */
export function signatureOf(
  text: string,
  span: DefinitionSpan,
  kind: SymbolKind,
  language: Language,
): string {
  const start = withLeadingWords(text, afterAttributes(text, span, language))
  const head = scanHead(text, start, span, kind, language)
  const joined = head.includes('\n') ? joinLines(head) : head
  return oneLine(withoutTail(joined))
}

/** Where a definition begins once its decorators, annotations and attributes are passed. */
export function afterAttributes(text: string, span: DefinitionSpan, language: Language): number {
  const mark = language.attribute
  let at = span.start
  while (mark !== null && at < span.name) {
    at = afterBlanks(text, at, span.name)
    const next = text.startsWith(mark, at)
      ? afterAttribute(text, at, span.name)
      : afterComment(text, at, language)
    if (next === null || next > span.name) break
    at = next
  }
  return at >= span.name ? span.start : at
}

/** Longer heads are cut anyway; bounds the work on a hostile one. */
const HEAD_MAX = 600
const BLANK = /\s/
const VALUES: ReadonlySet<SymbolKind> = new Set(['constant', 'variable', 'field'])

/** Lists of one entry a line read as if written in one. */
function joinLines(head: string): string {
  return head
    .replace(/([([<])[ \t]*\n\s*/g, '$1')
    .replace(/,?[ \t]*\n\s*([)\]>])/g, '$1')
    .replace(/=\s+\|\s/, '= ')
}

/** Takes off what only leads to a body. */
function withoutTail(head: string): string {
  let end = head.length
  for (; end > 0; end--) {
    const unit = head[end - 1]!
    const arrow = unit === '>' && '=-'.includes(head[end - 2] ?? ' ')
    if (!arrow && !'{=:;,&|('.includes(unit) && !BLANK.test(unit)) break
  }
  return head.slice(0, end)
}

function afterBlanks(text: string, from: number, end: number): number {
  let at = from
  while (at < end && BLANK.test(text[at]!)) at++
  return at
}

/** `@name.name(…)`, `#[…]`, `[…]`; null for what only looks like one (`@interface`). */
function afterAttribute(text: string, from: number, end: number): number | null {
  if (text[from] !== '@') return afterBrackets(text, text.indexOf('[', from), end)
  if (text.startsWith('@interface', from)) return null
  ATTRIBUTE_NAME.lastIndex = from + 1
  if (!ATTRIBUTE_NAME.test(text)) return null
  const at = ATTRIBUTE_NAME.lastIndex
  return text[at] === '(' ? afterBrackets(text, at, end) : at
}

const ATTRIBUTE_NAME = /[\p{L}\p{N}_$.:]+/uy

function afterComment(text: string, from: number, language: Language): number | null {
  if (language.blockComments && text.startsWith('/*', from)) {
    const close = text.indexOf('*/', from + 2)
    return close < 0 ? null : close + 2
  }
  if (!language.lineComments.some((mark) => text.startsWith(mark, from))) return null
  const feed = text.indexOf('\n', from)
  return feed < 0 ? null : feed + 1
}

/** Behind the bracket that closes the one at `from`, strings passed over; null: it does not close. */
function afterBrackets(text: string, from: number, end: number): number | null {
  let depth = 0
  for (let at = from; at < end; ) {
    const unit = text[at]!
    const string = unit === '"' || unit === "'" ? stringEnd(text, at) : null
    if (string !== null) at = string
    else {
      if ('([{'.includes(unit)) depth++
      if (')]}'.includes(unit) && --depth === 0) return at + 1
      at++
    }
  }
  return null
}

const STRINGS: Readonly<Record<string, RegExp>> = {
  '"': /"(?:\\.|[^"\\\n])*"/y,
  "'": /'(?:\\.|[^'\\\n])*'/y,
  '`': /`(?:\\.|[^`\\])*`/y,
}

function stringEnd(text: string, from: number): number | null {
  const pattern = STRINGS[text[from]!]
  if (pattern === undefined) return null
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : null
}

/** `export default `, `type `, `pub ` before a node on its line belong to the declaration. */
function withLeadingWords(text: string, start: number): number {
  const line = text.lastIndexOf('\n', start - 1) + 1
  if (start - line > HEAD_MAX) return start
  const before = text.slice(line, start)
  if (!/^\s*(?:\w+\s+)+$/.test(before)) return start
  return line + before.length - before.trimStart().length
}

/** The text from `start` to the body or, where that is not known, to what must begin one. */
function scanHead(
  text: string,
  start: number,
  span: DefinitionSpan,
  kind: SymbolKind,
  language: Language,
): string {
  const stop = Math.min(span.body ?? span.end, start + HEAD_MAX)
  let head = ''
  let depth = 0
  let outermost = 0
  let inValue = kind === 'field'
  for (let at = start; at < stop; ) {
    const unit = text[at]!
    const string = language.quotes.includes(unit) ? stringEnd(text, at) : null
    const comment = string === null ? afterComment(text, at, language) : null
    // C's `typedef struct {…} name` has its name last.
    const inner = span.body === null && unit === '{' && at < span.name ? span.name : null
    if (string !== null) head += text.slice(at, Math.min(string, stop))
    else if (comment !== null) head += text[comment - 1] === '\n' ? '\n' : ' '
    else if (inner !== null) head += '{…} '
    else if (
      span.body === null &&
      at > span.name &&
      endsHead(text, at, depth, inValue, language, kind)
    ) {
      return depth > 0
        ? `${head.slice(0, outermost)}…${head[outermost - 1] === '(' ? ')' : ']'}`
        : head
    } else {
      head += unit === '\\' && text[at + 1] === '\n' ? ' ' : unit
      if ('(['.includes(unit) && depth++ === 0) outermost = head.length
      if (')]'.includes(unit)) depth--
      if (unit === '=' && text[at + 1] !== '>' && at > span.name) inValue = VALUES.has(kind)
    }
    at = string ?? comment ?? inner ?? at + 1
  }
  return head
}

function endsHead(
  text: string,
  at: number,
  depth: number,
  inValue: boolean,
  language: Language,
  kind: SymbolKind,
): boolean {
  const unit = text[at]!
  if (inValue && (unit === '{' || text.startsWith('=>', at))) return true
  if (depth > 0) return false
  if (unit === ';' || (language.endsAtLine && unit === '\n')) return true
  return unit === '{' && !VALUES.has(kind)
}
