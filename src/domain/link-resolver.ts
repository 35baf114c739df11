import type { Link } from './code.ts'
import { type Family, familyOf } from './code-family.ts'
import type { CodeLayout, LinkedFile, Moved, ResolvedLink } from './code-layout.ts'
import { lastPart, Reached } from './link-reach.ts'
import { unpackLinks } from './packed-file.ts'
import { EcmascriptNames } from './resolve-ecmascript.ts'
import { reachOfIncluded, resolveInclude } from './resolve-include.ts'
import { PackageNames } from './resolve-package.ts'
import { PythonNames } from './resolve-python.ts'
import { RustNames } from './resolve-rust.ts'

/**
 * Finds the files that links mean. What one means depends on which paths there are, on the project
 * files and on the packages declared; not on the order in which files are given. So one resolver
 * serves every view that has the same of these, and what it read of project files, the ground, every
 * view that has the same ground.
 */
export class LinkResolver {
  private readonly families: Readonly<Record<Family, (from: number, link: Link) => ResolvedLink[]>>

  private constructor(
    readonly layout: CodeLayout,
    private readonly ecmascript: EcmascriptNames,
    private readonly python: PythonNames,
    private readonly rust: RustNames,
    private readonly packages: PackageNames,
  ) {
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

  static of(layout: CodeLayout): LinkResolver {
    return new LinkResolver(
      layout,
      new EcmascriptNames(layout),
      new PythonNames(layout),
      new RustNames(layout),
      PackageNames.of(layout),
    )
  }

  /**
   * Of another view on the same ground; null when it has another, or too much came and went.
   * @param numberNow by number here: what it is there, or -1
   */
  after(layout: CodeLayout, { went, came }: Moved, numberNow: Int32Array): LinkResolver | null {
    if (went.length + came.length > MOVED_MAX) return null
    if ([...went, ...came].some((file) => this.isGround(file))) return null
    return new LinkResolver(
      layout,
      new EcmascriptNames(layout, this.ecmascript),
      new PythonNames(layout, this.python),
      new RustNames(layout, this.rust),
      this.packages.after(layout, came, numberNow),
    )
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

  /** Whether what was read once of a view is otherwise with this file than without it. */
  private isGround({ path, links }: LinkedFile): boolean {
    if (lastPart(path) === '__init__.py' || this.rust.isRoot(path)) return true
    return path.endsWith('.json') ? links !== '' : isProjectFile(path)
  }

  /** By file of this view: 1 where links may mean something else since files came or went. */
  reachedBy({ went, came }: Moved): Uint8Array {
    const reached = new Reached(this.layout)
    for (const file of [...went, ...came]) {
      reached.add(['ecmascript'], this.ecmascript.reach(file.path))
      reached.add(['python'], this.python.reach(file.path))
      reached.add(['rust'], this.rust.reach(file.path))
      reached.add(['c', 'ruby', 'bash'], reachOfIncluded(file.path))
      const family = familyOf(file.language)
      if (family !== null) reached.add([family], this.packages.reach(file))
      reached.addFiles(this.packages.beside(file))
    }
    return reached.files()
  }
}

/** Of more the texts are not looked for in every link: that takes as long as all anew. */
const MOVED_MAX = 40

/** Whether other files' links mean the same with either of two files at one path. */
export function isSameToOthers(a: LinkedFile, b: LinkedFile): boolean {
  if (a.language !== b.language) return false
  if (a.links === b.links) return true
  if (familyOf(a.language) === null || isProjectFile(a.path)) return false
  return packageRows(a.links) === packageRows(b.links)
}

/** Whether other files' links are read in the light of what a file says. */
function isProjectFile(path: string): boolean {
  return path.endsWith('.json') || PROJECT_FILES.has(lastPart(path))
}

const PROJECT_FILES = new Set(['pyproject.toml', 'Cargo.toml', 'go.mod'])

/** The packages a file says it belongs to. */
function packageRows(links: string): string {
  if (!links.includes('package\0')) return ''
  const rows = links.split('\u0001').filter((row) => row.startsWith('package\0'))
  return rows.join('\u0001')
}
