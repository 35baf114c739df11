import { nthHighest } from './nth-highest.ts'
import { type Dictionary, DOCS_MAX, type Selection } from './postings.ts'

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
  const { lengths } = postings
  const asked = JSON.stringify([postings.version, postings.numbers, params.b, query])
  const before = lastSearch.get(among)
  if (before?.asked === asked && before.depth >= limit) return before.hits.slice(0, limit)
  const room = scratchFor(postings.numbers)
  const meanLength = among.length / among.size
  const flat = K1 * (1 - params.b)
  const perWord = (K1 * params.b) / meanLength
  const { scores, postings: found, touched } = room
  let count = 0
  for (const { term, weight } of query) {
    const number = dictionary.find(term)
    if (number === undefined) continue
    const holding = postings.collect(number, mask, found)
    if (holding === 0) continue
    const idf = Math.round(IDF_ONE * Math.log(1 + (among.size - holding + 0.5) / (holding + 0.5)))
    const gain = idf * (K1 + 1) * weight
    for (let i = 0; i < holding; i++) {
      const posting = found[i]!
      const doc = posting >>> 8
      const times = posting & 255
      const norm = flat + perWord * lengths[doc]!
      const before = scores[doc]!
      if (before === 0) touched[count++] = doc
      // Rounded, and at least 1: a document that holds a term is found.
      scores[doc] = before + (((gain * times) / (times + norm) + 0.5) | 0 || 1)
    }
  }
  const depth = Math.max(limit, DEPTH_MIN)
  const hits = best(room, count, depth, byKey)
  for (let i = 0; i < count; i++) scores[touched[i]!] = 0
  lastSearch.set(among, { asked, depth, hits })
  return hits.slice(0, limit)
}

/** A pack searches the same for the same several times, and not always as deep. */
const lastSearch = new WeakMap<
  Selection,
  { readonly asked: string; readonly depth: number; readonly hits: readonly Hit[] }
>()
/** Hardly more work than less: who asks for more of the same later has it. */
const DEPTH_MIN = 300

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
  readonly scores: Uint32Array
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
    scores: new Uint32Array(documents),
    touched: new Uint32Array(documents),
  }
}

/**
 * The first `limit` of the documents touched, by score, then by key. A key costs far more to look up
 * than a score: it is asked for only among those that score alike.
 */
function best(
  room: Scratch,
  count: number,
  limit: number,
  byKey: (docA: number, docB: number) => number,
): Hit[] {
  const { scores, touched } = room
  const floor = count > limit ? nthHighest(scoresOf(room, count), limit) : 0
  const better: number[] = []
  const level: number[] = []
  for (let i = 0; i < count; i++) {
    const doc = touched[i]!
    const score = scores[doc]!
    if (score > floor) better.push(doc - score * DOCS_MAX)
    else if (score === floor) level.push(doc)
  }
  const hits: Hit[] = []
  // As numbers: the highest score first.
  for (const number of Float64Array.from(better).sort()) {
    const score = -Math.floor(number / DOCS_MAX)
    hits.push({ doc: number + score * DOCS_MAX, score })
  }
  for (const doc of firstByKey(level, limit - hits.length, byKey)) hits.push({ doc, score: floor })
  return sortAlike(hits, byKey)
}

/** Those of the documents touched. */
function scoresOf({ scores, touched, postings }: Scratch, count: number): Uint32Array {
  // The postings were read by now.
  const values = postings.subarray(0, count)
  for (let i = 0; i < count; i++) values[i] = scores[touched[i]!]!
  return values
}

/** Those of one score by key; `hits` go by score already. */
function sortAlike(hits: Hit[], byKey: (docA: number, docB: number) => number): Hit[] {
  for (let from = 0, to = 1; from < hits.length; from = to++) {
    while (to < hits.length && hits[to]!.score === hits[from]!.score) to++
    if (to - from === 1) continue
    const alike = hits.slice(from, to).sort((a, b) => byKey(a.doc, b.doc))
    for (const [at, hit] of alike.entries()) hits[from + at] = hit
  }
  return hits
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
