/**
 * What a run of characters stands for, as `make` says, which must say the same each time; the runs
 * asked for last are remembered. A run is looked up where it stands in its text: as a string of its
 * own, to be hashed for a Map, it would cost more than all else that is done with it.
 */
export class RunMemo<Meaning> {
  /** By hash; what comes later takes the place of what was there. */
  private readonly runs: (string | null)[] = new Array(SLOTS).fill(null)
  private readonly meanings: (Meaning | null)[] = new Array(SLOTS).fill(null)

  constructor(private readonly make: (run: string) => Meaning) {}

  /** Of what `text` has from `from` to before `end`. */
  of(text: string, from: number, end: number): Meaning {
    const length = end - from
    if (length > LENGTH_MAX) return this.make(text.slice(from, end))
    let hash = length
    for (let at = from; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_PRIME)
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    const known = this.runs[slot]
    if (known?.length === length && isAt(text, from, known)) return this.meanings[slot] as Meaning
    // A slice keeps its whole text alive in JavaScriptCore; the memo must own its characters.
    const run = ` ${text.slice(from, end)}`.slice(1)
    const meaning = this.make(run)
    this.runs[slot] = run
    this.meanings[slot] = meaning
    return meaning
  }
}

const SLOTS = 1 << 14
const LENGTH_MAX = 256
const HASH_PRIME = 0x01000193

/** Whether `text` has all of `run` from `from` on. */
function isAt(text: string, from: number, run: string): boolean {
  for (let i = 0; i < run.length; i++) {
    if (run.charCodeAt(i) !== text.charCodeAt(from + i)) return false
  }
  return true
}
