import { CodeLayout } from './code-layout.ts'
import { keptEdges } from './graph-changes.ts'
import { Definers } from './graph-definers.ts'
import { type EdgeTable, edgesOf, type LinkedCode } from './graph-edges.ts'
import { layoutAfter, linkedAfter, linkedAnew, movedSince } from './graph-links.ts'
import { type Grouped, groupedBy } from './grouped.ts'
import type { IndexedFile, LexicalView } from './lexical.ts'
import type { LinkResolver } from './link-resolver.ts'
import type { LinkTable } from './link-table.ts'

/**
 * Which files of a view use what which others define: a weighted edge from file to file, all weights
 * whole numbers. A function of the view alone, however its files came into the index. Made when first
 * asked for and kept for the views used last: from the one of those that differs least, where it is of
 * the same index, else from nothing.
 */
export function graphOf(view: LexicalView): CodeGraph {
  const known = graphs.get(view)
  if (known !== undefined) return known
  const graph = graphAfter(nearest(view), view)
  graphs.set(view, graph)
  recent.push(new WeakRef(view))
  const oldest = recent.length > GRAPHS_MAX ? recent.shift()?.deref() : undefined
  if (oldest !== undefined) graphs.delete(oldest)
  return graph
}

/** With 20,000 files each takes 4 to 8 MB, and what its ground needs, which most share, as much. */
const GRAPHS_MAX = 4
const graphs = new WeakMap<LexicalView, CodeGraph>()
const recent: WeakRef<LexicalView>[] = []

/** Of the views whose graphs are kept, one of the same index that shares most files with this. */
function nearest(view: LexicalView): CodeGraph | null {
  let best: CodeGraph | null = null
  let fewest = Number.POSITIVE_INFINITY
  for (const reference of recent.toReversed()) {
    const other = reference.deref()
    const graph = other === undefined ? undefined : graphs.get(other)
    if (graph === undefined || other?.dictionary !== view.dictionary) continue
    const different = differences(graph, view, fewest)
    if (different < fewest) [best, fewest] = [graph, different]
    if (fewest <= FEW) break
  }
  return best
}

/** So few files are made anew in no time: no other view need be looked at. */
const FEW = 20

/** How many files of a graph the view has not, or others; no more than `max` are counted. */
function differences({ files }: CodeGraph, { byPath }: LexicalView, max: number): number {
  let count = 0
  for (let at = 0; at < files.length && count < max; at++) {
    if (byPath.get(files[at]!.path) !== files[at]) count++
  }
  return count
}

/** @param before of another view of the same index, or none: the graph is the same with each */
export function graphAfter(before: CodeGraph | null, view: LexicalView): CodeGraph {
  if (before === null) {
    const layout = new CodeLayout(view.byPath.values())
    const linked = linkedAnew(layout, view)
    const definers = new Definers(linked.files, view.dictionary.size)
    const code = { view, layout, ...linked, definers }
    return new CodeGraph(linked.resolver, code, edgesOf(code, null))
  }
  const moved = movedSince(before, view)
  const { layout, numbers } = layoutAfter(before, moved, view)
  const linked = linkedAfter(before, { layout, moved, numbers }, view)
  const isKept = numbers.isSame && hasSameNames(before.files, linked.files)
  const definers = isKept ? before.definers : new Definers(linked.files, view.dictionary.size)
  const code = { view, layout, ...linked, definers }
  return new CodeGraph(linked.resolver, code, edgesOf(code, keptEdges(before, code, numbers)))
}

/** Whether the files define the same as those of the same paths and languages before. */
function hasSameNames(before: readonly IndexedFile[], files: readonly IndexedFile[]): boolean {
  return files.every((file, number) => {
    const old = before[number]!
    if (file === old) return true
    const { names } = file
    return names.length === old.names.length && names.every((name, at) => name === old.names[at])
  })
}

/** A neighbour of a file, by number. */
export type Neighbour = {
  readonly file: number
  readonly weight: number
  /** 4: imported by name; 3: from a module imported; 2: by a scarce name; 1: by one of several. */
  readonly confidence: number
}

export class CodeGraph {
  readonly files: readonly IndexedFile[]
  readonly links: LinkTable
  readonly definers: Definers
  /** By file: those that use it, ascending. */
  private readonly users: Grouped
  /** The users of what many use, as they were asked for: to find the heaviest all are looked at. */
  private readonly crowds = new Map<number, readonly Neighbour[]>()

  constructor(
    readonly resolver: LinkResolver,
    { files, links, definers }: LinkedCode,
    readonly edges: EdgeTable,
  ) {
    this.files = files
    this.links = links
    this.definers = definers
    const from = new Uint32Array(edges.files.length)
    for (let file = 0; file < files.length; file++) {
      from.fill(file, edges.starts[file]!, edges.starts[file + 1]!)
    }
    this.users = groupedBy(edges.files, from, files.length)
  }

  get size(): number {
    return this.files.length
  }

  number(path: string): number | undefined {
    return this.resolver.layout.at(path)
  }

  path(number: number): string {
    return this.files[number]!.path
  }

  /** What a file uses, by weight, then path. */
  uses(number: number): readonly Neighbour[] {
    const { starts, files } = this.edges
    const found: Neighbour[] = []
    for (let edge = starts[number]!; edge < starts[number + 1]!; edge++) {
      found.push(this.neighbour(files[edge]!, edge))
    }
    return heaviest(found)
  }

  /** What uses a file, by weight, then path. */
  usedBy(number: number): readonly Neighbour[] {
    const { starts } = this.users
    if (starts[number + 1]! - starts[number]! <= NEIGHBOURS_MAX) return this.heaviestUsers(number)
    const known = this.crowds.get(number)
    if (known !== undefined) return known
    const found = this.heaviestUsers(number)
    if (this.crowds.size >= CROWDS_MAX) this.crowds.clear()
    this.crowds.set(number, found)
    return found
  }

  private heaviestUsers(number: number): readonly Neighbour[] {
    const { starts, values } = this.users
    const found: Neighbour[] = []
    for (let at = starts[number]!; at < starts[number + 1]!; at++) {
      found.push(this.neighbour(values[at]!, this.edge(values[at]!, number)))
    }
    return heaviest(found)
  }

  private neighbour(file: number, edge: number): Neighbour {
    const { files, weights, confidences } = this.edges
    const { starts } = this.users
    const used = files[edge]!
    const weight = damped(weights[edge]!, starts[used + 1]! - starts[used]!)
    return { file, weight, confidence: confidences[edge]! }
  }

  /** The place of an edge that there is. */
  private edge(from: number, to: number): number {
    const { starts, files } = this.edges
    let low = starts[from]!
    let high = starts[from + 1]! - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (files[middle]! < to) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** That everybody uses something says little of any of them: by the root of how many do. */
export function damped(weight: number, users: number): number {
  return Math.floor((weight * ONE) / Math.floor(Math.sqrt((1 + users) * ONE * ONE)))
}

const ONE = 1_024
const NEIGHBOURS_MAX = 64
const CROWDS_MAX = 200

function heaviest(neighbours: Neighbour[]): readonly Neighbour[] {
  return neighbours
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.file - b.file)
    .slice(0, NEIGHBOURS_MAX)
}
