/**
 * Of whole numbers the one that comes n-th when the highest comes first, n from 1; the lowest when
 * there are not so many. By Hoare's selection, in time proportional to their number.
 *
 * @throws RangeError for n below 1, and without numbers
 */
export function nthHighest(numbers: Int32Array, n: number): number {
  if (!(n >= 1 && numbers.length > 0)) throw new RangeError(`no number is the highest but ${n - 1}`)
  const wanted = Math.min(n, numbers.length) - 1
  const values = numbers.slice()
  let left = 0
  let right = values.length - 1
  while (left < right) {
    const pivot = values[(left + right) >>> 1]!
    let low = left
    let high = right
    while (low <= high) {
      while (values[low]! > pivot) low++
      while (values[high]! < pivot) high--
      if (low > high) break
      const kept = values[low]!
      values[low++] = values[high]!
      values[high--] = kept
    }
    if (wanted <= high) right = high
    else if (wanted >= low) left = low
    else break
  }
  return values[wanted]!
}
