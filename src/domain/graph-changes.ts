import { familyNumber } from './code-family.ts'
import type { Renumbering } from './code-layout.ts'
import { bothFlags, type Definers, nameFlags, SOME_PRIVATE, termOfName } from './graph-definers.ts'
import { type EdgeTable, IMPORTED_AMONG_MAX, type KeptEdges, SCARCE_MAX } from './graph-edges.ts'
import { Holders } from './graph-uses.ts'
import type { IndexedFile, LexicalView } from './lexical.ts'
import type { LinkTable } from './link-table.ts'
import { NAME_WHOLE, NO_NAME } from './packed-file.ts'

/** A view whose edges are known. */
type Before = {
  readonly files: readonly IndexedFile[]
  readonly links: LinkTable
  readonly edges: EdgeTable
}
type Now = {
  readonly view: LexicalView
  readonly files: readonly IndexedFile[]
  readonly links: LinkTable
  readonly definers: Definers
}

/**
 * What still holds of the edges of another view of the same index. The row of a file that has not
 * changed hangs on what its links mean, on what the files these lead to hand on, and on who defines
 * the names it holds: it is to be made anew where one of these is another, or may be.
 */
export function keptEdges(
  before: Before,
  now: Now,
  { numberThen, numberNow, isSame }: Renumbering,
): KeptEdges {
  const stale = new Uint8Array(now.files.length)
  const names = new ChangedNames(now.view.dictionary.size)
  const handing: number[] = []
  for (let file = 0; file < numberThen.length; file++) {
    const then = numberThen[file]!
    const old = then < 0 ? undefined : before.files[then]
    if (old !== now.files[file]) {
      stale[file] = 1
      names.add(old, now.files[file])
    }
    if (old === undefined || now.links === before.links) continue
    if (now.links.isSameRow(file, before.links, then, numberNow)) continue
    stale[file] = 1
    if (now.links.hasExport(file) || before.links.hasExport(then)) handing.push(file)
  }
  for (let then = 0; then < numberNow.length; then++) {
    if (numberNow[then]! < 0) names.add(before.files[then], undefined)
  }
  const changed: number[] = []
  for (let file = 0; file < stale.length; file++) if (stale[file] === 1) changed.push(file)
  markImporters(now.links, handing, stale)
  if (names.size > 0) markUsers(now, names, changed, stale)
  return { edges: before.edges, numberThen, numberNow: isSame ? null : numberNow, stale }
}

/** Marks who imports from one of `files`, or from what hands on from one, however far. */
function markImporters(links: LinkTable, files: readonly number[], marks: Uint8Array): void {
  if (files.length === 0) return
  const reaching = new Uint8Array(links.size)
  for (const file of files) reaching[file] = 1
  for (let isFound = true; isFound; ) {
    isFound = false
    for (let file = 0; file < links.size; file++) {
      if (reaching[file] === 1 || !links.hasExport(file)) continue
      if (!leadsTo(links, file, reaching, true)) continue
      reaching[file] = 1
      isFound = true
    }
  }
  for (let file = 0; file < links.size; file++) {
    if (marks[file] === 0 && leadsTo(links, file, reaching, false)) marks[file] = 1
  }
}

/** Whether one of a file's links leads to a file marked. */
function leadsTo(links: LinkTable, file: number, marks: Uint8Array, isHandedOn: boolean): boolean {
  for (let link = links.starts[file]!; link < links.starts[file + 1]!; link++) {
    if ((!isHandedOn || links.isExport(link)) && links.leadsTo(link, marks)) return true
  }
  return false
}

