import { type Family, familyOf } from './code-family.ts'
import type { CodeLayout } from './code-layout.ts'
import { compareBytes } from './order.ts'

/**
 * Whose links may mean a path, were there a file or not: rather too many than one too few. A link
 * means a path by its own words nearly always, so that it holds the last part of it; all it could go
 * by else is where its own file lies, or what project files say.
 */
export type Reach = {
  /** Texts of which a link holds one at least; '' is in every link. */
  readonly words: readonly string[]
  /** How the paths begin of files that need not say any of them. */
  readonly under: readonly string[]
}

export const NO_REACH: Reach = { words: [], under: [] }
export const ANY_LINK: Reach = { words: [''], under: [] }

/** Gathers what is reached, then marks it. */
export class Reached {
  private readonly words = new Map<Family, Set<string>>()
  private readonly marks: Uint8Array

  constructor(private readonly layout: CodeLayout) {
    this.marks = new Uint8Array(layout.files.length)
  }

  add(families: readonly Family[], { words, under }: Reach): void {
    for (const family of families) {
      const known = this.words.get(family) ?? new Set()
      for (const word of words) known.add(word)
      this.words.set(family, known)
    }
    for (const beginning of under) this.addUnder(beginning)
  }

  addFiles(numbers: readonly number[]): void {
    for (const number of numbers) this.marks[number] = 1
  }

  /** By file: 1 where its links may mean something else. */
  files(): Uint8Array {
    const { marks } = this
    for (const [number, { language, links }] of this.layout.files.entries()) {
      if (marks[number] === 1 || links === '') continue
      const family = familyOf(language)
      const words = family === null ? undefined : this.words.get(family)
      if (words !== undefined && holdsOne(links, words)) marks[number] = 1
    }
    return marks
  }

  /** They lie one behind the other. */
  private addUnder(beginning: string): void {
    const { files } = this.layout
    let low = 0
    let high = files.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareBytes(files[middle]!.path, beginning) < 0) low = middle + 1
      else high = middle
    }
    while (low < files.length && files[low]!.path.startsWith(beginning)) this.marks[low++] = 1
  }
}

function holdsOne(links: string, words: ReadonlySet<string>): boolean {
  for (const word of words) if (links.includes(word)) return true
  return false
}

/** The last part of a path. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
