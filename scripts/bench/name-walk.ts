import type { BlobId } from '../../src/domain/code.ts'
import type { BenchWorld } from './contender.ts'
import { countNames, definersOf } from './repo-map.ts'

/**
 * A graph of files, an edge where one holds a name that few others define, and a walk of two steps
 * from some of them. It stands apart from the graph of `av`, so that the two can be compared.
 */
export class NameWalk {
  private readonly names = new Map<BlobId, ReadonlyMap<string, number>>()

  /** Files within two steps of `seeds` (places in `files`, by what each is worth), best first. */
  near(
    world: BenchWorld,
    files: readonly { readonly path: string; readonly blob: BlobId }[],
    seeds: ReadonlyMap<number, number>,
  ): string[] {
    const neighbours = this.neighbours(world, files)
    const reached = new Map<number, number>()
    let from = [...seeds]
    for (let step = 0; step < STEPS; step++) {
      const next = new Map<number, number>()
      for (const [at, worth] of from.sort((a, b) => a[0] - b[0])) {
        const total = neighbours[at]!.reduce((sum, { weight }) => sum + weight, 0)
        for (const { to, weight } of neighbours[at]!) {
          next.set(to, (next.get(to) ?? 0) + (worth * STEP_FACTOR * weight) / total)
        }
      }
      for (const [at, worth] of next) reached.set(at, (reached.get(at) ?? 0) + worth)
      from = bestFirst(next).slice(0, WIDTH_MAX)
    }
    return bestFirst(reached)
      .slice(0, WIDTH_MAX)
      .map(([at]) => files[at]!.path)
  }

  private neighbours(
    world: BenchWorld,
    files: readonly { readonly path: string; readonly blob: BlobId }[],
  ): readonly { readonly to: number; readonly weight: number }[][] {
    const uses = this.uses(world, files)
    const users = new Uint32Array(files.length)
    for (const used of uses) for (const to of used.keys()) users[to]!++
    const neighbours = files.map((): { to: number; weight: number }[] => [])
    for (const [from, used] of uses.entries()) {
      for (const [to, weight] of used) {
        const damped = weight / Math.sqrt(1 + users[to]!)
        neighbours[from]!.push({ to, weight: damped })
        neighbours[to]!.push({ to: from, weight: damped * BACKWARDS })
      }
    }
    return neighbours
  }

  /** For each file the files that define a name it holds. */
  private uses(
    world: BenchWorld,
    files: readonly { readonly blob: BlobId }[],
  ): readonly ReadonlyMap<number, number>[] {
    const definers = definersOf(world, files)
    return files.map(({ blob }, from) => {
      const used = new Map<number, number>()
      for (const [name, count] of this.namesIn(world, blob)) {
        const defined = definers.get(name)
        if (defined === undefined || defined.size > DEFINERS_MAX) continue
        const weight = (Math.sqrt(count) / defined.size) * nameFactor(name)
        for (const to of defined) if (to !== from) used.set(to, (used.get(to) ?? 0) + weight)
      }
      return used
    })
  }

  private namesIn(world: BenchWorld, blob: BlobId): ReadonlyMap<string, number> {
    const known = this.names.get(blob) ?? countNames(world.text(blob))
    this.names.set(blob, known)
    return known
  }
}

const STEPS = 2
const STEP_FACTOR = 0.5
const WIDTH_MAX = 60
const BACKWARDS = 0.6
const DEFINERS_MAX = 12

/** A long name of several words means what it says; a short or private one hardly anything. */
function nameFactor(name: string): number {
  const compound = /_|[a-z][A-Z]|^[A-Z].*[a-z]/.test(name) && name.length >= 8
  return (compound ? 3 : 1) * (name.startsWith('_') ? 0.2 : 1) * (name.length < 4 ? 0.1 : 1)
}

function bestFirst(scores: ReadonlyMap<number, number>): [number, number][] {
  return [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0])
}
