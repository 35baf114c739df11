import type { CodeGraph, Neighbour } from './graph.ts'
import { compareBytes } from './order.ts'

/** A file to start from; `score` is a whole number above zero. */
export type Seed = { readonly path: string; readonly score: number }

/**
 * Files near the seeds, best first: each passes half of its score on, shared among its neighbours by
 * weight (those that use it count three fifths), twice. What is reached is let in only when
 * `isRelated` says so or a seed itself imports it, or is imported by it, for certain.
 */
export function nearby(
  graph: CodeGraph,
  seeds: readonly Seed[],
  isRelated: (path: string) => boolean,
): string[] {
  const scores = new Map<number, number>()
  const certain = new Set<number>()
  let front = new Map<number, number>()
  for (const { path, score } of seeds) {
    const number = graph.number(path)
    if (number === undefined) continue
    front.set(number, (front.get(number) ?? 0) + Math.floor(score))
    for (const { file, confidence } of neighbours(graph, number)) {
      if (confidence >= CERTAIN) certain.add(file)
    }
  }
  for (let hop = 0; hop < HOPS; hop++) {
    front = spread(graph, front)
    for (const [file, score] of front) scores.set(file, (scores.get(file) ?? 0) + score)
  }
  return [...scores]
    .map(([file, score]) => ({ file, score, path: graph.path(file) }))
    .filter(({ file, score, path }) => score > 0 && (certain.has(file) || isRelated(path)))
    .sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
    .slice(0, NEARBY_MAX)
    .map(({ path }) => path)
}

export const HOPS = 2
const CERTAIN = 3
const FRONT_MAX = 60
const NEARBY_MAX = 60

/** One hop: what each file of `front` passes on. Only the best go further. */
function spread(graph: CodeGraph, front: ReadonlyMap<number, number>): Map<number, number> {
  const next = new Map<number, number>()
  for (const [from, score] of [...front].sort((a, b) => a[0] - b[0])) {
    const near = neighbours(graph, from)
    const total = near.reduce((sum, { weight }) => sum + weight, 0)
    for (const { file, weight } of near) {
      const part = Math.floor((score * weight) / (2 * total))
      if (part > 0) next.set(file, (next.get(file) ?? 0) + part)
    }
  }
  const best = [...next].sort((a, b) => b[1] - a[1] || a[0] - b[0])
  return new Map(best.slice(0, FRONT_MAX))
}

function neighbours(graph: CodeGraph, number: number): readonly Neighbour[] {
  const users = graph.usedBy(number).map((user) => ({
    ...user,
    weight: Math.floor((user.weight * 3) / 5),
  }))
  return [...graph.uses(number), ...users].filter(({ weight }) => weight > 0)
}
