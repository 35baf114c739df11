import type { LexicalIndex, LexicalView } from './lexical.ts'
import { symbolAt, symbolsOf } from './lexical.ts'
import { compareBytes } from './order.ts'
import { terms } from './terms.ts'

/** A symbol's place in a view: `ordinal` among its file's symbols. */
export type SymbolPlace = { readonly path: string; readonly ordinal: number }

/** What the focus names outright; its words count in the query whether it names something or not. */
export type Focused = {
  readonly files: readonly string[]
  readonly symbols: readonly SymbolPlace[]
}

/**
 * Each focus is a path, a folder, a `path:Symbol`, a `path:LINE` or a symbol's name; in the order
 * given. At most 50 files of one folder, and 20 symbols of one name.
 */
export function focusOn(focus: readonly string[], index: LexicalIndex, view: LexicalView): Focused {
  const files = new Set<string>()
  const symbols = new Map<string, SymbolPlace>()
  const addSymbol = (place: SymbolPlace) => {
    symbols.set(`${place.path}\0${place.ordinal}`, place)
    files.add(place.path)
  }
  for (const raw of focus) {
    const given = raw.trim().replace(/^\.\//, '')
    const cut = given.lastIndexOf(':')
    const path = cut > 0 ? given.slice(0, cut) : given
    if (view.byPath.has(given)) files.add(given)
    else if (cut > 0 && view.byPath.has(path)) {
      files.add(path)
      for (const place of symbolsAt(view, path, given.slice(cut + 1))) addSymbol(place)
    } else {
      for (const inside of filesUnder(view, given)) files.add(inside)
      for (const place of symbolsNamed(index, view, given)) addSymbol(place)
    }
  }
  return { files: [...files], symbols: [...symbols.values()] }
}

/**
 * Files that a text names by path, or by the end of one (`jwt/jwt.ts`); ordered by bytes, at most 20.
 */
export function namedFiles(text: string, view: LexicalView): string[] {
  const named = new Set(text.slice(0, NAMING_CHARS_MAX).match(/[\w@-][\w./@-]*\.\w+/g) ?? [])
  if (named.size === 0) return []
  const found = [...view.byPath.keys()].filter((path) => {
    for (let at = 0; at >= 0; at = nextPart(path, at)) if (named.has(path.slice(at))) return true
    return false
  })
  return found.sort(compareBytes).slice(0, NAMED_MAX)
}

const NAMING_CHARS_MAX = 4_000
const FOLDER_FILES_MAX = 50
const NAMED_MAX = 20

/** Where the part of a path after the one at `from` begins, or -1. */
function nextPart(path: string, from: number): number {
  const slash = path.indexOf('/', from)
  return slash < 0 ? -1 : slash + 1
}

/** A name matches the whole dotted path, or its end: `refresh` matches `Session.refresh`. */
export function nameMatches(name: string, wanted: string): boolean {
  return name === wanted || name.endsWith(`.${wanted}`)
}

function symbolsAt(view: LexicalView, path: string, wanted: string): SymbolPlace[] {
  const line = /^\d+$/.test(wanted) ? Number(wanted) : null
  const found: { ordinal: number; size: number }[] = []
  for (const [ordinal, symbol] of symbolsOf(view.byPath.get(path)!).entries()) {
    const fits =
      line === null
        ? nameMatches(symbol.name, wanted)
        : symbol.line <= line && line <= symbol.endLine
    if (fits) found.push({ ordinal, size: symbol.endLine - symbol.line })
  }
  // Of those around a line, the innermost.
  if (line !== null) found.sort((a, b) => a.size - b.size || a.ordinal - b.ordinal).splice(1)
  return found.slice(0, NAMED_MAX).map(({ ordinal }) => ({ path, ordinal }))
}

function filesUnder(view: LexicalView, folder: string): string[] {
  const prefix = `${folder.replace(/\/+$/, '')}/`
  if (!topFolders(view).has(prefix.slice(0, prefix.indexOf('/') + 1))) return []
  const inside: string[] = []
  for (const path of view.byPath.keys()) if (path.startsWith(prefix)) inside.push(path)
  return inside.sort(compareBytes).slice(0, FOLDER_FILES_MAX)
}

const topFoldersOf = new WeakMap<LexicalView, ReadonlySet<string>>()

/** Each with its slash. Most of what a focus names is in none: that is seen without a look at every path. */
function topFolders(view: LexicalView): ReadonlySet<string> {
  const known = topFoldersOf.get(view)
  if (known !== undefined) return known
  const folders = new Set<string>()
  for (const path of view.byPath.keys()) {
    const slash = path.indexOf('/')
    if (slash >= 0) folders.add(path.slice(0, slash + 1))
  }
  topFoldersOf.set(view, folders)
  return folders
}

function symbolsNamed(index: LexicalIndex, view: LexicalView, wanted: string): SymbolPlace[] {
  if (/\s/.test(wanted)) return []
  const query = [...new Set(terms(wanted))].map((term) => ({ term, weight: 1 }))
  return index
    .searchSymbols(view, query, 200)
    .filter(({ path, ordinal }) => {
      const symbol = symbolAt(view.byPath.get(path)!, ordinal)
      return nameMatches(symbol.name, wanted)
    })
    .slice(0, NAMED_MAX)
    .map(({ path, ordinal }) => ({ path, ordinal }))
}
