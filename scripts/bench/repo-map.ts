import type { BlobId } from '../../src/domain/code.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { Answer, type BenchCase, type BenchWorld, type Contender } from './contender.ts'

/**
 * A repository map by the formula that Aider published: a graph of files, an edge for each name that
 * one refers to and another defines, personalised PageRank, rank spread over the edges to
 * (file, name) pairs, rendered as elided signatures.
 */
export function repoMap(): Contender {
  const names = new Map<BlobId, ReadonlyMap<string, number>>()
  return {
    name: 'Aider-style map',
    answer: (world, of, budget) => {
      const files = [...of.tree].sort((a, b) => compareBytes(a.path, b.path))
      const namesIn = files.map(({ blob }) => {
        const known = names.get(blob) ?? countNames(world.text(blob))
        names.set(blob, known)
        return known
      })
      return render(world, files, rankPairs(world, of, files, namesIn), budget)
    },
  }
}

type File = BenchCase['tree'][number]
type Edges = {
  readonly from: number[]
  readonly to: number[]
  readonly weight: number[]
  readonly name: string[]
}

const DAMPING = 0.85
const ROUNDS = 20
const PAIRS_MAX = 3_000
/** A name that so many files define says nothing; its edges would outgrow the graph. */
const DEFINERS_MAX = 60

export function countNames(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of text.match(/[A-Za-z_$][\w$]*/g) ?? []) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

function rankPairs(
  world: BenchWorld,
  { task }: BenchCase,
  files: readonly File[],
  namesIn: readonly ReadonlyMap<string, number>[],
): { readonly file: number; readonly name: string }[] {
  const mentioned = new Set(task.goal.match(/[A-Za-z_$][\w$]*/g) ?? [])
  const edges = edgesOf(world, files, namesIn, mentioned)
  const personal = personalisation(files, task.goal, mentioned)
  const rank = pageRank(edges, personal)
  const out = outWeights(edges, files.length)
  const pairs = new Map<string, { file: number; name: string; score: number }>()
  for (const [e, from] of edges.from.entries()) {
    const file = edges.to[e]!
    const name = edges.name[e]!
    const score = (rank[from]! * edges.weight[e]!) / out[from]!
    const key = `${file}\0${name}`
    const known = pairs.get(key)
    if (known === undefined) pairs.set(key, { file, name, score })
    else known.score += score
  }
  return [...pairs.values()]
    .sort((a, b) => b.score - a.score || a.file - b.file || compareBytes(a.name, b.name))
    .slice(0, PAIRS_MAX)
}

/** Last part of a name → places in `files` of those that define it. */
export function definersOf(
  world: BenchWorld,
  files: readonly { readonly blob: BlobId }[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const definers = new Map<string, Set<number>>()
  for (const [at, { blob }] of files.entries()) {
    for (const { name } of world.index(blob).symbols) {
      const last = lastPart(name)
      const known = definers.get(last)
      if (known === undefined) definers.set(last, new Set([at]))
      else known.add(at)
    }
  }
  return definers
}

function edgesOf(
  world: BenchWorld,
  files: readonly File[],
  namesIn: readonly ReadonlyMap<string, number>[],
  mentioned: ReadonlySet<string>,
): Edges {
  const definers = definersOf(world, files)
  const edges: Edges = { from: [], to: [], weight: [], name: [] }
  const referred = new Set<string>()
  const add = (from: number, to: number, weight: number, name: string) => {
    edges.from.push(from)
    edges.to.push(to)
    edges.weight.push(weight)
    edges.name.push(name)
  }
  for (const [from, counts] of namesIn.entries()) {
    for (const [name, count] of counts) {
      const defined = definers.get(name)
      if (defined === undefined) continue
      const references = defined.has(from) ? count - 1 : count
      if (references <= 0) continue
      referred.add(name)
      if (defined.size > DEFINERS_MAX) continue
      const weight = Math.sqrt(references) * multiplier(name, defined.size, mentioned)
      for (const to of defined) add(from, to, weight, name)
    }
  }
  for (const [name, defined] of definers) {
    if (!referred.has(name)) for (const at of defined) add(at, at, 0.1, name)
  }
  return edges
}

function multiplier(name: string, definers: number, mentioned: ReadonlySet<string>): number {
  let factor = 1
  if (mentioned.has(name)) factor *= 10
  const compound = name.includes('_') || (/[A-Z]/.test(name) && /[a-z]/.test(name))
  if (compound && name.length >= 8) factor *= 10
  if (name.startsWith('_')) factor *= 0.1
  if (definers > 5) factor *= 0.1
  return factor
}

function personalisation(
  files: readonly File[],
  goal: string,
  mentioned: ReadonlySet<string>,
): Float64Array {
  const named = files.map(({ path }) => {
    const parts = path.split('/')
    const stem = parts.at(-1)!.replace(/\.[^.]*$/, '')
    return goal.includes(path) || [...parts, stem].some((part) => mentioned.has(part))
  })
  const count = named.filter(Boolean).length
  return Float64Array.from(named, (is) => (count === 0 ? 1 / files.length : is ? 1 / count : 0))
}

function outWeights(edges: Edges, files: number): Float64Array {
  const out = new Float64Array(files)
  for (const [e, from] of edges.from.entries()) out[from]! += edges.weight[e]!
  return out
}

function pageRank(edges: Edges, personal: Float64Array): Float64Array {
  const files = personal.length
  const out = outWeights(edges, files)
  let rank = new Float64Array(files).fill(1 / files)
  for (let round = 0; round < ROUNDS; round++) {
    let dangling = 0
    for (let at = 0; at < files; at++) if (out[at] === 0) dangling += rank[at]!
    const next = Float64Array.from(personal, (p) => p * (1 - DAMPING + DAMPING * dangling))
    for (let e = 0; e < edges.from.length; e++) {
      const from = edges.from[e]!
      next[edges.to[e]!]! += (DAMPING * rank[from]! * edges.weight[e]!) / out[from]!
    }
    rank = next
  }
  return rank
}

/** Whole files at a time: the heading, then a signature a line between elisions. */
function render(
  world: BenchWorld,
  files: readonly File[],
  pairs: readonly { readonly file: number; readonly name: string }[],
  budget: number,
) {
  const answer = new Answer(budget, world.countTokens)
  for (const { file, name } of pairs) {
    const { path, blob } = files[file]!
    for (const symbol of world.index(blob).symbols) {
      if (lastPart(symbol.name) !== name) continue
      const head = answer.has(path) ? '' : `${path}:\n⋮\n`
      const text = `${head}│${symbol.signature}\n⋮\n`
      if (!answer.take(text, path, [symbol.line])) return answer.shown()
    }
  }
  return answer.shown()
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
