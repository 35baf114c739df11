import type { ResolvedLink } from './code-layout.ts'
import { NumberList } from './number-list.ts'
import { nameTerm } from './packed-file.ts'
import type { Dictionary } from './postings.ts'

/**
 * What the links of a view's files mean, row by row: for each file its links, for each link the terms
 * of its names and the files it leads to. A few typed arrays: as objects it would be ten times that.
 */
export class LinkTable {
  /** By file: 1 where one of its links hands on. */
  private readonly exporting: Uint8Array

  /**
   * @param starts by file, and one more: where its links begin
   * @param nameStarts by link, and one more: where its names begin, of which `*` and those that leave
   *   no term are left out
   * @param targetStarts by link, and one more: where the files begin that it leads to
   */
  constructor(
    readonly starts: Uint32Array,
    private readonly flags: Uint32Array,
    readonly nameStarts: Uint32Array,
    readonly names: Uint32Array,
    readonly targetStarts: Uint32Array,
    readonly targets: Uint32Array,
  ) {
    this.exporting = new Uint8Array(starts.length - 1)
    for (let file = 0; file < this.size; file++) {
      for (let link = starts[file]!; link < starts[file + 1]!; link++) {
        if (this.isExport(link)) this.exporting[file] = 1
      }
    }
  }

  get size(): number {
    return this.starts.length - 1
  }

  isExport(link: number): boolean {
    return (this.flags[link]! & EXPORT) !== 0
  }

  isAround(link: number): boolean {
    return (this.flags[link]! & AROUND) !== 0
  }

  /** Whether it says that everything is meant, with `*`. */
  isStarred(link: number): boolean {
    return (this.flags[link]! & STARRED) !== 0
  }

  /** Whether all that its files define can be meant: starred, or it names nothing. */
  isWhole(link: number): boolean {
    return (this.flags[link]! & (STARRED | NAMELESS)) !== 0
  }

  /** Whether one of its names leaves this term. */
  hasName(link: number, term: number): boolean {
    const end = this.nameStarts[link + 1]!
    for (let at = this.nameStarts[link]!; at < end; at++) if (this.names[at] === term) return true
    return false
  }

  /** Whether it leads to one of the files marked. */
  leadsTo(link: number, marks: Uint8Array): boolean {
    const end = this.targetStarts[link + 1]!
    for (let at = this.targetStarts[link]!; at < end; at++) {
      if (marks[this.targets[at]!] === 1) return true
    }
    return false
  }

  hasExport(file: number): boolean {
    return this.exporting[file] === 1
  }

  /**
   * Whether two files' links mean the same, the second's in another table.
   * @param numberNow this table's number for each file of the other
   */
  isSameRow(file: number, other: LinkTable, otherFile: number, numberNow: Int32Array): boolean {
    const start = this.starts[file]!
    const otherStart = other.starts[otherFile]!
    const count = this.starts[file + 1]! - start
    if (count !== other.starts[otherFile + 1]! - otherStart) return false
    for (let at = 0; at < count; at++) {
      if (!this.isSameLink(start + at, other, otherStart + at, numberNow)) return false
    }
    return true
  }

  private isSameLink(link: number, other: LinkTable, there: number, numberNow: Int32Array) {
    if (this.flags[link] !== other.flags[there]) return false
    const [name, otherName] = [this.nameStarts[link]!, other.nameStarts[there]!]
    const names = this.nameStarts[link + 1]! - name
    const [target, otherTarget] = [this.targetStarts[link]!, other.targetStarts[there]!]
    const targets = this.targetStarts[link + 1]! - target
    if (names !== other.nameStarts[there + 1]! - otherName) return false
    if (targets !== other.targetStarts[there + 1]! - otherTarget) return false
    for (let at = 0; at < names; at++) {
      if (this.names[name + at] !== other.names[otherName + at]) return false
    }
    for (let at = 0; at < targets; at++) {
      if (this.targets[target + at] !== numberNow[other.targets[otherTarget + at]!]) return false
    }
    return true
  }

  /**
   * Writes the rows of files from `first` up to `end` into another table.
   * @param numberNow by file: its number there; null: the same
   */
  copyRows(first: number, end: number, into: LinkTableWriter, numberNow: Int32Array | null): void {
    const [link, endLink] = [this.starts[first]!, this.starts[end]!]
    const [name, endName] = [this.nameStarts[link]!, this.nameStarts[endLink]!]
    const [target, endTarget] = [this.targetStarts[link]!, this.targetStarts[endLink]!]
    const targets = this.targets.subarray(target, endTarget)
    into.addRows({
      starts: this.starts.subarray(first, end),
      flags: this.flags.subarray(link, endLink),
      nameStarts: this.nameStarts.subarray(link, endLink),
      names: this.names.subarray(name, endName),
      targetStarts: this.targetStarts.subarray(link, endLink),
      targets: numberNow === null ? targets : targets.map((file) => numberNow[file]!),
    })
  }
}

/** Some rows of a table, by where each began there. */
type Rows = {
  readonly starts: Uint32Array
  readonly flags: Uint32Array
  readonly nameStarts: Uint32Array
  readonly names: Uint32Array
  readonly targetStarts: Uint32Array
  readonly targets: Uint32Array
}

/** Takes the files in the order of their numbers. */
export class LinkTableWriter {
  private readonly starts = new NumberList()
  private readonly flags = new NumberList()
  private readonly nameStarts = new NumberList()
  private readonly names = new NumberList()
  private readonly targetStarts = new NumberList()
  private readonly targets = new NumberList()
  private readonly terms = new Map<string, number | null>()

  constructor(private readonly dictionary: Dictionary) {}

  addFile(links: readonly ResolvedLink[]): void {
    this.starts.push(this.flags.length)
    for (const link of links) this.add(link)
  }

  private add({ kind, names, files }: ResolvedLink): void {
    const flags =
      (kind === 'export' ? EXPORT : kind === 'around' ? AROUND : 0) |
      (names.length === 0 ? NAMELESS : 0) |
      (names.includes('*') ? STARRED : 0)
    const terms = names.flatMap((name) => (name === '*' ? [] : (this.termOf(name) ?? [])))
    this.flags.push(flags)
    this.nameStarts.push(this.names.length)
    for (const term of terms) this.names.push(term)
    this.targetStarts.push(this.targets.length)
    for (const file of files) this.targets.push(file)
  }

  addRows({ starts, flags, nameStarts, names, targetStarts, targets }: Rows): void {
    this.starts.pushAll(starts, this.flags.length - (starts[0] ?? 0))
    this.flags.pushAll(flags)
    this.nameStarts.pushAll(nameStarts, this.names.length - (nameStarts[0] ?? 0))
    this.names.pushAll(names)
    this.targetStarts.pushAll(targetStarts, this.targets.length - (targetStarts[0] ?? 0))
    this.targets.pushAll(targets)
  }

  table(): LinkTable {
    this.starts.push(this.flags.length)
    this.nameStarts.push(this.names.length)
    this.targetStarts.push(this.targets.length)
    return new LinkTable(
      this.starts.array(),
      this.flags.array(),
      this.nameStarts.array(),
      this.names.array(),
      this.targetStarts.array(),
      this.targets.array(),
    )
  }

  /** Looked up once for each name. One that no text holds yet gets its number now: a later one may. */
  private termOf(name: string): number | null {
    const known = this.terms.get(name)
    if (known !== undefined) return known
    const term = nameTerm(name)
    const number = term === null ? null : this.dictionary.number(term)
    this.terms.set(name, number)
    return number
  }
}

const EXPORT = 1
const AROUND = 2
const STARRED = 4
const NAMELESS = 8
