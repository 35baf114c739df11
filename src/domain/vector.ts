/**
 * A direction in int8: `quantise` gives it, `dot` compares two. Every vector of an index has one
 * length, so a dot product is a cosine times a constant, and exact.
 */
export type Vector = Int8Array

/**
 * Each vector has about this length times the root of its dimensions: 4.5 standard deviations of a
 * component reach 127, the largest int8. Sums of products then stay below 2^24 for `DIMS_MAX`
 * dimensions: exact as float32 too, in whatever order they are added.
 */
const LENGTH_PER_ROOT = 28
export const DIMS_MAX = 8_192

/** Rounds a direction of any length to int8. Null when it has none: all zero, or not finite. */
export function quantise(values: ArrayLike<number>): Vector | null {
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += values[i]! * values[i]!
  if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) return null
  const scale = (LENGTH_PER_ROOT * Math.sqrt(values.length)) / Math.sqrt(squares)
  const vector = new Int8Array(values.length)
  for (let i = 0; i < values.length; i++) {
    vector[i] = Math.max(-127, Math.min(127, Math.round(values[i]! * scale)))
  }
  return vector
}

/** Of `a` and the vector that begins at `at` in `many`. An integer. */
export function dot(a: Vector, many: Int8Array, at: number): number {
  const { imul } = Math
  const length = a.length
  let sum = 0
  let i = 0
  // No product or sum leaves 32 bits; said so, none is looked at for having done so.
  for (; i + 3 < length; i += 4) {
    const four =
      imul(a[i]!, many[at + i]!) +
      imul(a[i + 1]!, many[at + i + 1]!) +
      imul(a[i + 2]!, many[at + i + 2]!) +
      imul(a[i + 3]!, many[at + i + 3]!)
    sum = (sum + four) | 0
  }
  for (; i < length; i++) sum = (sum + imul(a[i]!, many[at + i]!)) | 0
  return sum
}

/** Adds `times` the vector that begins at `at` in `many` to `sums`, which has its length. */
export function addTimes(times: number, many: Int8Array, at: number, sums: Float64Array): void {
  const length = sums.length
  let i = 0
  for (; i + 3 < length; i += 4) {
    sums[i]! += times * many[at + i]!
    sums[i + 1]! += times * many[at + i + 1]!
    sums[i + 2]! += times * many[at + i + 2]!
    sums[i + 3]! += times * many[at + i + 3]!
  }
  for (; i < length; i++) sums[i]! += times * many[at + i]!
}
