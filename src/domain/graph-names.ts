import type { CodeGraph, Neighbour } from './graph.ts'
import { termOfName } from './graph-definers.ts'
import { type IndexedFile, type LexicalView, symbolsOf } from './lexical.ts'
import { compareBytes } from './order.ts'
import { NAME_WHOLE, NO_NAME } from './packed-file.ts'
import { terms } from './terms.ts'

/** Names of other files' definitions that a symbol uses, and of those that use it; best first. */
export type Calls = { readonly calls: readonly string[]; readonly calledBy: readonly string[] }

/** Reads out of the index who holds whose name; made for one pack, as postings are read again. */
export class CallNames {
  private readonly room: Uint32Array
  private readonly holding = new Map<number, Uint32Array>()
  private readonly own = new Map<IndexedFile, ReadonlySet<number>>()
  private readonly ofPath = new Map<IndexedFile, readonly number[]>()

  constructor(
    private readonly view: LexicalView,
    private readonly graph: CodeGraph,
  ) {
    this.room = new Uint32Array(view.symbols.postings.numbers)
  }

  /** @param ordinal which of the file's symbols */
  of(path: string, ordinal: number): Calls {
    const number = this.graph.number(path)
    const file = this.view.byPath.get(path)
    if (number === undefined || file === undefined) return { calls: [], calledBy: [] }
    return {
      calls: this.calls(file, number, ordinal),
      calledBy: this.calledBy(file, number, ordinal),
    }
  }

  private calledBy(file: IndexedFile, number: number, ordinal: number): string[] {
    const name = file.names[ordinal]
    if (name === undefined || name === NO_NAME) return []
    const term = termOfName(name)
    const found = new Set<string>()
    for (const user of this.graph.usedBy(number)) {
      if (found.size >= NAMES_MAX) break
      const there = this.fileAt(user)
      if (there === undefined || !isCertain(name, user)) continue
      // Each definition of a file has the words of its path: they tell nothing of who calls.
      if (this.pathTerms(there).includes(term)) continue
      const caller = this.innermost(there, term)
      if (caller !== null) found.add(caller)
    }
    return [...found]
  }

  private calls(file: IndexedFile, number: number, ordinal: number): string[] {
    const found = new Set<string>()
    const doc = file.symbols.start + ordinal
    const ownTerms = this.ownTerms(file)
    for (const used of this.graph.uses(number).slice(0, USED_MAX)) {
      const there = this.fileAt(used)
      if (there === undefined) continue
      for (const [at, name] of there.names.entries()) {
        if (found.size >= NAMES_MAX) return [...found]
        if (name === NO_NAME || !isCertain(name, used) || ownTerms.has(termOfName(name))) continue
        if (indexOf(this.docsWith(termOfName(name)), doc) === null) continue
        found.add(lastPart(symbolsOf(there)[at]!.name))
      }
    }
    return [...found]
  }

  /** Of the names it defines, and of its path. */
  private ownTerms(file: IndexedFile): ReadonlySet<number> {
    const known = this.own.get(file)
    if (known !== undefined) return known
    const found = new Set([...file.names].map(termOfName).concat(this.pathTerms(file)))
    this.own.set(file, found)
    return found
  }

  private pathTerms(file: IndexedFile): readonly number[] {
    const known = this.ofPath.get(file)
    if (known !== undefined) return known
    const found = terms(file.path).flatMap((term) => this.view.dictionary.find(term) ?? [])
    this.ofPath.set(file, found)
    return found
  }

  private fileAt({ file }: Neighbour): IndexedFile | undefined {
    return this.view.byPath.get(this.graph.path(file))
  }

  /** The smallest definition of a file whose words hold a term; of several the first. */
  private innermost(file: IndexedFile, term: number): string | null {
    const docs = this.docsWith(term)
    const { start, size } = file.symbols
    let best: { readonly name: string; readonly lines: number } | null = null
    const symbols = symbolsOf(file)
    for (let at = firstFrom(docs, start); at < docs.length && docs[at]! < start + size; at++) {
      const { name, line, endLine } = symbols[docs[at]! - start]!
      const lines = endLine - line
      if (best === null || lines < best.lines) best = { name, lines }
    }
    return best === null ? null : lastPart(best.name)
  }

  /** Documents of symbols that hold a term, in order. */
  private docsWith(term: number): Uint32Array {
    const known = this.holding.get(term)
    if (known !== undefined) return known
    const { postings, mask } = this.view.symbols
    const count = postings.collect(term, mask, this.room)
    const docs = this.room.slice(0, count).map((posting) => posting >>> 8)
    docs.sort()
    this.holding.set(term, docs)
    return docs
  }
}

const NAMES_MAX = 3
const USED_MAX = 12
/** Below this a name is only known to be scarce, which is enough for a whole identifier. */
const IMPORTED = 3

/** Whether an edge can be trusted to carry this very name. */
function isCertain(name: number, { confidence }: Neighbour): boolean {
  return confidence >= IMPORTED || (confidence === 2 && (name & NAME_WHOLE) !== 0)
}

function lastPart(name: string): string {
  return name.split('.').slice(-2).join('.')
}

function firstFrom(docs: Uint32Array, doc: number): number {
  let low = 0
  let high = docs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (docs[middle]! < doc) low = middle + 1
    else high = middle
  }
  return low
}

function indexOf(docs: Uint32Array, doc: number): number | null {
  const at = firstFrom(docs, doc)
  return docs[at] === doc ? at : null
}

/** Folders that a folder's files use and are used by, by the sum of the weights; not itself. */
export function folderRoles(
  graph: CodeGraph,
  paths: readonly string[],
  folderOf: (path: string) => string,
): { readonly uses: readonly string[]; readonly usedBy: readonly string[] } {
  const own = new Set(paths.map(folderOf))
  const sum = (near: (number: number) => readonly Neighbour[]) => {
    const weights = new Map<string, number>()
    for (const path of paths) {
      const number = graph.number(path)
      for (const { file, weight } of number === undefined ? [] : near(number)) {
        const folder = folderOf(graph.path(file))
        if (!own.has(folder)) weights.set(folder, (weights.get(folder) ?? 0) + weight)
      }
    }
    return [...weights]
      .sort((a, b) => b[1] - a[1] || compareBytes(a[0], b[0]))
      .slice(0, FOLDERS_MAX)
      .map(([folder]) => folder)
  }
  return {
    uses: sum((number) => graph.uses(number)),
    usedBy: sum((number) => graph.usedBy(number)),
  }
}

const FOLDERS_MAX = 2
