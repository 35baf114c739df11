import { grownBytes, grownWords } from './grown-array.ts'

/**
 * Gives each text a number, from 0 on, and gives the text of a number back. Nothing is ever taken out.
 *
 * All texts lie in one array of bytes: as strings in a Map they would take some six times the memory,
 * and the collector would look at each of them again and again.
 */
export class TextNumbers {
  private bytes = new Uint8Array(1 << 10)
  /** Where each text begins; behind the last one, where the next will. */
  private starts = new Uint32Array(1 << 6)
  /** By hash: a number and one, 0 where there is none. At most half are taken. */
  private slots = new Uint32Array(1 << 7)
  private count = 0

  number(text: string): number {
    const end = this.write(text)
    const slot = this.slotOf(end)
    const known = this.slots[slot]!
    if (known !== 0) return known - 1
    const number = this.count++
    this.starts = grownWords(this.starts, this.count + 1)
    this.starts[this.count] = end
    this.slots[slot] = this.count
    if (this.count * 2 > this.slots.length) this.spread()
    return number
  }

  find(text: string): number | undefined {
    const known = this.slots[this.slotOf(this.write(text))]!
    return known === 0 ? undefined : known - 1
  }

  /** @throws RangeError for a number that was not given out */
  text(number: number): string {
    if (!(number >= 0 && number < this.count)) throw new RangeError(`no text has number ${number}`)
    const { bytes } = this
    const end = this.starts[number + 1]!
    let text = ''
    for (let at = this.starts[number]!; at < end; ) {
      const byte = bytes[at++]!
      let unit = byte
      if (byte >= 0xe0) {
        unit = ((byte & 0x0f) << 12) | ((bytes[at]! & 0x3f) << 6) | (bytes[at + 1]! & 0x3f)
        at += 2
      } else if (byte >= 0xc0) unit = ((byte & 0x1f) << 6) | (bytes[at++]! & 0x3f)
      text += String.fromCharCode(unit)
    }
    return text
  }

  get size(): number {
    return this.count
  }

  get memoryBytes(): number {
    return this.bytes.length + 4 * (this.starts.length + this.slots.length)
  }

  /**
   * Puts a text behind the last one, each UTF-16 unit as UTF-8 would have it, so that any string comes
   * back whole; it stays there when it gets a number. Returns its end.
   */
  private write(text: string): number {
    let at = this.starts[this.count]!
    this.bytes = grownBytes(this.bytes, at + 3 * text.length)
    const { bytes } = this
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit < 0x80) bytes[at++] = unit
      else {
        if (unit < 0x800) bytes[at++] = 0xc0 | (unit >>> 6)
        else {
          bytes[at++] = 0xe0 | (unit >>> 12)
          bytes[at++] = 0x80 | ((unit >>> 6) & 0x3f)
        }
        bytes[at++] = 0x80 | (unit & 0x3f)
      }
    }
    return at
  }

  /** The place of the text behind the last one: where it is, or would be. */
  private slotOf(end: number): number {
    const start = this.starts[this.count]!
    const last = this.slots.length - 1
    let slot = this.hash(start, end) & last
    while (this.slots[slot] !== 0 && !this.isSame(this.slots[slot]! - 1, start, end)) {
      slot = (slot + 1) & last
    }
    return slot
  }

  private isSame(number: number, start: number, end: number): boolean {
    const { bytes } = this
    const from = this.starts[number]!
    if (this.starts[number + 1]! - from !== end - start) return false
    for (let i = end - start - 1; i >= 0; i--) {
      if (bytes[from + i] !== bytes[start + i]) return false
    }
    return true
  }

  private spread(): void {
    this.slots = new Uint32Array(this.slots.length * 2)
    const last = this.slots.length - 1
    for (let number = 0; number < this.count; number++) {
      // No two are the same: the first free place is its own.
      let slot = this.hash(this.starts[number]!, this.starts[number + 1]!) & last
      while (this.slots[slot] !== 0) slot = (slot + 1) & last
      this.slots[slot] = number + 1
    }
  }

  private hash(start: number, end: number): number {
    const { bytes } = this
    let hash = end - start
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, HASH_PRIME)
    return hash ^ (hash >>> 15)
  }
}

const HASH_PRIME = 0x01000193
