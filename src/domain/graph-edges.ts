import type { CodeLayout } from './code-layout.ts'
import type { Definers } from './graph-definers.ts'
import { Imports } from './graph-imports.ts'
import { usesOf } from './graph-uses.ts'
import type { Grouped } from './grouped.ts'
import type { IndexedFile, LexicalView } from './lexical.ts'
import type { LinkTable } from './link-table.ts'
import { NumberList } from './number-list.ts'
import { NAME_PRIVATE, NAME_WHOLE } from './packed-file.ts'

/** Who uses whom, and how much, before anything is damped: for each file a row of edges. */
export type EdgeTable = {
  /** By file, and one more: where its edges begin. */
  readonly starts: Uint32Array
  /** The files used, ascending within a row. */
  readonly files: Uint32Array
  readonly weights: Uint32Array
  readonly confidences: Uint8Array
}

/** What edges are made of: a view's files by number, what their links mean, and who defines what. */
export type LinkedCode = {
  readonly view: LexicalView
  readonly layout: CodeLayout
  readonly files: readonly IndexedFile[]
  readonly links: LinkTable
  readonly definers: Definers
}

/** Edges found before, of files that had other numbers then; rows that still hold need no second look. */
export type KeptEdges = {
  readonly edges: EdgeTable
  /** By file: the number it had, of those whose row holds. */
  readonly numberThen: Int32Array
  /** By number then: what it is now. Null: none has changed. */
  readonly numberNow: Int32Array | null
  /** By file: 1 where the row is to be made anew. */
  readonly stale: Uint8Array
}

/** A name that more files define is one for each of them (`get`, `render`). */
export const SCARCE_MAX = 5
export const IMPORTED_AMONG_MAX = 60

/**
 * Name by name: which files of the view hold it and which of its definitions each of them means. A
 * name that a file imports means what it is imported from, nothing when that is outside the view;
 * one of a module it imports, that module's; any other only when few files of the same family of
 * languages define it and it is a whole identifier that prose does not hold.
 */
export function edgesOf(code: LinkedCode, kept: KeptEdges | null): EdgeTable {
  const { view, files, links, definers } = code
  const stale = kept?.stale ?? new Uint8Array(files.length).fill(1)
  const terms = view.dictionary.size
  const imported = importedTerms(links, stale, terms)
  const isIdle = (definition: number) =>
    definers.countOf(definition) > IMPORTED_AMONG_MAX && imported[definers.terms[definition]!] === 0
  const uses = usesOf(view, files, definers, stale, isIdle)
  const rows = new Rows(code, new Imports(files, links, terms), uses)
  for (let file = 0; file < files.length; ) {
    if (stale[file] === 1) rows.make(file++)
    else file = rows.copy(kept!, file)
  }
  return rows.table()
}

/** Marks the terms of names that one of the marked files imports by name. */
function importedTerms(links: LinkTable, marked: Uint8Array, terms: number): Uint8Array {
  const found = new Uint8Array(terms)
  for (let file = 0; file < links.size; file++) {
    if (marked[file] === 0) continue
    const end = links.nameStarts[links.starts[file + 1]!]!
    for (let at = links.nameStarts[links.starts[file]!]!; at < end; at++)
      found[links.names[at]!] = 1
  }
  return found
}

/** Writes the rows of edges one by one, in the order of the files. */
class Rows {
  private readonly starts = new NumberList()
  private readonly files = new NumberList()
  private readonly weights = new NumberList()
  private readonly confidences = new NumberList()
  /** Of the row in the making, by the file used; no edge has a confidence of zero. */
  private readonly weightOf: Float64Array
  private readonly confidenceOf: Uint8Array
  private readonly used: Uint32Array
  private usedCount = 0
  /** The files that the name looked at may mean. */
  private readonly meant: Uint32Array

  constructor(
    private readonly code: LinkedCode,
    private readonly imports: Imports,
    private readonly uses: Grouped,
  ) {
    const { length } = code.files
    this.weightOf = new Float64Array(length)
    this.confidenceOf = new Uint8Array(length)
    this.used = new Uint32Array(length)
    this.meant = new Uint32Array(length)
  }

  table(): EdgeTable {
    this.starts.push(this.files.length)
    return {
      starts: this.starts.array(),
      files: this.files.array(),
      weights: this.weights.array(),
      confidences: new Uint8Array(this.confidences.array()),
    }
  }

  /** Copies the row of a file, and of those behind it that hold and were behind it then; says which is next. */
  copy({ edges, numberThen, numberNow, stale }: KeptEdges, file: number): number {
    const then = numberThen[file]!
    const [first, shift] = [edges.starts[then]!, this.files.length - edges.starts[then]!]
    let next = file
    while (next < stale.length && stale[next] === 0 && numberThen[next] === then + next - file) {
      this.starts.push(edges.starts[then + next - file]! + shift)
      next++
    }
    const end = edges.starts[then + next - file]!
    if (numberNow === null) this.files.pushAll(edges.files.subarray(first, end))
    else {
      for (let edge = first; edge < end; edge++) this.files.push(numberNow[edges.files[edge]!]!)
    }
    this.weights.pushAll(edges.weights.subarray(first, end))
    this.confidences.pushAll(edges.confidences.subarray(first, end))
    return next
  }

