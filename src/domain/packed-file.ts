import type { CodeSymbol, FileIndex, Link, LinkKind } from './code.ts'
import { familyOf } from './code-family.ts'
import type { Dictionary } from './postings.ts'
import { terms } from './terms.ts'

/** What is shown of a symbol; `nth`: which of its name in the file, from 0. */
export type ListedSymbol = Omit<CodeSymbol, 'words'> & { readonly nth: number }

/** Two hundred thousand symbols as objects would take four times the memory; few are ever shown. */
export function packSymbols(symbols: readonly CodeSymbol[]): string {
  const counts = new Map<string, number>()
  return symbols
    .map((s) => {
      const name = clean(s.name)
      const nth = counts.get(name) ?? 0
      counts.set(name, nth + 1)
      const text = [clean(s.signature), clean(s.doc)]
      return [name, s.kind, s.line, s.endLine, s.hash, nth, ...text].join('\u0000')
    })
    .join('\u0001')
}

/** Fields of a packed symbol before its signature; the doc comes last. */
export const FIELDS_BEFORE_TEXT = 6

export function unpackSymbols(packed: string): ListedSymbol[] {
  return packed === '' ? [] : packed.split('\u0001').map(unpackRow)
}

/** One of them, without unpacking the others. */
export function unpackSymbol(packed: string, ordinal: number): ListedSymbol {
  let start = 0
  for (let row = 0; row < ordinal; row++) start = packed.indexOf('\u0001', start) + 1
  const end = packed.indexOf('\u0001', start)
  return unpackRow(packed.slice(start, end < 0 ? packed.length : end))
}

function unpackRow(row: string): ListedSymbol {
  const [name, kind, line, endLine, hash, nth, signature, doc] = row.split('\u0000')
  return {
    name: name!,
    kind: kind as CodeSymbol['kind'],
    line: Number(line),
    endLine: Number(endLine),
    hash: hash!,
    nth: Number(nth),
    signature: signature!,
    doc: doc!,
  }
}

/** Whether a file defines a name; without unpacking it. */
export function hasSymbol(packed: string, name: string): boolean {
  const field = `${clean(name)}\u0000`
  return packed.startsWith(field) || packed.includes(`\u0001${field}`)
}

/** A file's links as one string; '' for none. */
export function packLinks(links: readonly Link[]): string {
  return links.map((link) => link.map(clean).join('\u0000')).join('\u0001')
}

export function unpackLinks(packed: string): readonly Link[] {
  if (packed === '') return []
  return packed.split('\u0001').map((row) => {
    const [kind, target, ...names] = row.split('\u0000')
    return [kind as LinkKind, target!, ...names]
  })
}

/**
 * For each symbol the number of its name's term, times four, and `NAME_WHOLE` and `NAME_PRIVATE`;
 * `NO_NAME` for what nobody refers to by name.
 */
export function nameNumbers({ language, symbols }: FileIndex, dictionary: Dictionary): Uint32Array {
  const isCode = familyOf(language) !== null
  return Uint32Array.from(symbols, ({ name, kind }) => {
    if (!isCode || kind === 'module' || kind === 'heading') return NO_NAME
    const last = name.slice(name.lastIndexOf('.') + 1)
    const term = nameTerm(last)
    if (term === null) return NO_NAME
    const flags =
      (term.startsWith('#') ? NAME_WHOLE : 0) + (last.startsWith('_') ? NAME_PRIVATE : 0)
    return dictionary.number(term) * 4 + flags
  })
}

export const NO_NAME = 0xffffffff
/** The term is the whole identifier, not a word that prose may hold too. */
export const NAME_WHOLE = 1
export const NAME_PRIVATE = 2

/** The term that an identifier leaves in the words of a file that uses it; null: none. */
export function nameTerm(name: string): string | null {
  return /^[\p{L}\p{N}\p{M}_$]+$/u.test(name) ? (terms(name)[0] ?? null) : null
}

/** The first 32 bits of each symbol's hash. */
export function hashNumbers(symbols: readonly CodeSymbol[]): Uint32Array {
  return Uint32Array.from(symbols, ({ hash }) => hashNumber(hash))
}

export function hashNumber(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) >>> 0
}

function clean(text: string): string {
  return text.replaceAll('\u0000', ' ').replaceAll('\u0001', ' ')
}
