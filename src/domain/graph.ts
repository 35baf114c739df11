import { familyOf } from './code-family.ts'
import { type EdgeTable, edgesOf } from './graph-edges.ts'
import type { LexicalView } from './lexical.ts'
import { LinkResolver } from './link-resolver.ts'
import { unpackLinks } from './packed-file.ts'

/**
 * Which files of a view use what which others define: a weighted edge from file to file, all weights
 * whole numbers. A function of the view alone, however its files came into the index. Built when
 * first asked for and kept for the views used last.
 */
export function graphOf(view: LexicalView): CodeGraph {
  const known = graphs.get(view)
  if (known !== undefined) return known
  const resolver = resolverOf(view)
  const graph = new CodeGraph(resolver, edgesOf(view, resolver))
  graphs.set(view, graph)
  recent.push(new WeakRef(view))
  const oldest = recent.length > GRAPHS_MAX ? recent.shift()?.deref() : undefined
  if (oldest !== undefined) graphs.delete(oldest)
  return graph
}

/** Each takes some 70 MB with 20,000 files. */
const GRAPHS_MAX = 2
const graphs = new WeakMap<LexicalView, CodeGraph>()
const recent: WeakRef<LexicalView>[] = []

/** A neighbour of a file, by number. */
export type Neighbour = {
  readonly file: number
  readonly weight: number
  /** 4: imported by name; 3: from a module imported; 2: by a scarce name; 1: by one of several. */
  readonly confidence: number
}

export class CodeGraph {
  /** Most users first by a hub's damping: what each file uses, and what uses it. */
  private readonly out: readonly (readonly Neighbour[])[]
  private readonly into: readonly (readonly Neighbour[])[]

  constructor(
    private readonly resolver: LinkResolver,
    edges: EdgeTable,
  ) {
    const { size } = this
    const users = new Uint32Array(size)
    for (const to of edges) for (const file of to?.keys() ?? []) users[file]!++
    const out: Neighbour[][] = Array.from({ length: size }, () => [])
    const into: Neighbour[][] = Array.from({ length: size }, () => [])
    for (const [from, to] of edges.entries()) {
      for (const [file, { weight: raw, confidence }] of to ?? []) {
        const weight = damped(raw, users[file]!)
        if (weight === 0) continue
        out[from]!.push({ file, weight, confidence })
        into[file]!.push({ file: from, weight, confidence })
      }
    }
    this.out = out.map(heaviest)
    this.into = into.map(heaviest)
  }

  get size(): number {
    return this.resolver.layout.files.length
  }

  number(path: string): number | undefined {
    return this.resolver.layout.at(path)
  }

  path(number: number): string {
    return this.resolver.layout.files[number]!.path
  }

  /** What a file uses, by weight, then path. */
  uses(number: number): readonly Neighbour[] {
    return this.out[number] ?? []
  }

  /** What uses a file, by weight, then path. */
  usedBy(number: number): readonly Neighbour[] {
    return this.into[number] ?? []
  }
}

/** That everybody uses something says little of any of them: by the root of how many do. */
export function damped(weight: number, users: number): number {
  return Math.floor((weight * ONE) / Math.floor(Math.sqrt((1 + users) * ONE * ONE)))
}

const ONE = 1_024
const NEIGHBOURS_MAX = 64

function heaviest(neighbours: Neighbour[]): readonly Neighbour[] {
  return neighbours.sort((a, b) => b.weight - a.weight || a.file - b.file).slice(0, NEIGHBOURS_MAX)
}

// --- what links mean, kept from one view to the next

let lastResolver: {
  readonly resolver: LinkResolver
  readonly ground: ReadonlyMap<string, string>
} | null = null

/**
 * Most views differ from the last in what a few files hold: as long as the same paths, project files
 * and packages are there, each unchanged file's links mean what they meant.
 */
function resolverOf(view: LexicalView): LinkResolver {
  const ground = new Map<string, string>()
  const links = new Map<string, string>()
  for (const [path, { language, links: packed }] of view.byPath) {
    links.set(path, packed)
    ground.set(
      path,
      familyOf(language) === null ? `${language}\0${packed}` : groundOf(language, packed),
    )
  }
  const last = lastResolver
  const files = [...view.byPath.values()].map(({ path, language, links: packed }) => ({
    ...{ path, language, packed },
    get links() {
      return unpackLinks(packed)
    },
  }))
  const before = last !== null && sameGround(last.ground, ground) ? last.resolver : null
  const resolver = new LinkResolver(files, before)
  lastResolver = { resolver, ground }
  return resolver
}

/** What other files' links may hang on: the language, and the packages a file says it belongs to. */
function groundOf(language: string, packed: string): string {
  if (!packed.includes('package\0')) return language
  const packages = packed.split('\u0001').filter((row) => row.startsWith('package\0'))
  return `${language}\0${packages.join('\u0001')}`
}

function sameGround(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false
  for (const [path, ground] of a) if (b.get(path) !== ground) return false
  return true
}
