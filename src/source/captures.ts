import type { Node } from 'web-tree-sitter'
import type { SymbolKind } from '../domain/code.ts'
import { compareBytes } from '../domain/order.ts'
import { ANNOTATION_MACRO, declaredBy, MACRO_NAME, nameByMacro } from './declarators.ts'
import type { Grammar } from './grammars.ts'
import type { Match } from './pattern-match.ts'
import type { DefinitionSpan } from './signature.ts'

export type CapturedKind = SymbolKind | 'scope'

/** A definition as a query found it, before its place among the others is known. */
export type Captured = {
  readonly kind: CapturedKind
  /** `member`, `declared`, `aside`: see `capturedDefinitions`. */
  readonly flag: string | undefined
  /** '' for a scope without a name. */
  readonly name: string
  readonly span: DefinitionSpan
  /** Which pattern of the query matched. */
  readonly pattern: number
}

/**
 * Reads a query's matches. A query names a definition's node by its kind (`@class`, or `@scope` for
 * what only lends its name), and `@name` its name or `@declarator` what holds it; `@owner` is a type
 * it belongs to though it stands elsewhere, `@body` a body that no field tells.
 *
 * A kind ending in `.member` counts only inside another definition; one ending in `.declared` only
 * where the file does not define the same name itself; the names of what stands in one ending in
 * `.aside` go without its name.
 *
 * One entry a name, however many patterns matched it: the widest node, the first pattern's kind. In
 * order of place.
 */
export function capturedDefinitions(
  matches: readonly Match[],
  text: string,
  grammar: Grammar,
): Captured[] {
  const byName = new Map<string, Captured>()
  for (const match of matches) {
    const found = capturedBy(match, text, grammar)
    if (found === null) continue
    const key = found.kind === 'scope' ? `scope ${found.span.start}` : `${found.span.name}`
    const known = byName.get(key)
    byName.set(key, known === undefined ? found : merged(known, found))
  }
  return [...byName.values()]
    .sort(
      (a, b) =>
        a.span.start - b.span.start || b.span.end - a.span.end || compareBytes(a.name, b.name),
    )
    .slice(0, CAPTURED_MAX)
}

const CAPTURED_MAX = 10_000
/** With eight levels of them a path stays below 1,000 characters. */
const NAME_MAX = 90

