import type { Link } from './code.ts'
import { familyOf } from './code-family.ts'
import { type CodeLayout, folderOf, joined, type ResolvedLink, stemOf } from './code-layout.ts'

/**
 * Languages whose files belong to a package and see the rest of it without a word: Go by folder and
 * `go.mod`, Java, Kotlin, Scala, PHP and C# by what each file declares.
 */
export class PackageNames {
  /** `family package` → files. */
  private readonly declared: ReadonlyMap<string, readonly number[]>
  /** The longest name first. */
  private readonly modules: readonly { readonly name: string; readonly folder: string }[]
  private readonly folders = new Map<string, GoFolder>()

  constructor(private readonly layout: CodeLayout) {
    const pairs = [...layout.files.keys()].flatMap((number) =>
      packagesOf(layout, number).map((name) => ({ number, name })),
    )
    const groups = Map.groupBy(pairs, ({ name }) => name)
    this.declared = new Map(
      [...groups].map(([name, of]) => [name, [...new Set(of.map(({ number }) => number))]]),
    )
    this.modules = layout
      .named('go.mod')
      .flatMap((number) => {
        const name = layout.linksOf(number).find(([kind]) => kind === 'package')?.[1]
        const folder = folderOf(layout.files[number]!.path)
        return name === undefined ? [] : [{ name, folder }]
      })
      .sort((a, b) => b.name.length - a.name.length)
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
    return packagesOf(this.layout, from).flatMap((name) => others(this.declared.get(name) ?? []))
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

/** The Go files of a folder, and those of them that are no tests. */
type GoFolder = { readonly all: readonly number[]; readonly untested: readonly number[] }

/** Of a package with more files than this nobody means all. */
const PACKAGE_MAX = 200

/** The packages a file declares: Scala's clauses one within the other, C#'s each for itself. */
function packagesOf(layout: CodeLayout, number: number): readonly string[] {
  const { language } = layout.files[number]!
  const family = familyOf(language)
  if (family !== 'jvm' && family !== 'php' && family !== 'c-sharp') return []
  const names = layout.linksOf(number).flatMap(([kind, name]) => (kind === 'package' ? [name] : []))
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