/** Marks who uses a name that others define now, or of which fewer or more do. */
function markUsers(
  { view, files, links, definers }: Now,
  names: ChangedNames,
  changed: readonly number[],
  stale: Uint8Array,
): void {
  for (let file = 0; file < links.size; file++) {
    const end = links.nameStarts[links.starts[file + 1]!]!
    for (let at = links.nameStarts[links.starts[file]!]!; at < end; at++) {
      if (names.has(links.names[at]!)) stale[file] = 1
    }
  }
  const importing = new Uint8Array(files.length)
  markImporters(links, changed, importing)
  const holders = new Holders(view, files, new Uint8Array(files.length).fill(1))
  for (const { term, family, flags, before, now } of names.counted(definers)) {
    const [fewest, most] = [Math.min(before, now), Math.max(before, now)]
    if (fewest > IMPORTED_AMONG_MAX) continue
    // Otherwise it is another to those alone who import one of the files that changed.
    const isAnybodys =
      most > IMPORTED_AMONG_MAX ||
      (flags & SOME_PRIVATE) !== 0 ||
      ((flags & NAME_WHOLE) !== 0 && fewest <= SCARCE_MAX)
    const found = holders.read(term)
    for (let at = 0; at < found; at++) {
      const file = holders.file(at)
      if (definers.families[file] !== family) continue
      if (isAnybodys || importing[file] === 1) stale[file] = 1
    }
  }
}

/** Names that came to files or went from them, by family of languages. */
class ChangedNames {
  private readonly byKey = new Map<number, ChangedName>()
  private readonly terms: Uint8Array

  /** @param terms above the number of every term */
  constructor(terms: number) {
    this.terms = new Uint8Array(terms)
  }

  get size(): number {
    return this.byKey.size
  }

  has(term: number): boolean {
    return this.terms[term] === 1
  }

  /** @param before the file at one path, then and now; undefined: there was none */
  add(before: IndexedFile | undefined, now: IndexedFile | undefined): void {
    const [had, has] = [namesOf(before), namesOf(now)]
    for (const [key, flags] of had) if (has.get(key) !== flags) this.change(key, flags, -1)
    for (const [key, flags] of has) if (had.get(key) !== flags) this.change(key, flags, 1)
  }

  private change(key: number, flags: number, by: number): void {
    const known = this.byKey.get(key) ?? { flags: 0, net: 0 }
    this.byKey.set(key, { flags: known.flags | flags, net: known.net + by })
    this.terms[Math.floor(key / FAMILIES_MAX)] = 1
  }

  /** Each with how many files define it now, and did before. */
  counted(definers: Definers): readonly CountedName[] {
    const definitions = new Map<number, number>()
    for (let definition = 0; definition < definers.size; definition++) {
      const term = definers.terms[definition]!
      if (!this.has(term)) continue
      definitions.set(term * FAMILIES_MAX + definers.familyOf[definition]!, definition)
    }
    return [...this.byKey].map(([key, { flags, net }]) => {
      const definition = definitions.get(key)
      const now = definition === undefined ? 0 : definers.countOf(definition)
      const left = definition === undefined ? 0 : definers.flags[definition]!
      const [term, family] = [Math.floor(key / FAMILIES_MAX), key % FAMILIES_MAX]
      return { term, family, flags: flags | left, now, before: now - net }
    })
  }
}

type ChangedName = {
  /** As `Definers` has them, of all that came or went. */
  readonly flags: number
  /** How many more files define it than did. */
  readonly net: number
}

type CountedName = {
  readonly term: number
  readonly family: number
  /** Of those too that stayed. */
  readonly flags: number
  readonly before: number
  readonly now: number
}

/** More than there are. */
const FAMILIES_MAX = 16

/** Term and family as one number → the flags of all its symbols of that name. */
function namesOf(file: IndexedFile | undefined): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  if (file === undefined) return found
  const family = familyNumber(file.language)
  for (const name of file.names) {
    if (name === NO_NAME) continue
    const key = termOfName(name) * FAMILIES_MAX + family
    const known = found.get(key)
    const flags = nameFlags(name)
    found.set(key, known === undefined ? flags : bothFlags(known, flags))
  }
  return found
}
