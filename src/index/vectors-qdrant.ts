import type { QdrantClient } from '@qdrant/js-client-rest'
import type { Fault } from '../domain/fault.ts'
import { dot, type Vector } from '../domain/vector.ts'
import type { VectorKey } from '../domain/vector-key.ts'
import { openQdrant, type QdrantAddress, qdrantFault, statusOf } from './qdrant-connection.ts'
import {
  collectionOf,
  isKnownVersion,
  MARK,
  markOf,
  matches,
  POINT,
  pointOf,
  VECTOR_PARAMS,
  VERSION,
} from './qdrant-points.ts'
import { semanticFault } from './semantic-fault.ts'
import { byCloseness, type VectorEntry, type VectorHit, type VectorIndex } from './vectors.ts'

export type QdrantSettings = QdrantAddress & {
  /** The embedder's `id`: another one has another collection. */
  readonly embedder: string
  /** Dimensions of its vectors. */
  readonly dims: number
  readonly searchTimeoutMs?: number
}

/**
 * The vectors in a Qdrant server, in one collection for each embedder and dimension, all repos of it
 * side by side. No text goes there: a point is a vector, its repo's id, and the hash of its text.
 *
 * The vectors are stored as float32 and compared by `Dot` with `exact`: on vectors of `quantise` that
 * is integer arithmetic, and `av` computes every score again, so that lists are those of
 * `MemoryVectors`. Nothing is tried twice.
 */
export class QdrantVectors implements VectorIndex {
  readonly collection: string
  private readonly reader: Promise<QdrantClient>
  private readonly writer: Promise<QdrantClient>
  private ready: Promise<void> | null = null
  /** Of arrays of keys that were searched among. */
  private wanted = new WeakMap<readonly VectorKey[], Wanted>()

  constructor(private readonly settings: QdrantSettings) {
    this.collection = collectionOf(settings.embedder, settings.dims)
    this.reader = openQdrant(settings, settings.searchTimeoutMs ?? SEARCH_TIMEOUT_MS)
    this.writer = openQdrant(settings, WRITE_TIMEOUT_MS)
    for (const client of [this.reader, this.writer]) client.catch(() => undefined)
  }

  position(repo: string): Promise<number> {
    return this.use(async (client) => {
      const ids = [markOf(repo)]
      const [mark] = await client.retrieve(this.collection, { ids, with_payload: true })
      return mark === undefined ? -1 : MARK.parse(mark.payload).position
    })
  }

  async upsert(repo: string, entries: readonly VectorEntry[], position: number | null) {
    const { dims } = this.settings
    for (const { vector } of entries)
      if (vector.length !== dims) throw otherDims(vector.length, dims)
    await this.use(async (_, client) => {
      for (const some of slices(entries, UPSERT_POINTS_MAX)) {
        const points = some.map(({ key, vector }) => ({
          id: pointOf(repo, key),
          vector: [...vector],
          payload: { repo, key },
        }))
        await client.upsert(this.collection, { wait: true, points })
      }
      if (position === null) return
      const vector = new Array<number>(dims).fill(0)
      const mark = { id: markOf(repo), vector, payload: { marks: repo, position } }
      await client.upsert(this.collection, { wait: true, points: [mark] })
    })
  }

  missing(repo: string, keys: readonly VectorKey[]): Promise<readonly VectorKey[]> {
    return this.use(async (client) => {
      const there = new Set<string>()
      for (const some of slices(keys, IDS_MAX)) {
        const ids = some.map((key) => pointOf(repo, key))
        const found = await client.retrieve(this.collection, { ids, with_payload: false })
        for (const { id } of found) there.add(String(id))
      }
      return keys.filter((key) => !there.has(pointOf(repo, key)))
    })
  }

  async delete(repo: string, keys: readonly VectorKey[]): Promise<void> {
    this.wanted = new WeakMap()
    await this.use(async (_, client) => {
      for (const some of slices(keys, IDS_MAX)) {
        const points = some.map((key) => pointOf(repo, key))
        await client.delete(this.collection, { wait: true, points })
      }
    })
  }

  async clear(repo: string): Promise<void> {
    this.wanted = new WeakMap()
    await this.use(async (_, client) => {
      const filter = { should: [matches('repo', repo), matches('marks', repo)] }
      await client.delete(this.collection, { wait: true, filter })
    })
  }

  count(repo: string): Promise<number> {
    return this.use(async (client) => {
      const filter = { must: [matches('repo', repo)] }
      return (await client.count(this.collection, { exact: true, filter })).count
    })
  }

  async search(
    repo: string,
    query: Vector,
    among: readonly VectorKey[] | null,
    limit: number,
  ): Promise<readonly VectorHit[]> {
    const { dims } = this.settings
    if (query.length !== dims) throw otherDims(query.length, dims)
    if (limit < 1 || among?.length === 0) return []
    const wanted = among === null ? null : this.wantedOf(repo, among)
    const only = wanted === null ? [] : [{ has_id: wanted.ids }]
    const filter = { must: [matches('repo', repo), ...only] }
    return this.use(async (client) => {
      // Of points that score alike Qdrant picks by its own order: all that tie with the last wanted
      // one must be seen before ours decides.
      for (let asked = limit + SPARE; ; asked = Math.min(4 * asked, ASKED_MAX)) {
        const { points } = await client.query(this.collection, {
          ...{ query: [...query], filter, limit: asked, params: { exact: true } },
          ...{ with_payload: ['key'], with_vector: true },
        })
        const hits = points.map((point) => this.rescored(query, point)).sort(byCloseness)
        const last = hits.at(-1)
        const isWhole = hits.length < asked || last!.score < hits[limit - 1]!.score
        if (!isWhole && asked < ASKED_MAX) continue
        if (wanted !== null) await this.checkStillThere(client, wanted, filter)
        return hits.slice(0, limit)
      }
    })
  }

