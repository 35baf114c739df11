import { termOfName } from './graph-definers.ts'
import type { IndexedFile } from './lexical.ts'
import type { LinkTable } from './link-table.ts'
import { NO_NAME } from './packed-file.ts'

/** What one file at a time imports: `read` turns to the next. */
export class Imports {
  /** Files all of whose names can be meant. */
  moduleCount = 0
  private user = 0
  private turn = 0
  /** File → the turn in which it was a module imported last. */
  private readonly modules: Uint32Array
  /** Term → twice the turn in which a name of it was imported last, one more where it is of the view. */
  private readonly named: Uint32Array
  private readonly exporting: Exporting

  constructor(
    files: readonly IndexedFile[],
    private readonly links: LinkTable,
    terms: number,
  ) {
    this.modules = new Uint32Array(files.length)
    this.named = new Uint32Array(terms)
    this.exporting = new Exporting(files, links)
  }

  read(user: number): void {
    this.user = user
    this.turn++
    this.moduleCount = 0
    const { links } = this
    for (let link = links.starts[user]!; link < links.starts[user + 1]!; link++) this.readLink(link)
  }

  private readLink(link: number): void {
    const { links, named } = this
    const [first, end] = [links.targetStarts[link]!, links.targetStarts[link + 1]!]
    if (links.isWhole(link)) {
      for (let at = first; at < end; at++) {
        const target = links.targets[at]!
        this.addModule(target)
        for (const behind of this.exporting.handedOnBy(target)) this.addModule(behind)
      }
    }
    // A name that comes from several places, one of them here, is meant to be the one here.
    const meant = this.turn * 2 + (first === end ? 0 : 1)
    for (let at = links.nameStarts[link]!; at < links.nameStarts[link + 1]!; at++) {
      const term = links.names[at]!
      if (named[term]! < meant) named[term] = meant
    }
  }

  private addModule(file: number): void {
    if (this.modules[file] === this.turn) return
    this.modules[file] = this.turn
    this.moduleCount++
  }

  isModule(file: number): boolean {
    return this.modules[file] === this.turn
  }

  /** Whether a name comes from no file of the view. */
  isOutside(term: number): boolean {
    return this.named[term] === this.turn * 2
  }

  isNamed(term: number): boolean {
    return this.named[term] === this.turn * 2 + 1
  }

  /** The files that define a name where it is imported from, each once. */
  definersOf(term: number): readonly number[] {
    const { links, user } = this
    const found = new Set<number>()
    for (let link = links.starts[user]!; link < links.starts[user + 1]!; link++) {
      if (!links.hasName(link, term)) continue
      for (let at = links.targetStarts[link]!; at < links.targetStarts[link + 1]!; at++) {
        const definers = this.exporting.definersBehind(links.targets[at]!, term)
        for (const file of definers) found.add(file)
      }
    }
    return [...found]
  }
}

/** More terms than any index has. */
const TERMS = 1 << 26
const HANDED_ON_DEPTH = 4
const HANDED_ON_MAX = 60
const NONE: readonly number[] = []

/** Follows what files hand on (`export … from`, `pub use`, a package's `__init__`). */
class Exporting {
  private readonly behind = new Map<number, readonly number[]>()
  private readonly handed = new Map<number, readonly number[]>()

  constructor(
    private readonly files: readonly IndexedFile[],
    private readonly links: LinkTable,
  ) {}

  /** The files that define a name as `file` gives it: itself, or those it hands on from. */
  definersBehind(file: number, term: number): readonly number[] {
    if (this.defines(file, term)) return [file]
    if (!this.links.hasExport(file)) return NONE
    const key = file * TERMS + term
    const known = this.behind.get(key)
    if (known !== undefined) return known
    const found = new Set<number>()
    this.collect(file, term, found, new Set(), 0)
    const definers = [...found]
    this.behind.set(key, definers)
    return definers
  }

  private collect(
    file: number,
    term: number,
    found: Set<number>,
    seen: Set<number>,
    depth: number,
  ): void {
    if (seen.has(file) || seen.size > HANDED_ON_MAX) return
    seen.add(file)
    if (this.defines(file, term)) {
      found.add(file)
      return
    }
    if (depth >= HANDED_ON_DEPTH) return
    const { links } = this
    for (let link = links.starts[file]!; link < links.starts[file + 1]!; link++) {
      if (!links.isExport(link)) continue
      if (!links.isStarred(link) && !links.hasName(link, term)) continue
      for (let at = links.targetStarts[link]!; at < links.targetStarts[link + 1]!; at++) {
        this.collect(links.targets[at]!, term, found, seen, depth + 1)
      }
    }
  }

  /** Files whose every name a file hands on. */
  handedOnBy(file: number): readonly number[] {
    if (!this.links.hasExport(file)) return NONE
    const known = this.handed.get(file)
    if (known !== undefined) return known
    const found = new Set<number>()
    this.visit(file, file, found, 0)
    const all = [...found]
    this.handed.set(file, all)
    return all
  }

  private visit(from: number, at: number, found: Set<number>, depth: number): void {
    if (depth > HANDED_ON_DEPTH) return
    const { links } = this
    for (let link = links.starts[at]!; link < links.starts[at + 1]!; link++) {
      if (!links.isExport(link)) continue
      for (let at = links.targetStarts[link]!; at < links.targetStarts[link + 1]!; at++) {
        const next = links.targets[at]!
        if (next === from || found.has(next) || found.size >= HANDED_ON_MAX) continue
        found.add(next)
        this.visit(from, next, found, depth + 1)
      }
    }
  }

  private defines(file: number, term: number): boolean {
    const { names } = this.files[file]!
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      if (name !== NO_NAME && termOfName(name) === term) return true
    }
    return false
  }
}
