import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import type { LexicalIndex, LexicalView, RecordView } from '../../src/domain/lexical.ts'
import type { BenchRecords } from './bench-records.ts'
import type { BenchTask } from './bench-tasks.ts'

/** One task with the state it starts from and what should be found. */
export type BenchCase = {
  readonly task: BenchTask
  readonly tree: readonly { readonly path: string; readonly blob: BlobId }[]
  readonly view: LexicalView
  readonly records: RecordView
  /** Paths. */
  readonly goldFiles: readonly string[]
  /** `path\0line` of definitions. */
  readonly goldSymbols: readonly string[]
  readonly hard: boolean
}

/** What all cases share. */
export type BenchWorld = {
  readonly lexical: LexicalIndex
  readonly records: BenchRecords
  readonly index: (blob: BlobId) => FileIndex
  readonly text: (blob: BlobId) => string
  readonly countTokens: (text: string) => number
}

/** What somebody who read a contender's answer has seen. */
export type Shown = {
  /** Best first. */
  readonly files: readonly string[]
  /** `path\0line` of definitions. */
  readonly symbols: ReadonlySet<string>
  /** Of the whole text. */
  readonly tokens: number
}

/** One way to answer a task within a budget of tokens. */
export type Contender = {
  readonly name: string
  readonly answer: (world: BenchWorld, of: BenchCase, budget: number) => Shown
}

/** Collects lines while they fit; each begins outside white space and ends with `\n`. */
export class Answer {
  private readonly paths = new Set<string>()
  private readonly seen = new Set<string>()
  private used = 0

  constructor(
    private readonly budget: number,
    private readonly countTokens: (text: string) => number,
  ) {}

  /** False, and nothing taken, when the text does not fit. */
  take(text: string, path: string, lines: readonly number[] = []): boolean {
    const cost = this.countTokens(text)
    if (this.used + cost > this.budget) return false
    this.used += cost
    this.paths.add(path)
    for (const line of lines) this.seen.add(`${path}\0${line}`)
    return true
  }

  has(path: string): boolean {
    return this.paths.has(path)
  }

  shown(): Shown {
    return { files: [...this.paths], symbols: this.seen, tokens: this.used }
  }
}
