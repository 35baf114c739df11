import { createHash } from 'node:crypto'

/** A record's link to code as it is stored. `symbol` null: the whole file. `hash` null: not found when recorded. */
export type Anchor = {
  readonly path: string
  readonly symbol: string | null
  readonly hash: string | null
}

/**
 * Identifies a piece of code whatever its place: sha256 (hex, first 32 digits) of its lines with
 * white space at line ends taken off, so that only a change somebody could mean counts.
 */
export function textHash(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const bare = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n+$/, '')
  return createHash('sha256').update(bare).digest('hex').slice(0, 32)
}

/**
 * Identifies a definition whatever its place and name: the hash of its text with its own name (the last
 * part of `name`) taken out wherever it stands as a word.
 */
export function symbolHash(text: string, name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return textHash(/^[\p{L}\p{N}_$]+$/u.test(last) ? withoutWord(text, last) : text)
}

function withoutWord(text: string, word: string): string {
  let out = ''
  let from = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (isWordUnit(text, at - 1) || isWordUnit(text, at + word.length)) continue
    out += `${text.slice(from, at)}\u0001`
    from = at + word.length
  }
  return out + text.slice(from)
}

/** Beyond ASCII everything counts as a part of a word: it only has to be the same each time. */
function isWordUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit > 127 || WORD_UNIT.test(text.charAt(at))
}

const WORD_UNIT = /[A-Za-z0-9_$]/
