import { grownWords } from './grown-array.ts'

/**
 * The postings of each term, in the order they came: document × 256 + count. A term has a chain of
 * chunks, [address of the next or 0, posting…], each half as large again as the one before: about a
 * fifth of the room is empty. Chunks lie in blocks, so that nothing is copied to make room for more.
 */
export class PostingChunks {
  private readonly blocks: Uint32Array[] = []
  /** Where the next chunk begins. Address 0 is never used. */
  private end = 1
  /** Of each term: its first chunk, the place behind its last posting, and `room`. */
  private first = new Uint32Array(TERMS_MIN)
  private place = new Uint32Array(TERMS_MIN)
  /** Which of `CAPACITIES` the last chunk has, times 65,536, and how many places in it are free. */
  private room = new Uint32Array(TERMS_MIN)

  append(term: number, posting: number): void {
    if (term >= this.first.length) {
      this.first = grownWords(this.first, term + 1)
      this.place = grownWords(this.place, term + 1)
      this.room = grownWords(this.room, term + 1)
    }
    if ((this.room[term]! & FREE_MASK) === 0) this.addChunk(term)
    const at = this.place[term]!
    this.blocks[at >>> BLOCK_BITS]![at & BLOCK_MASK] = posting
    this.place[term] = at + 1
    this.room[term]!--
  }

  /**
   * Writes the postings of `term` whose document `mask` holds to `into` (which has room for every
   * document); returns how many.
   */
  collect(term: number, mask: Uint8Array, into: Uint32Array): number {
    let found = 0
    let chunk = term < this.first.length ? this.first[term]! : 0
    for (let step = 0; chunk !== 0; step++) {
      const block = this.blocks[chunk >>> BLOCK_BITS]!
      const start = chunk & BLOCK_MASK
      chunk = block[start]!
      const free = chunk === 0 ? this.room[term]! & FREE_MASK : 0
      const end = start + 1 + capacityAt(step) - free
      for (let at = start + 1; at < end; at++) {
        const posting = block[at]!
        if (mask[posting >>> 8] === 1) into[found++] = posting
      }
    }
    return found
  }

  /** Every term's number is below it. */
  get terms(): number {
    return this.first.length
  }

  get bytes(): number {
    return this.blocks.reduce((sum, block) => sum + block.byteLength, 3 * this.first.byteLength)
  }

  private addChunk(term: number): void {
    const isFirst = this.first[term] === 0
    const step = isFirst ? 0 : Math.min((this.room[term]! >>> FREE_BITS) + 1, STEPS - 1)
    const capacity = capacityAt(step)
    const chunk = this.allot(1 + capacity)
    if (isFirst) this.first[term] = chunk
    else {
      const before = this.place[term]! - 1 - capacityAt(this.room[term]! >>> FREE_BITS)
      this.blocks[before >>> BLOCK_BITS]![before & BLOCK_MASK] = chunk
    }
    this.place[term] = chunk + 1
    this.room[term] = (step << FREE_BITS) | capacity
  }

  /** So many words in a row, in one block. */
  private allot(words: number): number {
    if ((this.end & BLOCK_MASK) + words > BLOCK) this.end = (this.end | BLOCK_MASK) + 1
    const at = this.end
    this.end += words
    const number = at >>> BLOCK_BITS
    const needed = (at & BLOCK_MASK) + words
    // Most indexes stay small: the first block grows into its size.
    const block = this.blocks[number] ?? new Uint32Array(number === 0 ? BLOCK_MIN : BLOCK)
    this.blocks[number] = needed <= block.length ? block : doubled(block, needed)
    return at
  }
}

/** 1 MB. */
const BLOCK_BITS = 18
const BLOCK = 1 << BLOCK_BITS
const BLOCK_MASK = BLOCK - 1
const BLOCK_MIN = 1 << 10
const TERMS_MIN = 1 << 8
const FREE_BITS = 16
const FREE_MASK = (1 << FREE_BITS) - 1

/** Of a chain's chunks, one after the other; the last is that of all that follow. */
const CAPACITIES = Uint32Array.from([
  ...[
    1, 2, 3, 4, 6, 9, 14, 21, 31, 47, 70, 105, 158, 237, 355, 533, 799, 1_199, 1_798, 2_697, 4_096,
  ],
])
const STEPS = CAPACITIES.length

function doubled(block: Uint32Array, needed: number): Uint32Array {
  const larger = new Uint32Array(Math.min(BLOCK, Math.max(needed, block.length * 2)))
  larger.set(block)
  return larger
}

function capacityAt(step: number): number {
  return CAPACITIES[Math.min(step, STEPS - 1)]!
}
