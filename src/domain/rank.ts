/**
 * Reciprocal rank fusion in integers: merges rankings that share no scale. A list gives what it
 * ranks r-th `floor(weight × 1,000,000 / (60 + r))`: 10^9/(60 + r) at a weight of 1,000.
 * Best first; equal scores by `compare`.
 */
export function fuse<Key extends string>(
  lists: Readonly<Record<string, ReadonlyMap<Key, number>>>,
  weights: Weights,
  compare: (a: Key, b: Key) => number,
): Ranked<Key>[] {
  const ranks = new Map<Key, Record<string, number>>()
  for (const list of Object.keys(lists).sort()) {
    for (const [key, rank] of lists[list]!) {
      const known = ranks.get(key)
      if (known === undefined) ranks.set(key, { [list]: rank })
      else known[list] = rank
    }
  }
  return [...ranks]
    .map(([key, of]) => ({ key, ranks: of, score: fusedScore(of, weights) }))
    .sort((a, b) => b.score - a.score || compare(a.key, b.key))
}

export const RRF_K = 60

/** List → rank in it, from 1. */
export type Ranks = Readonly<Record<string, number>>
/** List → weight in thousandths. A list without one counts nothing. */
export type Weights = Readonly<Record<string, number>>

export type Ranked<Key extends string> = {
  readonly key: Key
  readonly ranks: Ranks
  readonly score: number
}

/** The place of each key in `keys`, from 1; its first place when it comes again. */
export function ranking<Key extends string>(keys: Iterable<Key>): Map<Key, number> {
  const ranks = new Map<Key, number>()
  for (const key of keys) if (!ranks.has(key)) ranks.set(key, ranks.size + 1)
  return ranks
}

export function fusedScore(ranks: Ranks, weights: Weights): number {
  let score = 0
  for (const [list, rank] of Object.entries(ranks)) {
    score += Math.floor(((weights[list] ?? 0) * 1_000_000) / (RRF_K + rank))
  }
  return score
}

/** `score` by a factor in thousandths, rounded down. */
export function scaled(score: number, factor: number): number {
  return Math.floor((score * factor) / 1_000)
}
