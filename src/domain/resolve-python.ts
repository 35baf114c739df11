import type { Link } from './code.ts'
import {
  type CodeLayout,
  folderOf,
  foldersAbove,
  joined,
  type ResolvedLink,
} from './code-layout.ts'
import { lastPart, type Reach } from './link-reach.ts'

/**
 * Python's modules: relative ones from the file's package, absolute ones from each folder above that
 * is no package itself, its `src` and what `pyproject.toml` names there. What a package's
 * `__init__` imports it hands on.
 */
export class PythonNames {
  private readonly roots: Map<string, readonly string[]>

  /** @param before of other files on the same ground */
  constructor(
    private readonly layout: CodeLayout,
    before: PythonNames | null = null,
  ) {
    this.roots = before?.roots ?? new Map()
  }

  /**
   * Whose links may mean a path that came or went. `__init__.py` and `pyproject.toml` are ground: it
   * must be none.
   */
  reach(path: string): Reach {
    // A folder is a module by any file in it.
    const folder = folderOf(path)
    const words = folder === '' ? [] : [lastPart(folder)]
    const module = path.replace(/\.pyi?$/, '')
    if (module === path) return { words, under: [] }
    return { words: [...words, lastPart(module)], under: [`${module}/`] }
  }

  resolve(from: number, [, target, ...names]: Link): ResolvedLink[] {
    const { path } = this.layout.files[from]!
    const kind = path.endsWith('/__init__.py') ? 'export' : 'import'
    const place = this.place(path, target)
    if (place === null) return [{ kind, names, files: [] }]
    const found: ResolvedLink[] = []
    const plain: string[] = []
    for (const name of names) {
      const module = name === '*' ? [] : this.module(joined(place, name))
      if (module.length > 0) found.push({ kind, names: ['*'], files: module })
      else plain.push(name)
    }
    if (plain.length > 0) found.push({ kind, names: plain, files: this.module(place) })
    return found
  }

  /** Where a module lies, without `.py`; null: it is not in this view. */
  private place(path: string, target: string): string | null {
    const dots = /^\.*/.exec(target)![0].length
    const rest = target.slice(dots).replaceAll('.', '/')
    const folder = folderOf(path)
    if (dots > 0) return joined(folder, `${'../'.repeat(dots - 1)}${rest}`)
    for (const root of this.rootsFor(folder)) {
      const place = joined(root, rest)
      if (place !== null && this.isModule(place)) return place
    }
    return this.anywhere(rest, path)
  }

  /** Under a folder that no root names: the package's own folder is known by its name. */
  private anywhere(rest: string, path: string): string | null {
    for (const tail of ['/__init__.py', '.py']) {
      const [number] = this.layout.endingWith(`${rest}${tail}`, path)
      if (number === undefined) continue
      const place = this.layout.files[number]!.path.slice(0, -tail.length)
      const root = place.slice(0, Math.max(0, place.length - rest.length - 1))
      if (rest.includes('/') || tail === '/__init__.py') return this.isPackage(root) ? null : place
    }
    return null
  }

  private rootsFor(folder: string): readonly string[] {
    const known = this.roots.get(folder)
    if (known !== undefined) return known
    const found: string[] = []
    for (const above of foldersAbove(folder)) {
      if (this.isPackage(above)) continue
      found.push(above)
      const project = this.layout.at(above === '' ? 'pyproject.toml' : `${above}/pyproject.toml`)
      for (const [kind, root] of project === undefined ? [] : this.layout.linksOf(project)) {
        const joint = kind === 'root' ? joined(above, root) : null
        if (joint !== null) found.push(joint)
      }
      found.push(joined(above, 'src')!)
    }
    this.roots.set(folder, found)
    return found
  }

  private isPackage(folder: string): boolean {
    return folder !== '' && this.layout.at(`${folder}/__init__.py`) !== undefined
  }

  private isModule(place: string): boolean {
    return this.module(place).length > 0 || this.layout.inFolder(place).length > 0
  }

  private module(place: string | null): readonly number[] {
    if (place === null) return []
    return this.layout.firstOf([`${place}.py`, `${place}/__init__.py`, `${place}.pyi`])
  }
}
