import { familyNumber } from './code-family.ts'
import { groupedBy } from './grouped.ts'
import type { IndexedFile } from './lexical.ts'
import { NAME_PRIVATE, NAME_WHOLE, NO_NAME } from './packed-file.ts'

/**
 * Who defines what. A definition is one name in one family of languages; it has a number, for as long
 * as this object lives. All in typed arrays, as a large view has a hundred thousand.
 */
export class Definers {
  /** File → its family of languages; 0: none. */
  readonly families: Uint8Array
  /** By definition: the term of its name, and its family. */
  readonly terms: Uint32Array
  readonly familyOf: Uint8Array
  /** By definition: `NAME_WHOLE`, `NAME_PRIVATE` where all are private, `SOME_PRIVATE` where one is. */
  readonly flags: Uint8Array
  /** By definition, and one more: where its files begin, which are ascending. */
  readonly starts: Uint32Array
  readonly files: Uint32Array

  /** @param terms above the number of every term */
  constructor(files: readonly IndexedFile[], terms: number) {
    this.families = new Uint8Array(files.length)
    let names = 0
    for (let file = 0; file < files.length; file++) {
      this.families[file] = familyNumber(files[file]!.language)
      names += files[file]!.names.length
    }
    const found = new Found(names, terms)
    for (const family of new Set(this.families)) {
      if (family === 0) continue
      found.begin(family)
      for (let file = 0; file < files.length; file++) {
        if (this.families[file] === family) found.add(file, files[file]!.names)
      }
    }
    this.terms = found.terms.slice(0, found.size)
    this.familyOf = found.families.slice(0, found.size)
    this.flags = found.flags.slice(0, found.size)
    const grouped = groupedBy(
      found.definitions.subarray(0, found.entries),
      found.files.subarray(0, found.entries),
      found.size,
    )
    this.starts = grouped.starts
    this.files = grouped.values
  }

  get size(): number {
    return this.terms.length
  }

  countOf(definition: number): number {
    return this.starts[definition + 1]! - this.starts[definition]!
  }

  /** Whether a file is among those of a definition. */
  defines(definition: number, file: number): boolean {
    let low = this.starts[definition]!
    let high = this.starts[definition + 1]!
    const end = high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.files[middle]! < file) low = middle + 1
      else high = middle
    }
    return low < end && this.files[low] === file
  }
}

/** Definitions in the order in which they are found, family after family. */
class Found {
  size = 0
  readonly terms: Uint32Array
  readonly families: Uint8Array
  readonly flags: Uint8Array
  /** Who defines what, in pairs, of which there are so many. */
  entries = 0
  readonly definitions: Uint32Array
  readonly files: Uint32Array
  private family = 0
  /** Twice the term → its definition in this family or -1, and the last file found to define it. */
  private readonly known: Int32Array

  /** @param names how many symbols there are in all */
  constructor(names: number, terms: number) {
    this.terms = new Uint32Array(names)
    this.families = new Uint8Array(names)
    this.flags = new Uint8Array(names)
    this.definitions = new Uint32Array(names)
    this.files = new Uint32Array(names)
    this.known = new Int32Array(terms * 2)
  }

  begin(family: number): void {
    this.family = family
    this.known.fill(-1)
  }

  add(file: number, names: Uint32Array): void {
    // Two hundred thousand names go through here for a pack that waits: no look-up twice.
    const { known, flags, definitions, files } = this
    let { entries } = this
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      if (name === NO_NAME) continue
      const place = termOfName(name) * 2
      let definition = known[place]!
      if (definition < 0) {
        definition = this.begun(name)
        known[place] = definition
      } else flags[definition] = bothFlags(flags[definition]!, nameFlags(name))
      if (known[place + 1] === file) continue
      known[place + 1] = file
      definitions[entries] = definition
      files[entries++] = file
    }
    this.entries = entries
  }

  private begun(name: number): number {
    const definition = this.size++
    this.terms[definition] = termOfName(name)
    this.families[definition] = this.family
    this.flags[definition] = nameFlags(name)
    return definition
  }
}

/** Out of what `nameNumbers` made. */
export function termOfName(name: number): number {
  return name >>> 2
}

/** That one of the symbols of a name is for its own file or class alone; beside the flags of names. */
export const SOME_PRIVATE = 4

/** What `Definers` says of a name that one symbol defines. */
export function nameFlags(name: number): number {
  const isPrivate = (name & NAME_PRIVATE) !== 0
  return (name & (NAME_WHOLE | NAME_PRIVATE)) | (isPrivate ? SOME_PRIVATE : 0)
}

/** What it says of one that several define. */
export function bothFlags(a: number, b: number): number {
  return (a & b & NAME_PRIVATE) | ((a | b) & (NAME_WHOLE | SOME_PRIVATE))
}
