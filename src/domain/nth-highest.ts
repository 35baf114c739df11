/**
 * Of whole numbers the one that comes n-th when the highest comes first, n from 1; the lowest when
 * there are not so many. Counts how many lie in each of some thousand equal steps; only those of one
 * step are sorted.
 *
 * @throws RangeError for n below 1, and without numbers
 */
export function nthHighest(numbers: Int32Array | Uint32Array, n: number): number {
  const { length } = numbers
  if (!(n >= 1 && length > 0)) throw new RangeError(`no number is the highest but ${n - 1}`)
  const rank = Math.min(n, length)
  let least = numbers[0]!
  let most = numbers[0]!
  for (let i = 1; i < length; i++) {
    least = Math.min(least, numbers[i]!)
    most = Math.max(most, numbers[i]!)
  }
  const shift = Math.max(0, 32 - Math.clz32(most - least) - STEP_BITS)
  steps.fill(0)
  for (let i = 0; i < length; i++) steps[(numbers[i]! - least) >>> shift]!++
  let step = steps.length - 1
  let above = 0
  while (above + steps[step]! < rank) above += steps[step--]!
  const alike = numbers.filter((number) => (number - least) >>> shift === step).sort()
  return alike[alike.length - (rank - above)]!
}

const STEP_BITS = 11
const steps = new Uint32Array(1 << STEP_BITS)
