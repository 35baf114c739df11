import type { Language } from './languages.ts'
import { oneLine } from './source-text.ts'

/** Rows of a comment, 0-based and inclusive. */
export type CommentRows = { readonly first: number; readonly last: number }

/** The comment that stands directly above a row: one block, or a run of line comments. */
export function commentAbove(
  lines: readonly string[],
  row: number,
  language: Language,
): CommentRows | null {
  let first = row
  while (first > 0 && row - first < ROWS_MAX && isLineComment(lines, first - 1, language)) first--
  if (first < row) return { first, last: row - 1 }
  if (!language.blockComments || row === 0 || !lines[row - 1]!.trimEnd().endsWith('*/')) return null
  while (first > 0 && row - first < ROWS_MAX) {
    first--
    const open = lines[first]!.indexOf('/*')
    if (open >= 0)
      return lines[first]!.slice(0, open).trim() === '' ? { first, last: row - 1 } : null
  }
  return null
}

/** The first line of a comment that tells a reader something, or ''. */
export function docOf(lines: readonly string[], rows: CommentRows): string {
  for (let row = rows.first; row <= rows.last; row++) {
    const line = oneLine(bare(lines[row]!.slice(0, 400)))
    if (LICENCE.test(line)) return ''
    if (HAS_LETTER.test(line) && !NOT_PROSE.test(line)) return line
  }
  return ''
}

/** The first line of the string at the head of a body, or ''. */
export function docstringAt(text: string, body: number): string {
  DOCSTRING.lastIndex = body
  const found = DOCSTRING.exec(text)
  if (found === null) return ''
  const content = (found[1] ?? found[2] ?? found[3] ?? found[4] ?? '').trimStart()
  const feed = content.indexOf('\n')
  return oneLine(feed < 0 ? content : content.slice(0, feed))
}

/** No comment that documents one definition is longer. */
const ROWS_MAX = 200
const HAS_LETTER = /\p{L}/u
const LICENCE = /\b(?:copyright|licen[cs]ed? under|SPDX-License-Identifier)\b/i
/** Tags, and what is written for tools. */
const NOT_PROSE =
  /^(?:@\w|\{@\w+\}$|!|-\*-|\+build\b|(?:eslint|tslint|prettier|biome|oxlint|deno-lint|stylelint)-|(?:jshint|istanbul|c8|v8|type:|vim?:|go:|cgo|noqa|nolint|NOLINT\w*|pylint:|pyright:|mypy:|ruff:|rubocop:|shellcheck|clang-format|#?(?:end)?region|frozen_string_literal:)(?:\W|$))/
const DOCSTRING =
  /[rRuUbB]{0,2}(?:"""([\s\S]{0,2000}?)(?:"""|$)|'''([\s\S]{0,2000}?)(?:'''|$)|"((?:\\.|[^"\\\n]){0,2000})"|'((?:\\.|[^'\\\n]){0,2000})')/y

function isLineComment(lines: readonly string[], row: number, language: Language): boolean {
  const line = lines[row]!.trimStart()
  if (language.attribute !== null && line.startsWith(language.attribute)) return false
  if (row === 0 && line.startsWith('#!')) return false
  return language.lineComments.some((mark) => line.startsWith(mark))
}

/** A comment's line without its marks, and without the XML that C# and Java wrap it in. */
function bare(line: string): string {
  return line
    .trim()
    .replace(/^(?:\/\/[/!]*|\/\*[*!]*|\*+(?!\/)|#+)\s*/, '')
    .replace(/\s*\*+\/$/, '')
    .replace(/^<[a-z]+(?:\s[^<>]*)?>\s*/, '')
    .replace(/\s*<\/?[a-z]+\s*\/?>$/, '')
}
