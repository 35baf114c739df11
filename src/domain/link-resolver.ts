import type { Link } from './code.ts'
import { type Family, familyOf } from './code-family.ts'
import { CodeLayout, type LinkedFile, type ResolvedLink } from './code-layout.ts'
import { EcmascriptNames } from './resolve-ecmascript.ts'
import { resolveInclude } from './resolve-include.ts'
import { PackageNames } from './resolve-package.ts'
import { PythonNames } from './resolve-python.ts'
import { RustNames } from './resolve-rust.ts'

/**
 * Finds the files that the links of a view's files mean. What one means depends on which paths there
 * are, on the project files and on the packages declared; not on the order in which files are given.
 */
export class LinkResolver {
  readonly layout: CodeLayout
  private readonly known = new Map<number, readonly ResolvedLink[]>()
  private readonly families: Readonly<Record<Family, (from: number, link: Link) => ResolvedLink[]>>
  private readonly packages: PackageNames

  /** @param before one whose paths, project files and packages are the same: what it found is kept */
  constructor(files: readonly LinkedFile[], before: LinkResolver | null = null) {
    this.layout = new CodeLayout(files, before?.layout)
    const { layout } = this
    const ecmascript = new EcmascriptNames(layout)
    const python = new PythonNames(layout)
    const rust = new RustNames(layout)
    const packages = new PackageNames(layout)
    this.packages = packages
    const declared = (from: number, link: Link) => packages.resolve(from, link)
    const included = (from: number, link: Link) => resolveInclude(layout, from, link)
    this.families = {
      ecmascript: (from, link) => ecmascript.resolve(from, link),
      python: (from, link) => python.resolve(from, link),
      rust: (from, link) => rust.resolve(from, link),
      ...{ go: declared, jvm: declared, php: declared, 'c-sharp': declared },
      ...{ c: included, ruby: included, bash: included },
    }
    if (before !== null) this.keepFrom(before)
  }

  private keepFrom({ known, layout }: LinkResolver): void {
    for (const [number, links] of known) {
      const same = layout.files[number]!.packed === this.layout.files[number]!.packed
      if (same) this.known.set(number, links)
    }
  }

  /** What a file's links mean, those that mean nothing in the view (`files` empty) among them. */
  linksOf(from: number): readonly ResolvedLink[] {
    const known = this.known.get(from)
    if (known !== undefined) return known
    const { language, links } = this.layout.files[from]!
    const family = familyOf(language)
    const found: ResolvedLink[] = []
    if (family !== null) {
      for (const link of links) {
        if (link[0] === 'import' || link[0] === 'export') {
          found.push(...this.families[family](from, link))
        }
      }
      found.push(...this.packages.around(from))
    }
    this.known.set(from, found)
    return found
  }
}
