import type { FileIndex } from '../../src/domain/code.ts'
import { Dictionary } from '../../src/domain/postings.ts'

/**
 * Random indexing: vectors of terms learnt from the repository alone. Each document gets a few random
 * signed places among 256, a term is the sum over the documents that hold it, a text the sum of its
 * terms by their inverse document frequency. The documents are the symbols of the files.
 */
export class RandomIndexing {
  private readonly dictionary = new Dictionary()
  private readonly known = new WeakMap<FileIndex, readonly Document[]>()

  /** The files of the `symbolsMax` symbols that are most like the query, best first. */
  filesBySymbol(
    files: readonly { readonly path: string; readonly index: FileIndex }[],
    query: readonly string[],
    symbolsMax: number,
  ): string[] {
    const owner: string[] = []
    const documents: Document[] = []
    for (const { path, index } of files) {
      for (const document of this.documentsOf(index)) {
        owner.push(path)
        documents.push(document)
      }
    }
    const terms = query.flatMap((term) => this.dictionary.find(term) ?? [])
    const scores = similarities(documents, terms, this.dictionary.size)
    const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
    return [...new Set(order.slice(0, symbolsMax).map((at) => owner[at]!))]
  }

  private documentsOf(index: FileIndex): readonly Document[] {
    const known = this.known.get(index)
    if (known !== undefined) return known
    const numbers = index.words.map((word) => this.dictionary.number(word))
    const documents = index.symbols.map(({ words }) => ({
      ids: Uint32Array.from({ length: words.length / 2 }, (_, at) => numbers[words[at * 2]!]!),
      counts: Uint32Array.from({ length: words.length / 2 }, (_, at) => words[at * 2 + 1]!),
    }))
    this.known.set(index, documents)
    return documents
  }
}

type Document = { readonly ids: Uint32Array; readonly counts: Uint32Array }

const SIZE = 256
const PLACES = 8
/** Terms of fewer documents teach nothing, those of more than this share of them tell nothing apart. */
const DOCUMENTS_MIN = 2
const DOCUMENTS_SHARE_MAX = 0.2

function similarities(
  documents: readonly Document[],
  query: readonly number[],
  vocabulary: number,
): Float64Array {
  const frequency = new Uint32Array(vocabulary)
  for (const { ids } of documents) for (const id of ids) frequency[id]!++
  const vectors = termVectors(documents, frequency)
  const idf = Float64Array.from(frequency, (count) => Math.log(1 + documents.length / (1 + count)))
  const wanted = sumOf(query, vectors, idf)
  return Float64Array.from(documents, ({ ids }) => dot(sumOf(ids, vectors, idf), wanted))
}

function termVectors(
  documents: readonly Document[],
  frequency: Uint32Array,
): readonly (Float32Array | undefined)[] {
  const vectors: (Float32Array | undefined)[] = []
  let state = 12_345
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  for (const { ids, counts } of documents) {
    const places = Array.from({ length: PLACES }, () => ({
      at: next() % SIZE,
      sign: next() & 65_536 ? 1 : -1,
    }))
    for (const [nth, id] of ids.entries()) {
      const held = frequency[id]!
      if (held < DOCUMENTS_MIN || held > documents.length * DOCUMENTS_SHARE_MAX) continue
      vectors[id] ??= new Float32Array(SIZE)
      const vector = vectors[id]
      const weight = Math.log(1 + counts[nth]!)
      for (const { at, sign } of places) vector[at]! += sign * weight
    }
  }
  for (const vector of vectors) if (vector !== undefined) toLengthOne(vector)
  return vectors
}

function sumOf(
  ids: Iterable<number>,
  vectors: readonly (Float32Array | undefined)[],
  idf: Float64Array,
): Float32Array {
  const sum = new Float32Array(SIZE)
  for (const id of ids) {
    const vector = vectors[id]
    if (vector === undefined) continue
    const weight = idf[id]!
    for (let i = 0; i < SIZE; i++) sum[i]! += weight * vector[i]!
  }
  toLengthOne(sum)
  return sum
}

function toLengthOne(vector: Float32Array): void {
  const length = Math.sqrt(dot(vector, vector)) || 1
  for (let i = 0; i < SIZE; i++) vector[i]! /= length
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < SIZE; i++) sum += a[i]! * b[i]!
  return sum
}
