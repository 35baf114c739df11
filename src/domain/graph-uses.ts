import type { Definers } from './graph-definers.ts'
import { type Grouped, groupedBy } from './grouped.ts'
import type { IndexedFile, LexicalView } from './lexical.ts'
import { NumberList } from './number-list.ts'

/**
 * By file: the definitions whose names it holds, each times 256 and how often, which is 255 at most.
 * Of the files that `wanted` marks, in their own families of languages, without the definitions that
 * are idle.
 */
export function usesOf(
  view: LexicalView,
  files: readonly IndexedFile[],
  definers: Definers,
  wanted: Uint8Array,
  isIdle: (definition: number) => boolean,
): Grouped {
  const holders = new Holders(view, files, wanted)
  const users = new NumberList()
  const uses = new NumberList()
  for (let definition = 0; definition < definers.size; definition++) {
    if (isIdle(definition)) continue
    const family = definers.familyOf[definition]
    const found = holders.read(definers.terms[definition]!)
    for (let at = 0; at < found; at++) {
      const file = holders.file(at)
      if (definers.families[file] !== family) continue
      users.push(file)
      uses.push(definition * 256 + holders.count(at))
    }
  }
  return groupedBy(users.array(), uses.array(), files.length)
}

/** Which of some files hold a term, by the files' numbers. */
export class Holders {
  private readonly mask: Uint8Array
  private readonly numberOf: Uint32Array
  /** Of the term read last. */
  private readonly postings: Uint32Array

  /** @param wanted by file: 1 for those that count */
  constructor(
    private readonly view: LexicalView,
    files: readonly IndexedFile[],
    wanted: Uint8Array,
  ) {
    const { numbers } = view.texts.postings
    this.mask = new Uint8Array(numbers)
    this.numberOf = new Uint32Array(numbers)
    let count = 0
    for (let file = 0; file < files.length; file++) {
      const { texts } = files[file]!
      if (wanted[file] === 0 || !texts.live) continue
      this.mask[texts.start] = 1
      this.numberOf[texts.start] = file
      count++
    }
    this.postings = new Uint32Array(count)
  }

  /** How many hold the term: so many can be asked for until the next call. */
  read(term: number): number {
    return this.view.texts.postings.collect(term, this.mask, this.postings)
  }

  file(at: number): number {
    return this.numberOf[this.postings[at]! >>> 8]!
  }

  /** How often it holds the term, 255 at most. */
  count(at: number): number {
    return this.postings[at]! & 255
  }
}
