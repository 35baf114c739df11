import type { RecordKind } from './record.ts'

/**
 * The changed symbols that no record covers, in the order given. A record covers a symbol (`path:Symbol`, a nested one
 * by its dotted name) when it is anchored at it, at its enclosing symbol (`Session` covers `Session.refresh`), or at
 * its file. Paths and names may hold `:` themselves, so every place where a symbol could be cut is compared with the
 * anchors.
 */
export function uncovered(
  symbols: readonly string[],
  anchors: readonly { readonly path: string; readonly symbol: string | null }[],
): readonly string[] {
  const files = new Set<string>()
  const named = new Map<string, Set<string>>()
  for (const { path, symbol } of anchors) {
    if (symbol === null) files.add(path)
    else named.set(path, (named.get(path) ?? new Set()).add(symbol))
  }
  return symbols.filter((symbol) => {
    for (let cut = symbol.indexOf(':'); cut !== -1; cut = symbol.indexOf(':', cut + 1)) {
      const path = symbol.slice(0, cut)
      if (files.has(path) || isWithin(symbol.slice(cut + 1), named.get(path))) return false
    }
    return true
  })
}

/** Kinds of record that tell why a task is as it is: with none of them it can be neither submitted nor handed off. */
export const TELLING_KINDS = [
  'decision',
  'attempt',
  'note',
  'handoff',
] as const satisfies readonly RecordKind[]

/** Whether one of the names is this one or encloses it. */
function isWithin(name: string, names: ReadonlySet<string> | undefined): boolean {
  if (names === undefined) return false
  if (names.has(name)) return true
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    if (names.has(name.slice(0, dot))) return true
  }
  return false
}
