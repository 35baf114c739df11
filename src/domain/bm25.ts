import type { Dictionary, Selection } from './postings.ts'

/**
 * BM25 in integers, best first, at most `limit`. What it counts (documents, document frequency,
 * mean length) is counted within `among`, so a score depends on the documents selected and on
 * nothing else that happens to be indexed, nor on the order in which it was.
 *
 * Each term's inverse document frequency is rounded to 1/1024, each contribution to an integer:
 * sums are exact, and no last bit of a logarithm decides an order.
 */
export function search(
  dictionary: Dictionary,
  among: Selection,
  query: readonly QueryTerm[],
  params: Bm25Params,
  limit: number,
  byKey: (docA: number, docB: number) => number,
): Hit[] {
  const { postings, mask } = among
  const asked = JSON.stringify([postings.version, postings.numbers, params.b, query])
  const before = lastSearch.get(among)
  if (before?.asked === asked && before.limit >= limit) return before.hits.slice(0, limit)
  const room = scratchFor(postings.numbers)
  const meanLength = among.length / among.size
  const flat = K1 * (1 - params.b)
  const perWord = (K1 * params.b) / meanLength
  let touched = 0
  for (const { term, weight } of query) {
    const number = dictionary.find(term)
    if (number === undefined) continue
    const found = postings.collect(number, mask, room.postings)
    if (found === 0) continue
    const idf = Math.round(IDF_ONE * Math.log(1 + (among.size - found + 0.5) / (found + 0.5)))
    const gain = idf * (K1 + 1) * weight
    for (let i = 0; i < found; i++) {
      const posting = room.postings[i]!
      const doc = posting >>> 8
      const count = posting & 255
      const norm = flat + perWord * postings.lengthOf(doc)
      if (room.scores[doc] === 0) room.touched[touched++] = doc
      room.scores[doc]! += Math.max(1, Math.round((gain * count) / (count + norm)))
    }
  }
  const hits = best(room, touched, limit, byKey)
  for (let i = 0; i < touched; i++) room.scores[room.touched[i]!] = 0
  lastSearch.set(among, { asked, limit, hits })
  return hits
}

/** A pack searches the same for the same several times, and not always as deep. */
const lastSearch = new WeakMap<
  Selection,
  { readonly asked: string; readonly limit: number; readonly hits: readonly Hit[] }
>()

/** A term and how much it counts; the same term must not come twice. */
export type QueryTerm = { readonly term: string; readonly weight: number }

/** `b`: how far a document's length speaks against it, 0 to 1. */
export type Bm25Params = { readonly b: number }

/** A document's number is good until its postings are changed. */
export type Hit = { readonly doc: number; readonly score: number }

export const K1 = 1.2
const IDF_ONE = 1024

type Scratch = {
  readonly postings: Uint32Array
  readonly scores: Float64Array
  readonly touched: Uint32Array
}

// Searches follow one another on one thread; the room they work in is kept, and left clean.
let scratch: Scratch = roomFor(1 << 12)

function scratchFor(documents: number): Scratch {
  if (documents > scratch.scores.length) scratch = roomFor(Math.ceil(documents * 1.25))
  return scratch
}

function roomFor(documents: number): Scratch {
  return {
    postings: new Uint32Array(documents),
    scores: new Float64Array(documents),
    touched: new Uint32Array(documents),
  }
}

/**
 * The first `limit` of the documents touched, by score, then by key. A key costs far more to look up
 * than a score: it is asked for only among those that score alike.
 */
function best(
  room: Scratch,
  touched: number,
  limit: number,
  byKey: (docA: number, docB: number) => number,
): Hit[] {
  if (limit < 1) return []
  const { scores } = room
  const floor = touched > limit ? scoreOfRank(room, touched, limit) : 0
  const better: number[] = []
  const level: number[] = []
  for (let i = 0; i < touched; i++) {
    const doc = room.touched[i]!
    if (scores[doc]! > floor) better.push(doc)
    else if (scores[doc] === floor) level.push(doc)
  }
  return [...better, ...firstByKey(level, limit - better.length, byKey)]
    .sort((a, b) => scores[b]! - scores[a]! || byKey(a, b))
    .map((doc) => ({ doc, score: scores[doc]! }))
}

/** The score that `rank - 1` of the documents touched are not below; by Hoare's selection. */
function scoreOfRank({ scores, touched, postings }: Scratch, count: number, rank: number): number {
  // The postings were read by now, and scores are whole numbers below 2^32.
  const values = postings
  for (let i = 0; i < count; i++) values[i] = scores[touched[i]!]!
  let left = 0
  let right = count - 1
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
    if (rank - 1 <= high) right = high
    else if (rank - 1 >= low) left = low
    else break
  }
  return values[rank - 1]!
}

/** In no order; a heap with the last one on top. */
function firstByKey(
  docs: readonly number[],
  limit: number,
  byKey: (docA: number, docB: number) => number,
): readonly number[] {
  if (docs.length <= limit) return docs
  const heap: number[] = []
  const later = (a: number, b: number) => byKey(a, b) > 0
  for (const doc of docs) {
    if (heap.length < limit) {
      heap.push(doc)
      siftUp(heap, later)
    } else if (limit > 0 && later(heap[0]!, doc)) {
      heap[0] = doc
      siftDown(heap, later)
    }
  }
  return heap
}

function siftUp(heap: number[], worse: (a: number, b: number) => boolean): void {
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!worse(heap[at]!, heap[parent]!)) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown(heap: number[], worse: (a: number, b: number) => boolean): void {
  let at = 0
  for (;;) {
    let worst = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && worse(heap[child]!, heap[worst]!)) worst = child
    }
    if (worst === at) return
    swap(heap, at, worst)
    at = worst
  }
}

function swap(heap: number[], a: number, b: number): void {
  const kept = heap[a]!
  heap[a] = heap[b]!
  heap[b] = kept
}
