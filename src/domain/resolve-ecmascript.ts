import type { Link } from './code.ts'
import {
  type CodeLayout,
  folderOf,
  foldersAbove,
  joined,
  type ResolvedLink,
} from './code-layout.ts'

/**
 * Names of TypeScript and JavaScript: relative paths, `paths` and `baseUrl` of the tsconfig files
 * above, `imports` of the package, and the packages of the same repository by their name.
 */
export class EcmascriptNames {
  private readonly packages: ReadonlyMap<string, Package>
  private bare: ReadonlyMap<string, number> | null = null
  private readonly configs = new Map<string, readonly Config[]>()

  constructor(private readonly layout: CodeLayout) {
    this.packages = packagesOf(layout)
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

  private byConfig({ aliases, roots }: Config, target: string): readonly number[] {
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
    const inside = rest === '' ? ['src/index', 'src', 'index', 'lib/index', 'src/main', 'mod'] : []
    if (rest !== '') inside.push(rest, `src/${rest}`, `lib/${rest}`)
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
    this.bare ??= this.bareFiles()
    const bare = path.replace(BUILT_EXTENSION, '')
    const source = bare.replace(/(^|\/)(?:dist|build|lib|out)\//, '$1src/')
    const index = path === '' ? 'index' : `${path}/index`
    for (const each of [path, bare, index, source]) {
      const found = this.bare.get(each)
      if (found !== undefined) return [found]
    }
    return []
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
    const number = this.layout.at(path)
    if (number === undefined || depth > EXTENDS_MAX) return
    const folder = folderOf(path)
    const links = this.layout.linksOf(number)
    const isPackage = path.endsWith('package.json')
    const aliases = aliasesOf(links, folder).filter(
      ({ pattern }) => !isPackage || pattern.startsWith('#'),
    )
    const roots = links.flatMap(([kind, root]) => {
      const joint = kind === 'root' ? joined(folder, root) : null
      return joint === null ? [] : [joint]
    })
    if (aliases.length + roots.length > 0) found.push({ aliases, roots })
    for (const [kind, target] of links) {
      if (kind !== 'import' || !target.startsWith('.')) continue
      const joint = joined(folder, target.endsWith('.json') ? target : `${target}.json`)
      if (joint !== null) this.addConfig(joint, found, depth + 1)
    }
  }
}

type Alias = { readonly pattern: string; readonly paths: readonly (string | null)[] }
type Config = { readonly aliases: readonly Alias[]; readonly roots: readonly string[] }
type Package = { readonly folder: string; readonly aliases: readonly Alias[] }

const EXTENDS_MAX = 4
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs']
const BUILT_EXTENSION = /\.(?:d\.ts|[cm]?[jt]sx?)$/

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
