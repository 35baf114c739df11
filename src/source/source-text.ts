/** A file's text with its lines at hand. Rows are 0-based and end at `\n`, as the grammars count them. */
export type SourceText = {
  readonly text: string
  /** Without their line ends. */
  readonly lines: readonly string[]
  /** The row that holds a position of `text`. */
  rowAt(index: number): number
}

export function sourceText(text: string): SourceText {
  const lines: string[] = []
  const starts: number[] = []
  let from = 0
  for (;;) {
    const feed = text.indexOf('\n', from)
    const end = feed < 0 ? text.length : feed
    starts.push(from)
    lines.push(text.slice(from, text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end))
    if (feed < 0) break
    from = feed + 1
  }
  const rowAt = (index: number) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= index) low = middle
      else high = middle - 1
    }
    return low
  }
  return { text, lines, rowAt }
}

export const LINE_MAX = 160

/** Folds text to one line of at most `LINE_MAX` characters: white space and control characters become one space. */
export function oneLine(text: string): string {
  const folded = text.slice(0, SCAN_MAX).toWellFormed().replace(BLANKS, ' ').trim()
  if (folded.length <= LINE_MAX) return folded
  const cut = folded.slice(0, LINE_MAX - 1)
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

const CARRIAGE_RETURN = 13
const SCAN_MAX = 2_000
const BLANKS = /[\s\p{Cc}]+/gu
