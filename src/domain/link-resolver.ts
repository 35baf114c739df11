import type { Link } from './code.ts'
import { type Family, familyOf } from './code-family.ts'
import type { CodeLayout, LinkedFile, ResolvedLink } from './code-layout.ts'
import { unpackLinks } from './packed-file.ts'
import { EcmascriptNames } from './resolve-ecmascript.ts'
import { resolveInclude } from './resolve-include.ts'
import { PackageNames } from './resolve-package.ts'
import { PythonNames } from './resolve-python.ts'
import { RustNames } from './resolve-rust.ts'

/**
 * Finds the files that links mean. What one means depends on which paths there are, on the project
 * files and on the packages declared, the ground; not on the order in which files are given. So one
 * resolver serves every view of the same ground.
 */
export class LinkResolver {
  private readonly families: Readonly<Record<Family, (from: number, link: Link) => ResolvedLink[]>>
  private readonly packages: PackageNames

  constructor(readonly layout: CodeLayout) {
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
  }

  /**
   * What a file's links mean, those that mean nothing in the view (`files` empty) among them.
   * @param links the file's own, packed: in a view of the same ground they may be others
   */
  resolve(from: number, links = this.layout.files[from]!.links): readonly ResolvedLink[] {
    const family = familyOf(this.layout.files[from]!.language)
    if (family === null) return []
    const found: ResolvedLink[] = []
    for (const link of unpackLinks(links)) {
      if (link[0] === 'import' || link[0] === 'export') {
        found.push(...this.families[family](from, link))
      }
    }
    found.push(...this.packages.around(from))
    return found
  }
}

/** Whether other files' links mean the same with either of two files at one path. */
export function isSameGround(a: LinkedFile, b: LinkedFile): boolean {
  if (a.language !== b.language) return false
  if (a.links === b.links) return true
  return familyOf(a.language) !== null && packageRows(a.links) === packageRows(b.links)
}

/** The packages a file says it belongs to. */
function packageRows(links: string): string {
  if (!links.includes('package\0')) return ''
  const rows = links.split('\u0001').filter((row) => row.startsWith('package\0'))
  return rows.join('\u0001')
}
