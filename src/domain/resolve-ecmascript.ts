import type { Link } from './code.ts'
import {
  type CodeLayout,
  folderOf,
  foldersAbove,
  joined,
  type ResolvedLink,
} from './code-layout.ts'
import { ANY_LINK, lastPart, type Reach } from './link-reach.ts'

/**
 * Names of TypeScript and JavaScript: relative paths, `paths` and `baseUrl` of the tsconfig files
 * above, `imports` of the package, and the packages of the same repository by their name.
 */
export class EcmascriptNames {
  private readonly packages: ReadonlyMap<string, Package>
  private bare: ReadonlyMap<string, number> | null = null
  private bareAsked = 0
  /** Folder → the configs for its files; path → what a config says. */
  private readonly configs: Map<string, readonly Config[]>
  private readonly byPath: Map<string, Config>

  /** @param before of other files on the same ground */
  constructor(
    private readonly layout: CodeLayout,
    before: EcmascriptNames | null = null,
  ) {
    this.packages = before?.packages ?? packagesOf(layout)
    this.configs = before?.configs ?? new Map()
    this.byPath = before?.byPath ?? new Map()
  }

  resolve(from: number, [kind, target, ...names]: Link): ResolvedLink[] {
    const files = this.find(this.layout.files[from]!.path, target)
    return [{ kind: kind === 'export' ? 'export' : 'import', names, files }]
  }

