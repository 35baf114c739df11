/** Breaks text between words into lines of at most `width` characters; a longer word stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/**
 * Tables of two columns, indented by two: the left one as wide, in all of them, as its longest text
 * (at most `LEFT_MAX`), the right one wrapped. A longer left text has a line of its own.
 * @param width of a whole line, in characters
 * @returns the text of each table, every line ended by a newline
 */
export function twoColumns(
  tables: readonly (readonly (readonly [left: string, right: string])[])[],
  width: number,
): readonly string[] {
  const lengths = tables.flat().map(([left]) => left.length)
  const leftWidth = Math.max(0, ...lengths.filter((length) => length <= LEFT_MAX))
  const margin = ' '.repeat(2 + leftWidth + 2)
  return tables.map((rows) =>
    rows
      .map(([left, right]) => {
        if (right === '') return `  ${left}\n`
        const body = wrap(right, Math.max(20, width - margin.length)).join(`\n${margin}`)
        if (left.length > leftWidth) return `  ${left}\n${margin}${body}\n`
        return `  ${left.padEnd(leftWidth)}  ${body}\n`
      })
      .join(''),
  )
}

const LEFT_MAX = 34

/** Cuts a line to `width` columns, with `…` where something was cut. */
export function cutTo(width: number, line: string): string {
  if (Bun.stringWidth(line) <= width) return line
  let kept = ''
  let used = 1
  for (const character of line) {
    used += Bun.stringWidth(character)
    if (used > width) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}
