/** What of an index is compared with what it was made from. */
export const INDEX_PARTS = ['files', 'trees', 'scans', 'memory'] as const
/**
 * `files`: what is stored of contents; `trees`: the listings stored; `scans`: the private git indexes of this
 * machine; `memory`: what the daemon holds of records and code.
 */
export type IndexPart = (typeof INDEX_PARTS)[number]

/** How a part differs from one made anew. */
export type IndexDifference = {
  readonly part: IndexPart
  /** Not there, though it should be. */
  readonly missing: number
  readonly different: number
  /** There, and of no use to anybody: of an older parser, say. */
  readonly leftOver: number
  /** A few of them by name, in the order they were met. */
  readonly examples: readonly string[]
}

const EXAMPLES_MAX = 10

/** Counts what differs, part by part. */
export class IndexTally {
  private readonly parts = new Map<IndexPart, Counts>()

  note(part: IndexPart, how: keyof Omit<Counts, 'examples'>, example: string, count = 1): void {
    if (count === 0) return
    const none: Counts = { missing: 0, different: 0, leftOver: 0, examples: [] }
    const counts = this.parts.get(part) ?? none
    this.parts.set(part, counts)
    counts[how] += count
    const isNew = !counts.examples.includes(example)
    if (isNew && counts.examples.length < EXAMPLES_MAX) counts.examples.push(example)
  }

  add({ part, missing, different, leftOver, examples }: IndexDifference): void {
    const name = examples[0] ?? part
    this.note(part, 'missing', name, missing)
    this.note(part, 'different', name, different)
    this.note(part, 'leftOver', name, leftOver)
  }

  /** Only parts that differ, in the order of `INDEX_PARTS`. */
  get differences(): readonly IndexDifference[] {
    return INDEX_PARTS.flatMap((part) => {
      const counts = this.parts.get(part)
      return counts === undefined ? [] : [{ part, ...counts }]
    })
  }
}

type Counts = { missing: number; different: number; leftOver: number; examples: string[] }