  private find(path: string, given: string): readonly number[] {
    const target = given.replace(/[?#].*$/, '') || given
    const folder = folderOf(path)
    if (/^\.{1,2}(?:\/|$)/.test(target)) return this.probe(joined(folder, target))
    for (const config of this.configsFor(folder)) {
      const found = this.byConfig(config, target)
      if (found.length > 0) return found
    }
    return this.byPackage(target)
  }

  private byConfig({ aliases, roots }: Omit<Config, 'bases'>, target: string): readonly number[] {
    for (const alias of aliases) {
      const middle = matched(alias.pattern, target)
      if (middle === null) continue
      for (const path of alias.paths) {
        const found = this.probe(path?.replace('*', () => middle) ?? null)
        if (found.length > 0) return found
      }
    }
    for (const root of roots) {
      const found = this.probe(joined(root, target))
      if (found.length > 0) return found
    }
    return []
  }

  private byPackage(target: string): readonly number[] {
    const parts = target.split('/')
    const name = parts.slice(0, target.startsWith('@') ? 2 : 1).join('/')
    const found = this.packages.get(name)
    if (found === undefined) return []
    const named = this.byConfig({ aliases: found.aliases, roots: [] }, target)
    if (named.length > 0) return named
    const rest = target.slice(name.length + 1)
    const inside = rest === '' ? MAIN_FILES : [rest, `src/${rest}`, `lib/${rest}`]
    for (const path of inside) {
      const there = this.probe(joined(found.folder, path))
      if (there.length > 0) return there
    }
    return []
  }

  /** The file that a path without its extension means, or one that is built from it. */
  private probe(path: string | null): readonly number[] {
    if (path === null) return []
    const exact = this.layout.at(path)
    if (exact !== undefined) return [exact]
    for (const bare of baresOf(path)) {
      const found = this.bareAt(bare)
      if (found !== undefined) return [found]
    }
    return []
  }

  private bareAt(bare: string): number | undefined {
    // For a few links, as after a change, the map of all files would take longer.
    if (this.bare === null && this.bareAsked++ >= BARE_FEW) this.bare = this.bareFiles()
    if (this.bare !== null || bare === '') return this.bare?.get(bare)
    return this.layout.firstOf(EXTENSIONS.map((extension) => bare + extension))[0]
  }

  /** Path without extension → the file that is meant by it, of several by the order of `EXTENSIONS`. */
  private bareFiles(): ReadonlyMap<string, number> {
    const { files } = this.layout
    const code = [...files.keys()].filter((number) => BUILT_EXTENSION.test(files[number]!.path))
    const found = new Map<string, number>()
    for (const extension of EXTENSIONS) {
      for (const number of code) {
        const { path } = files[number]!
        const bare = path.endsWith(extension) ? path.slice(0, -extension.length) : ''
        if (bare !== '' && !found.has(bare)) found.set(bare, number)
      }
    }
    return found
  }

  /** Whose links may mean a path that came or went. Project files are ground: it must be none. */
  reach(path: string): Reach {
    const bare = path.replace(BUILT_EXTENSION, '')
    const places = [path, bare, path.replace(/\.ts$/, '')]
    if (lastPart(bare) === 'index') places.push(folderOf(bare))
    const under = places.flatMap(lookingUp)
    const configs = [...this.byPath.values()]
    const packages = [...this.packages]
    const roots = [...configs.flatMap((of) => of.roots), ...packages.map(([, of]) => of.folder)]
    // Out of a root or a package, too, dots lead up.
    const isAbove = (root: string) => under.some((beginning) => `${root}/`.startsWith(beginning))
    if (places.includes('') || roots.some(isAbove)) return ANY_LINK
    const words = places.map((place) => lastPart(place).replace(BUILT_EXTENSIONS, ''))
    const isMeant = (probed: string) =>
      [probed, ...baresOf(probed)].some((at) => places.includes(at))
    for (const { aliases } of [...configs, ...packages.map(([, of]) => of)]) {
      for (const { pattern, paths } of aliases) {
        const fits = (to: string | null) =>
          to !== null && (to.includes('*') ? mayBecome(to, path) : isMeant(to))
        if (paths.some(fits)) words.push(prefixOf(pattern))
      }
    }
    for (const [name, { folder }] of packages) {
      const isInside = folder === '' || path.startsWith(`${folder}/`)
      if (isInside && MAIN_FILES.some((main) => isMeant(joined(folder, main)!))) words.push(name)
    }
    return { words, under }
  }

  /** Those of the folders above, the nearest first, each followed by what it extends. */
  private configsFor(folder: string): readonly Config[] {
    const known = this.configs.get(folder)
    if (known !== undefined) return known
    const found: Config[] = []
    for (const above of foldersAbove(folder)) {
      for (const name of ['tsconfig.json', 'jsconfig.json', 'package.json']) {
        this.addConfig(above === '' ? name : `${above}/${name}`, found, 0)
      }
    }
    this.configs.set(folder, found)
    return found
  }

  private addConfig(path: string, found: Config[], depth: number): void {
    const config = depth > EXTENDS_MAX ? null : this.configAt(path)
    if (config === null) return
    if (config.aliases.length + config.roots.length > 0) found.push(config)
    for (const base of config.bases) this.addConfig(base, found, depth + 1)
  }

  private configAt(path: string): Config | null {
    const known = this.byPath.get(path)
    if (known !== undefined) return known
    const number = this.layout.at(path)
    if (number === undefined) return null
    const config = configOf(path, this.layout.linksOf(number))
    this.byPath.set(path, config)
    return config
  }
}

type Alias = { readonly pattern: string; readonly paths: readonly (string | null)[] }
type Config = {
  readonly aliases: readonly Alias[]
  readonly roots: readonly string[]
  /** Paths of the files it extends. */
  readonly bases: readonly string[]
}
type Package = { readonly folder: string; readonly aliases: readonly Alias[] }

const EXTENDS_MAX = 4
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs']
const BUILT_EXTENSION = /\.(?:d\.ts|[cm]?[jt]sx?)$/
const BUILT_EXTENSIONS = /(?:\.(?:d|[cm]?[jt]sx?))+$/
const BUILT_FOLDERS = ['dist', 'build', 'lib', 'out']
const BUILT_FOLDER = /(^|\/)(?:dist|build|lib|out)\//
/** What of a package is meant by its name alone. */
const MAIN_FILES = ['src/index', 'src', 'index', 'lib/index', 'src/main', 'mod']
/** So many are looked up one by one. */
const BARE_FEW = 2_000

/** Under which paths without extension a file may lie that a path means. */
function baresOf(path: string): readonly string[] {
  const bare = path.replace(BUILT_EXTENSION, '')
  const index = path === '' ? 'index' : `${path}/index`
  return [path, bare, index, bare.replace(BUILT_FOLDER, '$1src/')]
}

/** How the paths of files begin that may mean a place by dots alone, or the same where it is built. */
function lookingUp(place: string): readonly string[] {
  const built = [...place.matchAll(/(?<=^|\/)src\//g)].flatMap(({ index }) =>
    BUILT_FOLDERS.map((folder) => `${place.slice(0, index)}${folder}${place.slice(index + 3)}`),
  )
  return [place, ...built].flatMap((from) => [`${from}/`, `${from}.`])
}

/**
 * Whether an alias's path may be this one for an import that does not hold the last part of it. Where
 * the `*` is all of the last part but an extension, the import does hold it.
 */
function mayBecome(aliased: string, path: string): boolean {
  const star = aliased.indexOf('*')
  const behind = aliased.slice(star + 1).replace(BUILT_EXTENSION, '')
  const isPart = star === 0 || aliased[star - 1] === '/'
  return (!isPart || behind !== '') && path.includes(lastPart(behind))
}

function configOf(path: string, links: readonly Link[]): Config {
  const folder = folderOf(path)
  const isPackage = path.endsWith('package.json')
  const aliases = aliasesOf(links, folder).filter(
    ({ pattern }) => !isPackage || pattern.startsWith('#'),
  )
  const roots = links.flatMap(([kind, root]) => {
    const joint = kind === 'root' ? joined(folder, root) : null
    return joint === null ? [] : [joint]
  })
  const bases = links.flatMap(([kind, target]) => {
    if (kind !== 'import' || !target.startsWith('.')) return []
    return joined(folder, target.endsWith('.json') ? target : `${target}.json`) ?? []
  })
  return { aliases, roots, bases }
}

/** Each name once: the package nearest to the root. */
function packagesOf(layout: CodeLayout): ReadonlyMap<string, Package> {
  const packages = new Map<string, Package>()
  for (const number of layout.named('package.json')) {
    const links = layout.linksOf(number)
    const name = links.find(([kind]) => kind === 'package')?.[1]
    const folder = folderOf(layout.files[number]!.path)
    if (name === undefined) continue
    const known = packages.get(name)
    if (known !== undefined && known.folder.length <= folder.length) continue
    packages.set(name, { folder, aliases: aliasesOf(links, folder) })
  }
  return packages
}

/** The most exact pattern first. */
function aliasesOf(links: readonly Link[], folder: string): Alias[] {
  return links
    .flatMap(([kind, pattern, ...paths]) =>
      kind === 'alias' ? [{ pattern, paths: paths.map((path) => joined(folder, path)) }] : [],
    )
    .sort((a, b) => prefixOf(b.pattern).length - prefixOf(a.pattern).length)
}

function prefixOf(pattern: string): string {
  const star = pattern.indexOf('*')
  return star < 0 ? pattern : pattern.slice(0, star)
}

/** What the `*` of a pattern stands for; null: it does not fit. */
function matched(pattern: string, target: string): string | null {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === target ? '' : null
  const [before, behind] = [pattern.slice(0, star), pattern.slice(star + 1)]
  const fits = target.startsWith(before) && target.endsWith(behind)
  if (!fits || target.length < before.length + behind.length) return null
  return target.slice(before.length, target.length - behind.length)
}
