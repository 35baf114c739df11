import type { Link } from './code.ts'
import { familyOf } from './code-family.ts'
import {
  type CodeLayout,
  folderOf,
  joined,
  type LinkedFile,
  type ResolvedLink,
  stemOf,
} from './code-layout.ts'
import { lastPart, type Reach } from './link-reach.ts'
import { unpackLinks } from './packed-file.ts'

/**
 * Languages whose files belong to a package and see the rest of it without a word: Go by folder and
 * `go.mod`, Java, Kotlin, Scala, PHP and C# by what each file declares.
 */
export class PackageNames {
  private readonly folders = new Map<string, GoFolder>()

  /**
   * @param declared `family package` → files
   * @param modules the longest name first
   */
  private constructor(
    private readonly layout: CodeLayout,
    private readonly declared: Declared,
    private readonly modules: readonly GoModule[],
  ) {}

  static of(layout: CodeLayout): PackageNames {
    return new PackageNames(layout, declaredIn(layout), modulesIn(layout))
  }

  /**
   * Of another view on the same ground.
   * @param numberNow by number here: what it is there, or -1
   */
  after(layout: CodeLayout, came: readonly LinkedFile[], numberNow: Int32Array): PackageNames {
    const declared = new Map<string, readonly number[]>()
    for (const [name, files] of this.declared) {
      const left = files.map((number) => numberNow[number]!).filter((number) => number >= 0)
      if (left.length > 0) declared.set(name, left)
    }
    for (const file of came) {
      const number = layout.at(file.path)!
      for (const name of new Set(packagesOf(file))) {
        declared.set(
          name,
          [...(declared.get(name) ?? []), number].sort((a, b) => a - b),
        )
      }
    }
    return new PackageNames(layout, declared, this.modules)
  }

  /** Whose links may mean a file that came or went; `go.mod` is ground. */
  reach(file: LinkedFile): Reach {
    if (file.language !== 'go') {
      return { words: packagesOf(file).map((name) => name.slice(name.indexOf(' ') + 1)), under: [] }
    }
    const folder = folderOf(file.path)
    // Dots lead up from a module, as its name alone leads into its folder.
    const above = this.modules.filter(
      (module) => folder === '' || `${module.folder}/`.startsWith(`${folder}/`),
    )
    return {
      words: [...(folder === '' ? [] : [lastPart(folder)]), ...above.map(({ name }) => name)],
      under: [],
    }
  }

  /** Those of the package that a file came to or went from: by number. */
  beside(file: LinkedFile): readonly number[] {
    if (file.language === 'go') return this.goFolder(folderOf(file.path)).all
    return packagesOf(file).flatMap((name) => this.declared.get(name) ?? [])
  }

  resolve(from: number, [, target, ...names]: Link): ResolvedLink[] {
    const family = familyOf(this.layout.files[from]!.language)
    if (family === 'go') return [{ kind: 'import', names: ['*'], files: this.goPackage(target) }]
    const separator = family === 'php' ? '\\' : '.'
    const whole = this.declared.get(`${family} ${target}`)
    if (whole !== undefined) {
      return names.map((name) => ({
        kind: 'import',
        names: [name],
        files: defining(this.layout, whole, name),
      }))
    }
    // `a.b.C` and a member of it, or `C` as a name that `using static` gives.
    const cut = target.lastIndexOf(separator)
    const around = this.declared.get(`${family} ${target.slice(0, Math.max(0, cut))}`)
    const type = target.slice(cut + 1)
    if (around === undefined) return [{ kind: 'import', names, files: [] }]
    const files = around.filter((number) => stemOf(this.layout.files[number]!.path) === type)
    return [{ kind: 'import', names: [type, ...names], files }]
  }

  /** The rest of the file's own package. */
  around(from: number): ResolvedLink[] {
    const { path, language } = this.layout.files[from]!
    const others = (files: readonly number[]): ResolvedLink[] => {
      const rest = files.filter((number) => number !== from)
      if (rest.length === 0 || rest.length > PACKAGE_MAX) return []
      return [{ kind: 'around', names: ['*'], files: rest }]
    }
    if (language === 'go') {
      const { all, untested } = this.goFolder(folderOf(path))
      return others(this.layout.isTest(from) ? all : untested)
    }
    return packagesOf(this.layout.files[from]!).flatMap((name) =>
      others(this.declared.get(name) ?? []),
    )
  }

  private goPackage(target: string): readonly number[] {
    for (const { name, folder } of this.modules) {
      if (target !== name && !target.startsWith(`${name}/`)) continue
      const place = joined(folder, target.slice(name.length + 1))
      if (place === null) return []
      return this.goFolder(place).untested
    }
    return []
  }

  private goFolder(folder: string): GoFolder {
    const known = this.folders.get(folder)
    if (known !== undefined) return known
    const { layout } = this
    const all = layout.inFolder(folder).filter((number) => layout.files[number]!.language === 'go')
    const found = { all, untested: all.filter((number) => !layout.isTest(number)) }
    this.folders.set(folder, found)
    return found
  }
}

type Declared = ReadonlyMap<string, readonly number[]>

function declaredIn(layout: CodeLayout): Declared {
  const pairs = [...layout.files.entries()].flatMap(([number, file]) =>
    packagesOf(file).map((name) => ({ number, name })),
  )
  const groups = Map.groupBy(pairs, ({ name }) => name)
  return new Map(
    [...groups].map(([name, of]) => [name, [...new Set(of.map(({ number }) => number))]]),
  )
}

type GoModule = { readonly name: string; readonly folder: string }

function modulesIn(layout: CodeLayout): readonly GoModule[] {
  return layout
    .named('go.mod')
    .flatMap((number) => {
      const name = layout.linksOf(number).find(([kind]) => kind === 'package')?.[1]
      const folder = folderOf(layout.files[number]!.path)
      return name === undefined ? [] : [{ name, folder }]
    })
    .sort((a, b) => b.name.length - a.name.length)
}

/** The Go files of a folder, and those of them that are no tests. */
type GoFolder = { readonly all: readonly number[]; readonly untested: readonly number[] }

/** Of a package with more files than this nobody means all. */
const PACKAGE_MAX = 200

/** The packages a file declares: Scala's clauses one within the other, C#'s each for itself. */
function packagesOf({ language, links }: LinkedFile): readonly string[] {
  const family = familyOf(language)
  if (family !== 'jvm' && family !== 'php' && family !== 'c-sharp') return []
  const names = unpackLinks(links).flatMap(([kind, name]) => (kind === 'package' ? [name] : []))
  if (names.length === 0) return []
  if (family === 'c-sharp') return names.map((name) => `${family} ${name}`)
  return [`${family} ${language === 'scala' ? names.join('.') : names[0]}`]
}

/** Those files of a package that bear the name, or all of them when none does. */
function defining(layout: CodeLayout, files: readonly number[], name: string): readonly number[] {
  if (name !== '*') {
    const named = files.filter((number) => stemOf(layout.files[number]!.path) === name)
    if (named.length > 0) return named
  }
  return files.length > PACKAGE_MAX ? [] : files
}