function merged(a: Captured, b: Captured): Captured {
  const first = a.pattern <= b.pattern ? a : b
  return {
    ...first,
    span: {
      start: Math.min(a.span.start, b.span.start),
      end: Math.max(a.span.end, b.span.end),
      name: a.span.name,
      body: earlier(a.span.body, b.span.body),
    },
  }
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function capturedBy(
  { pattern, captures: captured }: Match,
  text: string,
  grammar: Grammar,
): Captured | null {
  const [label, node] = [...captured].find(([name]) => !PARTS.has(name)) ?? []
  if (label === undefined || node === undefined) return null
  const [kind, flag] = label.split('.')
  const declarator = captured.get('declarator')
  const part =
    declarator === undefined
      ? namedPart(node, captured, text)
      : declaredPart(node, declarator, flag === 'declared', text)
  if (part === null || part.name === '_' || (part.name === '' && kind !== 'scope')) return null
  return {
    kind: (part.kind ?? kind) as CapturedKind, // the queries are ours; a golden file a language holds them to it
    pattern,
    flag,
    name: part.name,
    span: {
      start: node.startIndex,
      end: node.endIndex,
      name: part.at,
      body: captured.get('body')?.startIndex ?? part.body ?? bodyStart(node, grammar),
    },
  }
}

const PARTS: ReadonlySet<string> = new Set(['name', 'owner', 'body', 'declarator'])

type NamedPart = {
  readonly name: string
  readonly at: number
  readonly kind?: CapturedKind
  readonly body?: number | null
}

function namedPart(
  node: Node,
  captured: ReadonlyMap<string, Node>,
  text: string,
): NamedPart | null {
  const name = captured.get('name')
  if (name === undefined) return { name: unnamed(node), at: node.startIndex }
  const own = dotted(textOf(name, text))
  const owner = captured.get('owner')
  const type = owner === undefined ? null : dotted(textOf(owner, text))
  return own === null ? null : { name: type === null ? own : `${type}.${own}`, at: name.startIndex }
}

/** What a declarator of C or C++ declares; with `functionsOnly` null for a variable. */
function declaredPart(
  node: Node,
  declarator: Node,
  functionsOnly: boolean,
  text: string,
): NamedPart | null {
  const found = declaredBy(declarator)
  if (found === null || (functionsOnly && !found.isFunction)) return null
  const at = found.name.startIndex
  const name = dotted(textOf(found.name, text))
  if (name === null || (functionsOnly && ANNOTATION_MACRO.test(name))) return null
  const body = initialisersStart(declarator.endIndex, text)
  if (found.name.type === 'qualified_identifier') return { name, at, kind: 'method', body }
  const typeless = node.type === 'function_definition' && node.childForFieldName('type') === null
  if (!typeless || !MACRO_NAME.test(name)) return { name, at, body }
  const made = nameByMacro(text, found.name.endIndex)
  return made === null ? null : { name: made, at, kind: 'method' }
}

/** Where a constructor's `: member(value)` begins, which is no part of what it promises. */
function initialisersStart(behindDeclarator: number, text: string): number | null {
  INITIALISERS.lastIndex = behindDeclarator
  return INITIALISERS.test(text) ? INITIALISERS.lastIndex - 1 : null
}

const INITIALISERS = /\s*:/y

/** What a language lets stand without a name. */
function unnamed(node: Node): string {
  if (node.type === 'export_statement') return 'default'
  return node.type === 'secondary_constructor' ? 'constructor' : ''
}

const FUNCTION_VALUES: ReadonlySet<string> = new Set([
  'arrow_function',
  'function_expression',
  'generator_function',
  'class',
])

function bodyStart(node: Node, grammar: Grammar): number | null {
  const body = field(node, grammar.body)
  // A Rust tuple struct's fields are part of what it is.
  if (body !== null) return body.type === 'ordered_field_declaration_list' ? null : body.startIndex
  const value = field(node, grammar.value) ?? field(node, grammar.right)
  if (value === null) return null
  if (FUNCTION_VALUES.has(value.type)) return field(value, grammar.body)?.startIndex ?? null
  return node.type === 'preproc_function_def' ? value.startIndex : null
}

function textOf(name: Node, text: string): string {
  return text.slice(name.startIndex, Math.min(name.endIndex, name.startIndex + NAME_MAX))
}

function field(node: Node, id: number | null): Node | null {
  return id === null ? null : node.childForFieldId(id)
}

/**
 * A name as dotted path: `a::b<T>` and `Foo.prototype.bar` become `a.b` and `Foo.bar`; quotes, pointers
 * and what only says "this module's" are dropped.
 */
function dotted(raw: string): string | null {
  if (/^[\w$]+$/.test(raw)) return raw
  const name = /\boperator\b/.test(raw) ? raw : withoutTypeArguments(raw)
  const plain = name
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/^['"`](.*)['"`]$/, '$1')
    .replace(/^(?:[*&]|dyn |mut )+/, '')
    .replace(/^(.*\boperator \w[^(]*)\(.*$/, '$1')
    .replace(/::/g, '.')
    .replace(/^\.+/, '')
    .replace(/^(?:module\.)?exports\.|^(?:this|globalThis|window)\./, '')
    .replace(/^module\.exports$/, 'exports')
    .replace(/\.prototype\./, '.')
  return plain === '' ? null : plain
}

/** Cuts `<…>` and Go's `[…]` behind a name, nested ones too. */
function withoutTypeArguments(name: string): string {
  let out = ''
  let depth = 0
  for (const unit of name) {
    const opens = unit === '<' || (unit === '[' && out !== '')
    if (opens) depth++
    else if (depth > 0 && (unit === '>' || unit === ']')) depth--
    else if (depth === 0) out += unit
  }
  return out
}
