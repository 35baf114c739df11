import { grownWords } from './grown-array.ts'
import type { Group } from './postings.ts'
import type { RecordId } from './record.ts'
import { TextNumbers } from './text-numbers.ts'

export type AnchorPlace = {
  readonly path: string
  readonly symbol: string | null
  /** What it was when recorded; without one it is not followed when it moves. */
  readonly hash?: string | null
}

export type AnchoredRecord = {
  readonly id: RecordId
  readonly position: number
  readonly anchors: readonly AnchorPlace[]
}

/**
 * Records and what they are anchored at, in rows of numbers: a hundred thousand of them as objects would
 * take eight times the memory, and the collector would look at each again and again. A row is the number
 * of the record's id; it stays when the record goes.
 */
export class RecordShelf {
  private readonly ids = new TextNumbers()
  /** Null where the record is gone. */
  private readonly groups: (Group | null)[] = []
  private readonly positions: number[] = []
  /** Of each row: its first anchor, and behind the last one where the next row's will be. */
  private anchorsFrom = new Uint32Array(ROWS_MIN)
  private anchorsTo = new Uint32Array(ROWS_MIN)
  private readonly anchorRows = new AnchorRows()

  has(id: RecordId): boolean {
    return this.groupOf(id) !== null
  }

  /** Undefined for one that never was here. */
  rowOf(id: RecordId): number | undefined {
    return this.ids.find(id)
  }

  /** The row of one that is about to be added. */
  rowFor(id: RecordId): number {
    return this.ids.number(id)
  }

  /** @param texts owned by the record's row */
  add(position: number, anchors: readonly AnchorPlace[], texts: Group): void {
    const row = texts.owner
    this.groups[row] = texts
    this.positions[row] = position
    this.anchorsFrom = grownWords(this.anchorsFrom, row + 1)
    this.anchorsTo = grownWords(this.anchorsTo, row + 1)
    this.anchorsFrom[row] = this.anchorRows.size
    for (const anchor of anchors) this.anchorRows.add(row, anchor)
    this.anchorsTo[row] = this.anchorRows.size
  }

  remove(id: RecordId): Group | null {
    const group = this.groupOf(id)
    if (group !== null) this.groups[group.owner] = null
    return group
  }

  groupOf(id: RecordId): Group | null {
    const row = this.rowOf(id)
    return row === undefined ? null : (this.groups[row] ?? null)
  }

  positionAt(row: number): number {
    return this.positions[row]!
  }

  at(row: number): AnchoredRecord {
    return new ShelvedRecord(this, row)
  }

  idAt(row: number): RecordId {
    return this.ids.text(row) as RecordId
  }

  anchorsAt(row: number): AnchorPlace[] {
    const anchors: AnchorPlace[] = []
    for (let at = this.anchorsFrom[row]!; at < this.anchorsTo[row]!; at++) {
      anchors.push(this.anchorRows.place(at))
    }
    return anchors
  }

  /** Each of its paths once. */
  pathsAt(row: number): string[] {
    const paths = new Set<string>()
    for (let at = this.anchorsFrom[row]!; at < this.anchorsTo[row]!; at++) {
      paths.add(this.anchorRows.path(at))
    }
    return [...paths]
  }

  /** Those that stand after a position of the log, in no order. */
  idsAfter(position: number): RecordId[] {
    return this.groups.flatMap((group, row) =>
      group !== null && this.positions[row]! > position ? this.idAt(row) : [],
    )
  }

  /** Records with an anchor in one of `paths`, each once, in no order. */
  anchoredAt(paths: Iterable<string>): AnchoredRecord[] {
    const rows = new Set<number>()
    for (const path of paths) {
      for (const at of this.anchorRows.of(path)) {
        if (this.isCurrent(at)) rows.add(this.anchorRows.row(at))
      }
    }
    return [...rows].map((row) => this.at(row))
  }

  /** Where all records are anchored, in no order. */
  *anchors(): Generator<AnchorPlace> {
    for (let at = 0; at < this.anchorRows.size; at++) {
      if (this.isCurrent(at)) yield this.anchorRows.place(at)
    }
  }

  /** Not of a record that went, nor of what it said before it came again. */
  private isCurrent(anchor: number): boolean {
    const row = this.anchorRows.row(anchor)
    return this.groups[row] !== null && anchor >= this.anchorsFrom[row]!
  }
}

/** Its id and anchors are put together when they are asked for: of many found, few are. */
class ShelvedRecord implements AnchoredRecord {
  private known: readonly AnchorPlace[] | null = null

  constructor(
    private readonly shelf: RecordShelf,
    private readonly row: number,
  ) {}

  get id(): RecordId {
    return this.shelf.idAt(this.row)
  }

  get position(): number {
    return this.shelf.positionAt(this.row)
  }

  get anchors(): readonly AnchorPlace[] {
    this.known ??= this.shelf.anchorsAt(this.row)
    return this.known
  }
}

/** Anchors in the order they came, those of a path chained from the last to the first. */
class AnchorRows {
  private count = 0
  private words = new Uint32Array(ROWS_MIN * WORDS)
  private readonly paths: string[] = []
  private readonly pathNumbers = new TextNumbers()
  /** Of each path: its last anchor and one. */
  private last = new Uint32Array(ROWS_MIN)
  /** Symbols and hashes. */
  private readonly texts = new TextNumbers()

  get size(): number {
    return this.count
  }

  add(row: number, { path, symbol, hash }: AnchorPlace): void {
    const number = this.pathNumber(path)
    const at = this.count++
    this.words = grownWords(this.words, this.count * WORDS)
    this.words.set(
      [row, number, this.textNumber(symbol), this.textNumber(hash ?? null), this.last[number]!],
      at * WORDS,
    )
    this.last[number] = at + 1
  }

  row(at: number): number {
    return this.words[at * WORDS]!
  }

  path(at: number): string {
    return this.paths[this.words[at * WORDS + 1]!]!
  }

  place(at: number): AnchorPlace {
    const from = at * WORDS
    const [symbol, hash] = [this.words[from + 2]!, this.words[from + 3]!]
    return {
      path: this.path(at),
      symbol: symbol === 0 ? null : this.texts.text(symbol - 1),
      hash: hash === 0 ? null : this.texts.text(hash - 1),
    }
  }

  *of(path: string): Generator<number> {
    const number = this.pathNumbers.find(path)
    let next = number === undefined ? 0 : this.last[number]!
    while (next !== 0) {
      yield next - 1
      next = this.words[(next - 1) * WORDS + 4]!
    }
  }

  private pathNumber(path: string): number {
    const number = this.pathNumbers.number(path)
    if (number < this.paths.length) return number
    this.paths.push(path)
    this.last = grownWords(this.last, number + 1)
    return number
  }

  /** And one; 0 for none. */
  private textNumber(text: string | null): number {
    return text === null ? 0 : this.texts.number(text) + 1
  }
}

/** Of an anchor: record, path, symbol, hash, the one before it at that path. */
const WORDS = 5
const ROWS_MIN = 1 << 6
