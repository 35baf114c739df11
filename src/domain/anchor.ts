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
