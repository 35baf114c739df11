/**
 * Which documents hold which term, how often: the store under `bm25`. Documents are added and
 * removed in groups (the symbols of a file are one), whose members keep consecutive numbers. A
 * removed group leaves a tombstone; when a quarter is dead everything is rewritten, and numbers move.
 *
 * Everything lies in a few typed arrays: ten million postings take about 60 MB.
 */
export class Postings {
  /** Chunks of a term's postings: [next chunk or 0, capacity, posting…]. Address 0 is never used. */
  private arena = new Uint32Array(1 << 12)
  private arenaEnd = 1
  private head = new Uint32Array(1 << 10)
  private tail = new Uint32Array(1 << 10)
  private fill = new Uint32Array(1 << 10)
  private lengths = new Uint32Array(1 << 10)
  private groups: Group[] = []
  private docs = 0
  private dead = 0
  /** Rises when documents go or move: what was derived from their numbers is stale then. */
  private edition = 0
  private whole: Selection | null = null

  /** Adds one group; a document is its terms' numbers (each once) and how often each occurs. */
  add(documents: readonly TermCounts[]): Group {
    if (this.docs + documents.length > DOCS_MAX) throw new RangeError('too many documents')
    const group: Group = { start: this.docs, size: documents.length, live: true }
    this.groups.push(group)
    for (const document of documents) this.addDocument(document)
    return group
  }

  /** Does nothing to a group that is gone already. */
  remove(group: Group): void {
    if (!group.live) return
    group.live = false
    this.dead += group.size
    this.edition++
    if (this.dead >= COMPACT_MIN && this.dead * 4 >= this.docs) this.compact()
  }

  /** The documents of the live ones among `groups`, as a search needs them. */
  select(groups: readonly Group[]): Selection {
    return new Selection(this, groups)
  }

  /** Every live document, those added later too. */
  everything(): Selection {
    this.whole ??= new Selection(this, null)
    return this.whole
  }

  /** The group a document number belongs to. */
  groupAt(doc: number): Group | undefined {
    let low = 0
    let high = this.groups.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const group = this.groups[middle]!
      if (doc < group.start) high = middle - 1
      else if (doc >= group.start + group.size) low = middle + 1
      else return group
    }
    return undefined
  }

  /** In the order they were added, gone ones among them. */
  get all(): readonly Group[] {
    return this.groups
  }

  get size(): number {
    return this.docs - this.dead
  }

  /** Numbers given out so far; every document's is below it. */
  get numbers(): number {
    return this.docs
  }

  get version(): number {
    return this.edition
  }

  get bytes(): number {
    return 4 * (this.arena.length + 3 * this.head.length + this.lengths.length)
  }

  lengthOf(doc: number): number {
    return this.lengths[doc]!
  }

  /**
   * Writes the postings of `term` whose document `mask` holds to `into` (which has room for every
   * document), each as document × 256 + count; returns how many.
   */
  collect(term: number, mask: Uint8Array, into: Uint32Array): number {
    let found = 0
    let chunk = term < this.head.length ? this.head[term]! : 0
    const { arena } = this
    while (chunk !== 0) {
      const next = arena[chunk]!
      const end = next === 0 ? this.fill[term]! : chunk + 2 + arena[chunk + 1]!
      for (let at = chunk + 2; at < end; at++) {
        const posting = arena[at]!
        if (mask[posting >>> 8] === 1) into[found++] = posting
      }
      chunk = next
    }
    return found
  }

  private addDocument(document: TermCounts): void {
    const { ids, counts } = document
    const doc = this.docs++
    let length = 0
    for (let i = 0; i < ids.length; i++) {
      const count = counts[i]!
      length += count
      this.append(ids[i]!, doc * 256 + Math.min(count, COUNT_MAX))
    }
    this.lengths = grown(this.lengths, doc + 1)
    this.lengths[doc] = length
  }

  private append(term: number, posting: number): void {
    if (term >= this.head.length) {
      this.head = grown(this.head, term + 1)
      this.tail = grown(this.tail, term + 1)
      this.fill = grown(this.fill, term + 1)
    }
    const last = this.tail[term]!
    const capacity = last === 0 ? 0 : this.arena[last + 1]!
    if (last === 0 || this.fill[term] === last + 2 + capacity) {
      const chunk = this.chunk(Math.min(CHUNK_MAX, last === 0 ? 1 : capacity * 2 + 2))
      if (last === 0) this.head[term] = chunk
      else this.arena[last] = chunk
      this.tail[term] = chunk
      this.fill[term] = chunk + 2
    }
    this.arena[this.fill[term]!] = posting
    this.fill[term]!++
  }

  private chunk(capacity: number): number {
    const at = this.arenaEnd
    this.arenaEnd += capacity + 2
    this.arena = grown(this.arena, this.arenaEnd)
    this.arena[at + 1] = capacity
    return at
  }

  private compact(): void {
    const moved = new Uint32Array(this.docs)
    const kept = new Uint8Array(this.docs)
    let next = 0
    this.groups = this.groups.filter((group) => group.live)
    for (const group of this.groups) {
      for (let i = 0; i < group.size; i++) {
        kept[group.start + i] = 1
        moved[group.start + i] = next + i
        this.lengths[next + i] = this.lengths[group.start + i]!
      }
      group.start = next
      next += group.size
    }
    const old = this.replaceArena()
    const scratch = new Uint32Array(this.docs)
    for (let term = 0; term < this.head.length; term++) {
      const found = old.collect(term, kept, scratch)
      if (found === 0) continue
      const chunk = this.chunk(found)
      this.head[term] = chunk
      this.tail[term] = chunk
      this.fill[term] = chunk + 2 + found
      for (let i = 0; i < found; i++) {
        const posting = scratch[i]!
        this.arena[chunk + 2 + i] = moved[posting >>> 8]! * 256 + (posting & 255)
      }
    }
    this.docs = next
    this.dead = 0
  }

  /** Takes the postings out into a second object, to be read from while these are written anew. */
  private replaceArena(): Postings {
    const old = new Postings()
    old.arena = this.arena
    old.head = this.head
    old.fill = this.fill
    this.arena = new Uint32Array(1 << 12)
    this.arenaEnd = 1
    this.head = new Uint32Array(old.head.length)
    this.tail = new Uint32Array(old.head.length)
    this.fill = new Uint32Array(old.head.length)
    return old
  }
}

