import type { SymbolKind } from '../domain/code.ts'
import { type Captured, type CapturedKind, capturedDefinitions } from './captures.ts'
import type { Grammar } from './grammars.ts'
import type { Match } from './pattern-match.ts'
import type { DefinitionSpan } from './signature.ts'
import type { SourceText } from './source-text.ts'

/** A definition with its place in the text and its dotted path in the file. */
export type Definition = {
  readonly path: string
  readonly kind: SymbolKind
  readonly span: DefinitionSpan
}

/**
 * Turns a query's matches into definitions with dotted paths. What stands inside a function is the
 * function's own affair and left out, unless that function is all there is in the file.
 */
export function definitionsOf(
  matches: readonly Match[],
  source: SourceText,
  grammar: Grammar,
): Definition[] {
  const found = capturedDefinitions(matches, source.text, grammar)
  const placed = place(found, null)
  const only = onlyFunction(placed)
  const kept = (only === null ? placed : place(found, only)).filter((each) => each.path !== null)
  const defined = new Set(
    kept.filter((each) => each.found.flag !== 'declared').map((each) => each.path),
  )
  const seen = new Set<string>()
  const out: Definition[] = []
  for (const { found: each, path, kind } of kept) {
    if (path === null || kind === 'scope' || (each.flag === 'declared' && defined.has(path)))
      continue
    const key = `${source.rowAt(each.span.start)} ${path}`
    if (seen.has(key)) continue
    seen.add(key)
    out.push({ path, kind, span: each.span })
  }
  return out.slice(0, SYMBOLS_MAX)
}

/** No file that people wrote comes near. */
export const SYMBOLS_MAX = 5_000
const DEPTH_MAX = 8

type Placed = {
  readonly found: Captured
  readonly kind: CapturedKind
  readonly path: string | null
  readonly depth: number
}

const FUNCTIONS: ReadonlySet<CapturedKind> = new Set(['function', 'method', 'macro'])
const VALUES: ReadonlySet<CapturedKind> = new Set(['constant', 'variable', 'field'])

/**
 * Gives each its path, null to what is left out: what stands in a function (other than `open`), or
 * in a value without being its member.
 */
function place(found: readonly Captured[], open: Captured | null): Placed[] {
  const out: Placed[] = []
  const around: Placed[] = []
  for (const each of found) {
    while (around.length > 0 && around.at(-1)!.found.span.end <= each.span.start) around.pop()
    const parent = parentOf(each, around)
    const placed = placeIn(each, parent, open)
    out.push(placed)
    around.push(placed)
  }
  return out
}

/** The innermost definition around `each` that counts for it. */
function parentOf(each: Captured, around: readonly Placed[]): Placed | null {
  for (let i = around.length - 1; i >= 0; i--) {
    const outer = around[i]!
    if (outer.found.span.end < each.span.end) continue
    if (outer.path !== null && (outer.found.name === '' || outer.found.flag === 'aside')) continue
    // A C `typedef struct s {…} t` is no home for `s`; a TypeScript type is one for its methods.
    if (outer.kind === 'type' && each.kind !== 'method') continue
    return outer
  }
  return null
}

function placeIn(each: Captured, parent: Placed | null, open: Captured | null): Placed {
  const out = { found: each, kind: each.kind, path: null, depth: 0 }
  if (parent === null) {
    if (each.flag === 'member') return out
    const kind = each.kind === 'method' && !each.name.includes('.') ? 'function' : each.kind
    return { ...out, kind, path: each.name }
  }
  if (parent.path === null || parent.depth >= DEPTH_MAX) return out
  if (FUNCTIONS.has(parent.kind) && parent.found !== open) return out
  if (VALUES.has(parent.kind) && each.flag !== 'member') return out
  const inType = parent.kind !== 'module' && parent.found !== open
  const kind = each.kind === 'function' && inType ? 'method' : each.kind
  const path = each.name === '' ? parent.path : `${parent.path}.${each.name}`
  return { found: each, kind, path, depth: parent.depth + 1 }
}

/** The file's one function, if it defines no other function or class. */
function onlyFunction(placed: readonly Placed[]): Captured | null {
  const bearing = placed.filter(
    (each) =>
      each.path !== null &&
      !VALUES.has(each.kind) &&
      each.kind !== 'type' &&
      each.kind !== 'interface',
  )
  const [only] = bearing
  return bearing.length === 1 && only?.kind === 'function' ? only.found : null
}
