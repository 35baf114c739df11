import type { Link } from './code.ts'
import { compareBytes } from './order.ts'
import { unpackLinks } from './packed-file.ts'
import { isTestPath } from './test-path.ts'

/** A file as name resolution sees it. */
export type LinkedFile = {
  readonly path: string
  readonly language: string
  /** As `unpackLinks` reads them. */
  readonly links: string
}

/** What a link means in a view. */
export type ResolvedLink = {
  /** `around`: no statement, but the names there can be used without one. */
  readonly kind: 'import' | 'export' | 'around'
  /** As in a `Link`. */
  readonly names: readonly string[]
  /** Numbers of files; none: it is not in this view, so its names come from outside. */
  readonly files: readonly number[]
}

/** From one view to another; where a file is of another kind now, one went and one came. */
export type Moved = {
  readonly went: readonly LinkedFile[]
  readonly came: readonly LinkedFile[]
}

/** How the files of two views are numbered. */
export type Renumbering = {
  /** By number now: what it was, or -1. */
  readonly numberThen: Int32Array
  /** By number then: what it is now, or -1. */
  readonly numberNow: Int32Array
  readonly isSame: boolean
}

/** The files of a view by number, in the order of their paths' bytes, and where they lie. */
export class CodeLayout {
  readonly files: readonly LinkedFile[]
  private readonly numbers = new Map<string, number>()
  private folders: ReadonlyMap<string, readonly number[]> | null = null
  private names: ReadonlyMap<string, readonly number[]> | null = null
  /** What was asked for by the end of its path. */
  private readonly endings = new Map<string, readonly number[]>()
  /** Folder → its number, and file → that of its folder. */
  private folderIds = new Map<string, number>()
  private folderNumbers: Uint32Array | null = null
  private tests: Uint8Array | null = null

  constructor(files: Iterable<LinkedFile>, isSorted = false) {
    this.files = isSorted ? [...files] : [...files].sort(byPath)
    for (const [number, { path }] of this.files.entries()) this.numbers.set(path, number)
  }

  /**
   * That of another view: without sorting all of it or looking at every path.
   * @param files of that view, by path
   */
  after({ went, came }: Moved, files: ReadonlyMap<string, LinkedFile>) {
    const numberThen = new Int32Array(files.size).fill(-1)
    const numberNow = new Int32Array(this.files.length)
    for (const { path } of went) numberNow[this.numbers.get(path)!] = -1
    const sorted: LinkedFile[] = []
    const coming = [...came].sort(byPath)
    let next = 0
    for (const [number, { path }] of this.files.entries()) {
      while (next < coming.length && compareBytes(coming[next]!.path, path) <= 0) {
        sorted.push(coming[next++]!)
      }
      if (numberNow[number] === -1) continue
      numberThen[sorted.length] = number
      numberNow[number] = sorted.length
      sorted.push(files.get(path)!)
    }
    const layout = new CodeLayout([...sorted, ...coming.slice(next)], true)
    layout.takeOver(this, numberThen)
    const numbers: Renumbering = { numberThen, numberNow, isSame: false }
    return { layout, numbers }
  }

  /** What takes a look at every path, where it is known. */
  private takeOver({ folderIds, folderNumbers, tests }: CodeLayout, numberThen: Int32Array): void {
    if (folderNumbers !== null && folderIds.size <= this.files.length) {
      this.folderIds = folderIds
      this.folderNumbers = new Uint32Array(numberThen.length)
      for (const [number, then] of numberThen.entries()) {
        this.folderNumbers[number] = then < 0 ? this.folderId(number) : folderNumbers[then]!
      }
    }
    if (tests === null) return
    this.tests = new Uint8Array(numberThen.length)
    for (const [number, then] of numberThen.entries()) {
      this.tests[number] = then < 0 ? this.testMark(number) : tests[then]!
    }
  }

  at(path: string): number | undefined {
    return this.numbers.get(path)
  }

  linksOf(number: number): readonly Link[] {
    return unpackLinks(this.files[number]!.links)
  }

