/** Whole numbers below 2^32, added one by one; the room doubles. */
export class NumberList {
  private room = new Uint32Array(1 << 10)
  private used = 0

  get length(): number {
    return this.used
  }

  push(number: number): void {
    if (this.used === this.room.length) this.grow(this.used + 1)
    this.room[this.used++] = number
  }

  /** Adds them all, each with `shift` added to it. */
  pushAll(numbers: Uint32Array | Uint8Array, shift = 0): void {
    const start = this.used
    this.used += numbers.length
    if (this.used > this.room.length) this.grow(this.used)
    this.room.set(numbers, start)
    if (shift === 0) return
    for (let place = start; place < this.used; place++) this.room[place]! += shift
  }

  /** A copy, as long as it need be. */
  array(): Uint32Array<ArrayBuffer> {
    return this.room.slice(0, this.used)
  }

  private grow(length: number): void {
    const larger = new Uint32Array(Math.max(length, this.room.length * 2))
    larger.set(this.room)
    this.room = larger
  }
}
