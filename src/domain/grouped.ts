/** Groups of numbers, one after another. */
export type Grouped = {
  /** By group, and one more: where its values begin. */
  readonly starts: Uint32Array
  readonly values: Uint32Array
}

/**
 * Puts values together by group, each group's in the order given.
 * @param groups of each value, which group it belongs to, below `count`
 */
export function groupedBy(groups: Uint32Array, values: Uint32Array, count: number): Grouped {
  const starts = startsOf(groups, count)
  const next = starts.slice()
  const sorted = new Uint32Array(values.length)
  for (let at = 0; at < values.length; at++) sorted[next[groups[at]!]!++] = values[at]!
  return { starts, values: sorted }
}

function startsOf(groups: Uint32Array, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1)
  for (let at = 0; at < groups.length; at++) starts[groups[at]! + 1]!++
  for (let group = 0; group < count; group++) starts[group + 1]! += starts[group]!
  return starts
}