/** A document's terms: `ids[i]` occurs `counts[i]` times, no id twice. */
export type TermCounts = {
  readonly ids: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** A handle on documents added together. `start` moves when the dead are swept out. */
export type Group = {
  start: number
  readonly size: number
  live: boolean
}

/** Some of the documents, and what a score needs to know of them as a whole. */
export class Selection {
  private madeAt = -1
  private madeOf = -1
  private marks = new Uint8Array(0)
  private documents = 0
  private words = 0

  constructor(
    readonly postings: Postings,
    private readonly groups: readonly Group[] | null,
  ) {}

  /** 1 for each document number that is in. */
  get mask(): Uint8Array {
    this.refresh()
    return this.marks
  }

  get size(): number {
    this.refresh()
    return this.documents
  }

  /** Terms in all documents together. */
  get length(): number {
    this.refresh()
    return this.words
  }

  private refresh(): void {
    const { version, numbers } = this.postings
    if (this.madeAt === version && (this.groups !== null || this.madeOf === numbers)) return
    this.madeAt = version
    this.madeOf = numbers
    this.marks = new Uint8Array(numbers)
    this.documents = 0
    this.words = 0
    for (const group of this.groups ?? this.postings.all) if (group.live) this.mark(group)
  }

  private mark(group: Group): void {
    for (let doc = group.start; doc < group.start + group.size; doc++) {
      if (this.marks[doc] === 1) continue
      this.marks[doc] = 1
      this.documents++
      this.words += this.postings.lengthOf(doc)
    }
  }
}

/** Gives each term a number. Numbers are never given back: a daemon that rests forgets them all. */
export class Dictionary {
  private readonly numbers = new Map<string, number>()

  number(term: string): number {
    const known = this.numbers.get(term)
    if (known !== undefined) return known
    const next = this.numbers.size
    this.numbers.set(term, next)
    return next
  }

  find(term: string): number | undefined {
    return this.numbers.get(term)
  }

  get size(): number {
    return this.numbers.size
  }
}

const COUNT_MAX = 255
const DOCS_MAX = 1 << 24
const CHUNK_MAX = 1 << 12
const COMPACT_MIN = 1_000

function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array
  const larger = new Uint32Array(Math.max(length, Math.ceil(array.length * 1.5)))
  larger.set(array)
  return larger
}
