import type { Node } from 'web-tree-sitter'
import type { CodeSymbol } from '../domain/code.ts'
import { compareBytes } from '../domain/order.ts'
import { type Definition, definitionsOf } from './definitions.ts'
import { type CommentRows, commentAbove, docOf, docstringAt } from './doc-comment.ts'
import type { Grammar } from './grammars.ts'
import type { Language } from './languages.ts'
import type { Match } from './pattern-match.ts'
import { afterAttributes, signatureOf } from './signature.ts'
import type { SourceText } from './source-text.ts'

/** A symbol before its text is hashed and its words are counted. */
export type DeclaredSymbol = Omit<CodeSymbol, 'hash' | 'words'> & {
  /** The comment above it, whose words are the symbol's too. */
  readonly comment: CommentRows | null
}

/** The definitions of a parsed file, in order of line, end line (descending) and name. */
export function declaredSymbols(
  root: Node,
  matches: readonly Match[],
  source: SourceText,
  language: Language,
  grammar: Grammar,
): DeclaredSymbol[] {
  const file = { root, source, language, comments: commentReader(source.lines, language) }
  return definitionsOf(matches, source, grammar)
    .map((definition) => declared(definition, file))
    .sort(bySymbolOrder)
}

export function bySymbolOrder(
  a: Pick<CodeSymbol, 'line' | 'endLine' | 'name'>,
  b: Pick<CodeSymbol, 'line' | 'endLine' | 'name'>,
): number {
  return a.line - b.line || b.endLine - a.endLine || compareBytes(a.name, b.name)
}

/** Attributes that are nodes beside the definition (Rust's, and TypeScript's on methods). */
const ATTRIBUTE_NODES: ReadonlySet<string> = new Set(['attribute_item', 'decorator'])

type ParsedFile = {
  readonly root: Node
  readonly source: SourceText
  readonly language: Language
  readonly comments: CommentReader
}

type CommentReader = {
  above(row: number): CommentRows | null
  doc(rows: CommentRows): string
}

/** Reads each comment once, however many definitions a hostile file puts below it in one line. */
function commentReader(lines: readonly string[], language: Language): CommentReader {
  const above = new Map<number, CommentRows | null>()
  const docs = new Map<number, string>()
  return {
    above: (row) => remember(above, row, () => commentAbove(lines, row, language)),
    doc: (rows) => remember(docs, rows.first, () => docOf(lines, rows)),
  }
}

function remember<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  known.set(key, made)
  return made
}

function declared(definition: Definition, file: ParsedFile): DeclaredSymbol {
  const { source, language, comments } = file
  const { text, rowAt } = source
  const { kind, span } = definition
  const head = rowAt(afterAttributes(text, span, language))
  const first = rowAt(attributesStart(span.start, file))
  const last = Math.max(rowAt(trimmedEnd(text, span.start, span.end)), first)
  const comment = comments.above(first) ?? innerComment(first, head, comments)
  const docstring = language.docstrings && span.body !== null ? docstringAt(text, span.body) : ''
  return {
    name: definition.path.normalize('NFC'),
    kind,
    line: first + 1,
    endLine: last + 1,
    signature: signatureOf(text, span, kind, language),
    doc: docstring === '' && comment !== null ? comments.doc(comment) : docstring,
    comment,
  }
}

/** A comment between a definition's attributes and the definition. */
function innerComment(first: number, head: number, comments: CommentReader): CommentRows | null {
  const rows = head > first ? comments.above(head) : null
  return rows !== null && rows.first > first ? rows : null
}

/** Where the run of attribute nodes directly before a definition begins; its own start without any. */
function attributesStart(start: number, { root, source, language }: ParsedFile): number {
  if (!language.siblingAttributes) return start
  if (!/[\])\w]\s*$/.test(source.text.slice(Math.max(0, start - 100), start))) return start
  let node = root.descendantForIndex(start, start)
  while (node?.parent && node.parent.startIndex === start && node.parent.id !== root.id) {
    node = node.parent
  }
  let from = start
  for (let sibling = node?.previousSibling; sibling; sibling = sibling.previousSibling) {
    if (ATTRIBUTE_NODES.has(sibling.type)) from = sibling.startIndex
    else if (!sibling.type.endsWith('comment')) break
  }
  return from
}

/** Some nodes end with the white space behind them. */
function trimmedEnd(text: string, start: number, end: number): number {
  let at = end - 1
  while (at > start && text.charCodeAt(at) <= 32) at--
  return at
}