  make(file: number): void {
    this.starts.push(this.files.length)
    const { uses, imports } = this
    imports.read(file)
    for (let use = uses.starts[file]!; use < uses.starts[file + 1]!; use++) {
      const packed = uses.values[use]!
      this.addUse(file, packed >>> 8, packed & 255)
    }
    this.addPlainImports(file)
    for (const to of this.used.subarray(0, this.usedCount).sort()) {
      this.files.push(to)
      this.weights.push(Math.min(this.weightOf[to]!, WEIGHT_MAX))
      this.confidences.push(this.confidenceOf[to]!)
      this.weightOf[to] = 0
      this.confidenceOf[to] = 0
    }
    this.usedCount = 0
  }

  private addUse(user: number, definition: number, count: number): void {
    const {
      imports,
      code: { definers },
    } = this
    if (definers.defines(definition, user)) return
    const term = definers.terms[definition]!
    if (imports.isOutside(term)) return
    const flags = definers.flags[definition]!
    if (imports.isNamed(term)) {
      const files = imports.definersOf(term)
      this.meant.set(files)
      this.addMeant(user, files.length, 4, count, flags)
      return
    }
    const size = definers.countOf(definition)
    const found = size <= IMPORTED_AMONG_MAX ? this.putModules(definition) : 0
    if (found > 0) this.addMeant(user, found, 3, count, flags)
    else if ((flags & NAME_WHOLE) !== 0 && size <= SCARCE_MAX) {
      const likely = this.putLikely(user, definition)
      this.addMeant(user, likely, likely === 1 ? 2 : 1, count, flags)
    }
  }

  /** Those of a definition's files that are modules imported. */
  private putModules(definition: number): number {
    const {
      imports,
      code: { definers },
    } = this
    let found = 0
    if (imports.moduleCount === 0) return found
    for (let at = definers.starts[definition]!; at < definers.starts[definition + 1]!; at++) {
      const file = definers.files[at]!
      if (imports.isModule(file)) this.meant[found++] = file
    }
    return found
  }

  /** No test's definition for code that is none; then those of the same folder, where there are any. */
  private putLikely(user: number, definition: number): number {
    const { layout, definers } = this.code
    const folder = layout.folderNumber(user)
    let [found, beside] = [0, 0]
    for (let at = definers.starts[definition]!; at < definers.starts[definition + 1]!; at++) {
      const file = definers.files[at]!
      if (layout.isTest(file) && !layout.isTest(user)) continue
      const isBeside = layout.folderNumber(file) === folder
      if (isBeside) this.meant[beside++] = file
      else if (beside === 0) this.meant[found] = file
      found++
    }
    return beside > 0 ? beside : found
  }

  /** Shares a use among the first `among` of `meant`. */
  private addMeant(user: number, among: number, confidence: number, count: number, flags: number) {
    if (among === 0) return
    const weight = nameWeight(count, confidence, flags, among)
    for (let at = 0; at < among; at++) {
      const to = this.meant[at]!
      if (to !== user) this.add(to, weight, confidence)
    }
  }

  private add(to: number, weight: number, confidence: number): void {
    if (this.confidenceOf[to] === 0) this.used[this.usedCount++] = to
    this.weightOf[to]! += weight
    if (confidence > this.confidenceOf[to]!) this.confidenceOf[to] = confidence
  }

  /** What is imported and of which no name was found in use: it counts as one use. */
  private addPlainImports(user: number): void {
    const { links } = this.code
    for (let link = links.starts[user]!; link < links.starts[user + 1]!; link++) {
      const [first, end] = [links.targetStarts[link]!, links.targetStarts[link + 1]!]
      if (links.isAround(link) || end - first > DIRECT_MAX) continue
      for (let at = first; at < end; at++) {
        const to = links.targets[at]!
        if (to !== user && this.confidenceOf[to] === 0) this.add(to, 3 * 1_024, 3)
      }
    }
  }
}

/** Above what the names of a file of the largest size come to. */
const WEIGHT_MAX = 2 ** 32 - 1
/** A package of more files is not imported for each of them. */
const DIRECT_MAX = 4

function nameWeight(count: number, confidence: number, flags: number, among: number): number {
  const often = Math.floor(Math.sqrt(count * 1_048_576))
  const telling = (flags & NAME_WHOLE) === 0 ? 1 : 3
  const weight = Math.floor((often * confidence * telling) / among)
  return (flags & NAME_PRIVATE) === 0 ? weight : Math.floor(weight / 5)
}
