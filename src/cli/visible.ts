/**
 * Text of others on its way to a terminal: what could move the cursor, colour, reorder or hide the
 * rest is shown as a mark, so that a reader sees that it is there. Lines and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(ACTIVE, mark)
}

/** The same on one line, every character accounted for: for paths, names and ids. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, mark)
}

/** The same on one line with white space folded: for goals and summaries. */
export function prose(text: string): string {
  return visible(text.replace(/\s+/g, ' ').trim())
}

/**
 * JSON for a terminal: the same value, with every such character written as an escape. JSON itself
 * escapes the controls below U+0020 only.
 */
export function visibleJson(json: string): string {
  return json.replace(ACTIVE, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(
      '',
    ),
  )
}

/**
 * Controls, line separators, what steers direction, and what has no width. Joiners (U+200C, U+200D)
 * stay: scripts and emoji need them.
 */
const ACTIVE =
  /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u180e\u200b\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** `^[` for escape, as `cat -v` and `less` write it; `<U+202E>` for what is no ASCII control. */
function mark(character: string): string {
  const point = character.codePointAt(0) ?? 0
  if (point < 0x20) return `^${String.fromCharCode(point + 0x40)}`
  if (point === 0x7f) return '^?'
  return `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`
}

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
