/** Chance that repeats itself: the same numbers for the same seed. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Dice of its own for one step of a history: steps can be left out without changing the others. */
  static ofStep(seed: number, step: number): Dice {
    return new Dice(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b))
  }

  /** From 0 up to `limit`, which is left out. (Mulberry32.) */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  /** True in so many of a hundred cases. */
  percent(chance: number): boolean {
    return this.below(100) < chance
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)]
    if (chosen === undefined) throw new RangeError('nothing to choose from')
    return chosen
  }

  /** Each as often as its weight says; those of weight zero never. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T {
    let left = this.below(choices.reduce((sum, [, weight]) => sum + weight, 0))
    for (const [choice, weight] of choices) {
      left -= weight
      if (left < 0) return choice
    }
    throw new RangeError('nothing to choose from')
  }
}
