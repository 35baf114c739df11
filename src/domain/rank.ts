/**
 * Reciprocal rank fusion in integers: merges rankings that share no scale. A list gives what it
 * ranks r-th `floor(weight × 1,000,000 / (RRF_K + r))`: 10^9/(RRF_K + r) at a weight of 1,000.
 * Best first; equal scores by `compare`.
 */
export function fuse<Key extends string>(
  lists: Readonly<Record<string, ReadonlyMap<Key, number>>>,
  weights: Weights,
  compare: (a: Key, b: Key) => number,
): Ranked<Key>[] {
  return fused(lists, weights).sort((a, b) => b.score - a.score || compare(a.key, b.key))
}

/** The same in no order: for who goes by more than the score. */
export function fused<Key extends string | number>(
  lists: Readonly<Record<string, ReadonlyMap<Key, number>>>,
  weights: Weights,
): Ranked<Key>[] {
  const found = new Map<Key, { key: Key; ranks: Record<string, number>; score: number }>()
  for (const list of Object.keys(lists).sort()) {
    const weight = weights[list] ?? 0
    for (const [key, rank] of lists[list]!) {
      const part = listScore(weight, rank)
      const known = found.get(key)
      if (known === undefined) found.set(key, { key, ranks: { [list]: rank }, score: part })
      else {
        known.ranks[list] = rank
        known.score += part
      }
    }
  }
  return [...found.values()]
}

/**
 * How slowly a place loses worth with its rank. The usual 60 (Cormack et al., 2009) is for lists of
 * which hundreds of places are read; a pack shows some dozens. Set by measurement, see `weights.ts`.
 */
export const RRF_K = 20

/** List → rank in it, from 1. */
export type Ranks = Readonly<Record<string, number>>
/** List → weight in thousandths. A list without one counts nothing. */
export type Weights = Readonly<Record<string, number>>

export type Ranked<Key extends string | number> = {
  readonly key: Key
  readonly ranks: Ranks
  readonly score: number
}

/** The place of each key in `keys`, from 1; its first place when it comes again. */
export function ranking<Key extends string | number>(keys: Iterable<Key>): Map<Key, number> {
  const ranks = new Map<Key, number>()
  for (const key of keys) if (!ranks.has(key)) ranks.set(key, ranks.size + 1)
  return ranks
}

export function fusedScore(ranks: Ranks, weights: Weights): number {
  let score = 0
  for (const list of Object.keys(ranks)) score += listScore(weights[list] ?? 0, ranks[list]!)
  return score
}

function listScore(weight: number, rank: number): number {
  return Math.floor((weight * 1_000_000) / (RRF_K + rank))
}

/** `score` by a factor in thousandths, rounded down. */
export function scaled(score: number, factor: number): number {
  return Math.floor((score * factor) / 1_000)
}
