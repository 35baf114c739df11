import type { Link } from './code.ts'
import {
  type CodeLayout,
  folderOf,
  foldersAbove,
  joined,
  type ResolvedLink,
  stemOf,
} from './code-layout.ts'
import { ANY_LINK, lastPart, NO_REACH, type Reach } from './link-reach.ts'

/**
 * Rust's paths: `crate`, `self`, `super`, modules of the file, and the crates of the same workspace
 * by the name in their `Cargo.toml`. Modules are followed by the files' names alone.
 */
export class RustNames {
  /** Crate → the folder its modules lie in, and the file that is its root. */
  private readonly crates: Map<string, Crate>
  /** Paths of their roots, and folder → the first of them that has its modules there. */
  private readonly roots: Set<string>
  private readonly rootIn: Map<string, string>
  /** Folder → the crate that its files belong to. */
  private readonly around: Map<string, Crate | null>
  /** Where a root was looked for. */
  private readonly asked: Set<string>

  /** @param before of other files on the same ground */
  constructor(
    private readonly layout: CodeLayout,
    before: RustNames | null = null,
  ) {
    this.crates = before?.crates ?? new Map()
    this.roots = before?.roots ?? new Set()
    this.rootIn = before?.rootIn ?? new Map()
    this.around = before?.around ?? new Map()
    this.asked = before?.asked ?? new Set()
    if (before === null) this.readCrates()
  }

  private readCrates(): void {
    for (const number of this.layout.named('Cargo.toml')) {
      const crate = this.crateIn(folderOf(this.layout.files[number]!.path))
      const name = this.layout.linksOf(number).find(([kind]) => kind === 'package')?.[1]
      if (name === undefined || crate === null) continue
      if (this.crates.has(name)) continue
      this.crates.set(name, crate)
      this.roots.add(crate.root)
      if (!this.rootIn.has(crate.folder)) this.rootIn.set(crate.folder, crate.root)
    }
  }

  /** Whether a file is, or could be, the root of a crate. */
  isRoot(path: string): boolean {
    const name = lastPart(path)
    return name === 'lib.rs' || name === 'main.rs' || this.asked.has(path)
  }

  /**
   * Whose links may mean a path that came or went. `Cargo.toml` and the roots of crates are ground: it
   * must be none.
   */
  reach(path: string): Reach {
    if (!path.endsWith('.rs')) return NO_REACH
    const module = path.slice(0, -'.rs'.length)
    const places = lastPart(module) === 'mod' ? [module, folderOf(module)] : [module]
    // From its own file `self` and `super` lead up, from a crate its name does.
    const under = places.flatMap((place) => (place === '' ? [''] : [`${place}/`, `${place}.`]))
    const crates = [...this.crates.values(), ...this.around.values()]
    const isAbove = (crate: Crate | null) =>
      crate !== null && under.some((beginning) => `${crate.folder}/`.startsWith(beginning))
    return crates.some(isAbove) ? ANY_LINK : { words: places.map(lastPart), under }
  }

  resolve(from: number, [given, target, ...names]: Link): ResolvedLink[] {
    const kind = given === 'export' ? 'export' : 'import'
    const { path } = this.layout.files[from]!
    if (names.length === 0) {
      const place = this.follow(path, target.split('::'))
      if (place === null) return [{ kind, names: [], files: [] }]
      return [{ kind, names: place.left.slice(0, 1), files: this.fileOf(place.folder) }]
    }
    return names.map((name) => {
      const place = this.follow(path, [...target.split('::'), ...(name === '*' ? [] : [name])])
      if (place === null) return { kind, names: [name], files: [] }
      // Behind the last module comes the item; what follows that is its own.
      const item = place.left[0]
      const whole = item === undefined ? (name === '*' ? ['*'] : []) : [item]
      return { kind, names: whole, files: this.fileOf(place.folder) }
    })
  }

  /** As far into the modules as the path leads, and what of it is left. */
  private follow(from: string, path: readonly string[]): Place | null {
    const [first, ...rest] = path
    const own = this.moduleFolder(from)
    let folder: string | null
    if (first === 'crate') folder = this.crateAround(folderOf(from))?.folder ?? null
    else if (first === 'self') folder = own
    else if (first === 'super') folder = own === '' ? null : folderOf(own)
    else folder = this.child(own, first!) ?? this.crates.get(first!)?.folder ?? null
    if (folder === null) return null
    let left: readonly string[] = rest
    while (left.length > 0) {
      const next: string | null =
        left[0] === 'super' ? folderOf(folder) : this.child(folder, left[0]!)
      if (next === null) break
      folder = next
      left = left.slice(1)
    }
    return { folder, left }
  }

  private child(folder: string, name: string): string | null {
    const place = joined(folder, name)
    return place !== null && this.moduleFile(place).length > 0 ? place : null
  }

  private moduleFile(place: string): readonly number[] {
    return this.layout.firstOf([`${place}.rs`, `${place}/mod.rs`])
  }

  /** The file that holds what a module of this folder defines. */
  private fileOf(folder: string): readonly number[] {
    const own = this.moduleFile(folder)
    if (own.length > 0) return own
    const root = this.rootIn.get(folder)
    if (root !== undefined) return this.layout.firstOf([root])
    return this.layout.firstOf([`${folder}/lib.rs`, `${folder}/main.rs`])
  }

  /** Where the modules of a file lie: `src/a.rs` has them in `src/a`, a root or `mod.rs` beside it. */
  private moduleFolder(path: string): string {
    const folder = folderOf(path)
    const stem = stemOf(path)
    if (stem === 'mod' || stem === 'lib' || stem === 'main' || this.roots.has(path)) return folder
    return joined(folder, stem)!
  }

  private crateAround(folder: string): Crate | null {
    const known = this.around.get(folder)
    if (known !== undefined) return known
    const hasManifest = (above: string) =>
      this.layout.at(above === '' ? 'Cargo.toml' : `${above}/Cargo.toml`) !== undefined
    const own = foldersAbove(folder).find(hasManifest)
    const crate = own === undefined ? null : this.crateIn(own)
    this.around.set(folder, crate)
    return crate
  }

  private crateIn(folder: string): Crate | null {
    const at = (path: string) => joined(folder, path)!
    const manifest = this.layout.at(at('Cargo.toml'))
    const links = manifest === undefined ? [] : this.layout.linksOf(manifest)
    const given = links.flatMap(([kind, root]) => (kind === 'root' ? [at(root)] : []))
    const paths = [...given, at('src/lib.rs'), at('src/main.rs'), at('lib.rs')]
    for (const path of paths) this.asked.add(path)
    const root = paths.find((path) => this.layout.at(path) !== undefined)
    return root === undefined ? null : { root, folder: folderOf(root) }
  }
}

/** By paths. */
type Crate = { readonly folder: string; readonly root: string }
type Place = { readonly folder: string; readonly left: readonly string[] }
