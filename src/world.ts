/** The outside world behind one door: nothing else reads the clock or rolls dice. */
export type World = {
  /** Milliseconds since the epoch, UTC. For display and waits; claims use the database's clock. */
  now(): number
  /** `bytes` random bytes in lower-case hex. */
  randomHex(bytes: number): string
}

export const realWorld: World = {
  now: () => Date.now(),
  randomHex: (bytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex'),
}

/** A world that repeats itself, for tests: the clock ticks one second a reading, ids follow the seed. */
export function seededWorld(seed: number, startMs = Date.UTC(2026, 0, 1)): World {
  let state = seed >>> 0
  let tick = 0
  const nextByte = () => {
    // Numerical Recipes' linear congruential generator: repeatability is all that is asked of it.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  }
  return {
    now: () => startMs + tick++ * 1000,
    randomHex: (bytes) => Buffer.from(Uint8Array.from({ length: bytes }, nextByte)).toString('hex'),
  }
}
