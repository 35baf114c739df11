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

/** The files of a view by number, in the order of their paths' bytes, and where they lie. */
export class CodeLayout {
  readonly files: readonly LinkedFile[]
  private readonly numbers: ReadonlyMap<string, number>
  private folders: ReadonlyMap<string, readonly number[]> | null = null
  private names: ReadonlyMap<string, readonly number[]> | null = null
  /** What was asked for by the end of its path. */
  private readonly endings = new Map<string, readonly number[]>()
  private folderNumbers: Uint32Array | null = null
  private tests: Uint8Array | null = null

  constructor(files: Iterable<LinkedFile>) {
    this.files = [...files].sort((a, b) => compareBytes(a.path, b.path))
    this.numbers = new Map(this.files.map(({ path }, number) => [path, number]))
  }

  at(path: string): number | undefined {
    return this.numbers.get(path)
  }

  linksOf(number: number): readonly Link[] {
    return unpackLinks(this.files[number]!.links)
  }

  /** The same for files directly in one folder. */
  folderNumber(number: number): number {
    if (this.folderNumbers === null) {
      const numbers = new Map<string, number>()
      this.folderNumbers = Uint32Array.from(this.files, ({ path }) => {
        const folder = folderOf(path)
        const known = numbers.get(folder) ?? numbers.size
        numbers.set(folder, known)
        return known
      })
    }
    return this.folderNumbers[number]!
  }

  isTest(number: number): boolean {
    this.tests ??= Uint8Array.from(this.files, ({ path }) => (isTestPath(path) ? 1 : 0))
    return this.tests[number] === 1
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
