/**
 * What is embedded of each kind of thing; the first line says most. A change here, or of what is embedded at all, is
 * another index version: bump `EMBEDDING_TEXT_VERSION`, so that vectors of the old texts are not compared with the new.
 */
export const EMBEDDING_TEXT_VERSION = 2

/** UTF-16 units; about what small embedding models read before they cut off. */
export const EMBEDDING_CHARS_MAX = 4_000

export type EmbeddedSymbol = { readonly signature: string; readonly doc: string }

/** A file: its path, then what it defines, in its order. */
export function fileText(path: string, symbols: Iterable<EmbeddedSymbol>): string {
  let text = path
  for (const { signature, doc } of symbols) {
    if (text.length >= EMBEDDING_CHARS_MAX) break
    text += doc === '' ? `\n${signature}` : `\n${signature}: ${doc}`
  }
  return clip(text)
}

/** A definition: what it says of itself, and where it is. */
export function symbolText(path: string, { signature, doc }: EmbeddedSymbol): string {
  return clip(doc === '' ? `${signature}\n${path}` : `${signature}: ${doc}\n${path}`)
}

/** A record: what was decided, then why. */
export function recordText(summary: string, body: string): string {
  return clip(body === '' ? summary : `${summary}\n${body}`)
}

/** What a pack is asked for. The focus stands first: a long goal must not push it out. */
export function goalText(goal: string, focus: readonly string[]): string {
  return clip(focus.length === 0 ? goal : `${focus.join(' ')}\n${goal}`)
}

function clip(text: string): string {
  return text.slice(0, EMBEDDING_CHARS_MAX).toWellFormed()
}