  /**
   * Another daemon may have cleared the repo, or someone the collection, and this one or that made it
   * anew: no answer tells, and a list of what is left would pass for the whole.
   */
  private async checkStillThere(
    client: QdrantClient,
    wanted: Wanted,
    filter: Filter,
  ): Promise<void> {
    const { count } = await client.count(this.collection, { exact: true, filter })
    const before = wanted.there
    wanted.there = count
    if (count < before) throw gone()
  }

  private wantedOf(repo: string, among: readonly VectorKey[]): Wanted {
    const known = this.wanted.get(among)
    if (known?.repo === repo) return known
    const fresh = { repo, ids: among.map((key) => pointOf(repo, key)), there: 0 }
    this.wanted.set(among, fresh)
    return fresh
  }

  private rescored(query: Vector, point: unknown): VectorHit {
    const { payload, vector } = POINT.parse(point)
    if (vector.length !== query.length) throw otherDims(vector.length, query.length)
    return { key: payload.key as VectorKey, score: dot(query, Int8Array.from(vector), 0) }
  }

  /** @param work gets a client that waits as long as a search may, and one that waits for writes */
  private async use<T>(
    work: (reader: QdrantClient, writer: QdrantClient) => Promise<T>,
  ): Promise<T> {
    let isOpen = false
    try {
      const [reader, writer] = await Promise.all([this.reader, this.writer])
      this.ready ??= this.open(writer)
      await this.ready
      isOpen = true
      return await work(reader, writer)
    } catch (error) {
      // Whatever went wrong: the collection may be another one when it works again.
      this.ready = null
      throw isOpen && statusOf(error) === 404 ? gone(error) : qdrantFault(error)
    }
  }

  /** Finds the collection or makes it. */
  private async open(client: QdrantClient): Promise<void> {
    const { version } = VERSION.parse(await client.versionInfo())
    if (!isKnownVersion(version)) throw otherVersion(version)
    if (!(await client.collectionExists(this.collection)).exists) await this.create(client)
    const { config } = await client.getCollection(this.collection)
    const vectors = VECTOR_PARAMS.safeParse(config.params.vectors)
    if (!vectors.success) throw this.otherCollection()
    const { size, distance } = vectors.data
    if (size !== this.settings.dims || distance !== 'Dot') throw this.otherCollection()
  }

  private async create(client: QdrantClient): Promise<void> {
    try {
      await client.createCollection(this.collection, {
        vectors: { size: this.settings.dims, distance: 'Dot', datatype: 'float32' },
        // All searches are exact: no graph is built for them.
        hnsw_config: { m: 0 },
      })
    } catch (error) {
      // Another daemon may have made it in between; whether it fits is looked at next.
      if (statusOf(error) !== 409 && !(await client.collectionExists(this.collection)).exists) {
        throw error
      }
    }
    for (const field_name of ['repo', 'marks']) {
      await client.createPayloadIndex(this.collection, {
        ...{ wait: true, field_name, field_schema: 'keyword' },
      })
    }
  }

  private otherCollection(): Fault {
    return semanticFault(
      'vectors_mismatch',
      `The collection ${this.collection} in Qdrant is not one that this av made.`,
      'Delete it there, or set AV_QDRANT_URL to another server. Packs go on without semantic search.',
    )
  }
}

/** The points that an array of keys names, and how many of them the last search found there. */
type Wanted = { readonly repo: string; readonly ids: string[]; there: number }
type Filter = NonNullable<NonNullable<Parameters<QdrantClient['count']>[1]>['filter']>

/** Parts of at most `max`, in order. */
function slices<T>(all: readonly T[], max: number): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let start = 0; start < all.length; start += max) parts.push(all.slice(start, start + max))
  return parts
}

function otherDims(given: number, kept: number): Fault {
  return semanticFault(
    'vectors_mismatch',
    `A vector has ${given} dimensions; those in Qdrant have ${kept}.`,
    'The model behind AV_EMBED_MODEL changed under its name: `av reindex` makes all vectors anew.',
  )
}

function gone(cause?: unknown): Fault {
  return semanticFault(
    'vectors_gone',
    'Vectors that were put into Qdrant are no longer there: someone deleted them.',
    'The next pack puts them in again.',
    cause,
  )
}

function otherVersion(version: string): Fault {
  return semanticFault(
    'vectors_mismatch',
    `Qdrant at AV_QDRANT_URL has version ${version.slice(0, 40)}; av knows 1.10 to 1.x.`,
    'Use another Qdrant, or unset AV_QDRANT_URL to search in the daemon.',
  )
}

/** A pack waits no longer than this for its semantic lists. */
const SEARCH_TIMEOUT_MS = 2_000
const WRITE_TIMEOUT_MS = 30_000
const UPSERT_POINTS_MAX = 256
const IDS_MAX = 2_000
/** How many more than wanted are asked for at first, and the most that are. */
const SPARE = 32
const ASKED_MAX = 100_000
