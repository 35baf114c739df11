import type { IndexedFile } from './lexical.ts'
import type { LinkResolver } from './link-resolver.ts'
import { NO_NAME, nameTerm } from './packed-file.ts'
import type { Dictionary } from './postings.ts'

/** What a file imports, by terms and numbers of files. */
export type FileImports = {
  /** Term of a name → the files it is imported from. */
  readonly named: ReadonlyMap<number, readonly number[]>
  /** Terms of names that come from no file of the view. */
  readonly outside: ReadonlySet<number>
  /** Files all of whose names can be meant. */
  readonly modules: ReadonlySet<number>
  /** Files that an import names, not a whole package of them. */
  readonly direct: ReadonlySet<number>
  /** The files that define a name as `file` gives it: itself, or those it hands on from. */
  definersBehind(file: number, term: number): readonly number[]
}

export function importsOf(
  files: readonly IndexedFile[],
  resolver: LinkResolver,
  dictionary: Dictionary,
): readonly FileImports[] {
  const terms = new NameTerms(dictionary)
  const exporting = new Exporting(files, resolver, terms)
  const definersBehind = (file: number, term: number) => exporting.definersBehind(file, term)
  return files.map((_, number) => {
    const named = new Map<number, number[]>()
    const outside = new Set<number>()
    const modules = new Set<number>()
    const direct = new Set<number>()
    for (const { kind, names, files: targets } of resolver.linksOf(number)) {
      if (kind !== 'around' && targets.length <= DIRECT_MAX) for (const t of targets) direct.add(t)
      if (names.length === 0 || names.includes('*')) {
        for (const target of targets) {
          modules.add(target)
          for (const behind of exporting.handedOnBy(target)) modules.add(behind)
        }
      }
      for (const name of names) {
        const term = name === '*' ? undefined : terms.of(name)
        if (term === undefined) continue
        if (targets.length === 0) outside.add(term)
        else named.set(term, [...(named.get(term) ?? []), ...targets])
      }
    }
    // A name that comes from several places, one of them here, is meant to be the one here.
    for (const term of named.keys()) outside.delete(term)
    return { named, outside, modules, direct, definersBehind }
  })
}

/** A package of more files is not imported for each of them. */
const DIRECT_MAX = 4
/** More terms than any index has. */
const TERMS = 1 << 26
const HANDED_ON_DEPTH = 4
const HANDED_ON_MAX = 60

/** The numbers of names' terms, each looked up once: the same names are imported again and again. */
class NameTerms {
  private readonly known = new Map<string, number | undefined>()

  constructor(private readonly dictionary: Dictionary) {}

  of(name: string): number | undefined {
    if (this.known.has(name)) return this.known.get(name)
    const term = nameTerm(name)
    const number = term === null ? undefined : this.dictionary.find(term)
    this.known.set(name, number)
    return number
  }
}

/** Follows what files hand on (`export … from`, `pub use`, a package's `__init__`). */
class Exporting {
  private readonly behind = new Map<number, readonly number[]>()
  private readonly handed = new Map<number, readonly number[]>()

  constructor(
    private readonly files: readonly IndexedFile[],
    private readonly resolver: LinkResolver,
    private readonly terms: NameTerms,
  ) {}

  definersBehind(file: number, term: number): readonly number[] {
    if (this.defines(file, term)) return [file]
    const key = file * TERMS + term
    const known = this.behind.get(key)
    if (known !== undefined) return known
    const found = new Set<number>()
    this.collect(file, term, found, new Set(), 0)
    const definers = [...found].sort((a, b) => a - b)
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
    for (const { kind, names, files } of this.resolver.linksOf(file)) {
      if (kind !== 'export') continue
      const gives = names.some((name) => name === '*' || this.terms.of(name) === term)
      if (gives) for (const next of files) this.collect(next, term, found, seen, depth + 1)
    }
  }

  /** Files whose every name a file hands on. */
  handedOnBy(file: number): readonly number[] {
    const known = this.handed.get(file)
    if (known !== undefined) return known
    const found = new Set<number>()
    const visit = (at: number, depth: number) => {
      for (const { kind, files } of this.resolver.linksOf(at)) {
        if (kind !== 'export' || depth > HANDED_ON_DEPTH) continue
        for (const next of files) {
          if (next === file || found.has(next) || found.size >= HANDED_ON_MAX) continue
          found.add(next)
          visit(next, depth + 1)
        }
      }
    }
    visit(file, 0)
    const all = [...found]
    this.handed.set(file, all)
    return all
  }

  private defines(file: number, term: number): boolean {
    for (const name of this.files[file]!.names) {
      if (name !== NO_NAME && Math.floor(name / 4) === term) return true
    }
    return false
  }
}