  /** The same for files directly in one folder. */
  folderNumber(number: number): number {
    this.folderNumbers ??= Uint32Array.from(this.files.keys(), (each) => this.folderId(each))
    return this.folderNumbers[number]!
  }

  private folderId(number: number): number {
    const folder = folderOf(this.files[number]!.path)
    const known = this.folderIds.get(folder) ?? this.folderIds.size
    this.folderIds.set(folder, known)
    return known
  }

  isTest(number: number): boolean {
    this.tests ??= Uint8Array.from(this.files.keys(), (each) => this.testMark(each))
    return this.tests[number] === 1
  }

  private testMark(number: number): number {
    return isTestPath(this.files[number]!.path) ? 1 : 0
  }

  /** The first of `paths` that is there; none: an empty list. */
  firstOf(paths: readonly string[]): readonly number[] {
    for (const path of paths) {
      const number = this.numbers.get(path)
      if (number !== undefined) return [number]
    }
    return []
  }

  /** Files directly in a folder; '' is the root. */
  inFolder(folder: string): readonly number[] {
    this.folders ??= this.group((path) => folderOf(path))
    return this.folders.get(folder) ?? []
  }

  /** Files whose last part of the path is `name`. */
  named(name: string): readonly number[] {
    this.names ??= this.group((path) => path.slice(path.lastIndexOf('/') + 1))
    return this.names.get(name) ?? []
  }

  /**
   * The file whose path ends with `path`, part by part: of several the one that shares most of its
   * folders with `from`, then the first. Empty when more than `AMBIGUOUS_MAX` fit.
   */
  endingWith(path: string, from: string): readonly number[] {
    const fits = this.fitting(path)
    if (fits.length === 0 || fits.length > AMBIGUOUS_MAX) return []
    if (fits.length === 1) return fits
    const near = (number: number) => sharedParts(this.files[number]!.path, from)
    return [fits.reduce((best, each) => (near(each) > near(best) ? each : best))]
  }

  private fitting(path: string): readonly number[] {
    const known = this.endings.get(path)
    if (known !== undefined) return known
    const fits = this.named(path.slice(path.lastIndexOf('/') + 1)).filter((number) => {
      const there = this.files[number]!.path
      return there === path || there.endsWith(`/${path}`)
    })
    this.endings.set(path, fits)
    return fits
  }

  private group(key: (path: string) => string): ReadonlyMap<string, readonly number[]> {
    return Map.groupBy(this.files.keys(), (number) => key(this.files[number]!.path))
  }
}

const AMBIGUOUS_MAX = 8

function byPath(a: LinkedFile, b: LinkedFile): number {
  return compareBytes(a.path, b.path)
}

/** Without the slash; '' for what lies in the root. */
export function folderOf(path: string): string {
  const cut = path.lastIndexOf('/')
  return cut < 0 ? '' : path.slice(0, cut)
}

/** The folder itself, then those above it, the root last. */
export function* foldersAbove(folder: string): Generator<string> {
  for (let here = folder; ; here = folderOf(here)) {
    yield here
    if (here === '') return
  }
}

/** `folder` and what `path` adds to it, `.` and `..` worked out; null when that leaves the root. */
export function joined(folder: string, path: string): string | null {
  const isPlain = path !== '' && !path.startsWith('.') && !path.startsWith('/')
  if (isPlain && !HAS_STEPS.test(path)) return folder === '' ? path : `${folder}/${path}`
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/** A part of a path that is empty or begins with a dot, behind the first. */
const HAS_STEPS = /\/(?:[/.]|$)/

/** Of a path, its last part without what follows the first dot. */
export function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.indexOf('.')
  return dot <= 0 ? name : name.slice(0, dot)
}

function sharedParts(a: string, b: string): number {
  const [x, y] = [a.split('/'), b.split('/')]
  let shared = 0
  while (shared < x.length && shared < y.length && x[shared] === y[shared]) shared++
  return shared
}
