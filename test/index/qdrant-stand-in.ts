import { z } from 'zod'

/**
 * Answers the requests that `QdrantVectors` sends, as Qdrant's REST interface documents them, and no
 * others: a body with a key it does not know is HTTP 400. Points that score alike come in the order
 * of their ids backwards, so that a client which trusts that order fails.
 */
export class QdrantStandIn {
  readonly collections = new Map<string, Collection>()
  readonly requests: string[] = []
  version = '1.15.4'
  /** Set to answer everything so. */
  trouble: (() => Response | Promise<Response>) | null = null
  key = ''
  private readonly server

  constructor() {
    this.server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        this.requests.push(`${request.method} ${pathname}`)
        if (this.trouble !== null) return this.trouble()
        if (request.headers.get('api-key') !== (this.key || null)) return failed(401)
        const body: unknown = request.body === null ? {} : await request.json()
        try {
          return this.answer(request.method, pathname, body)
        } catch (error) {
          return failed(400, String(error))
        }
      },
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  async close(): Promise<void> {
    await this.server.stop(true)
  }

  private answer(method: string, path: string, body: unknown): Response {
    if (path === '/') return Response.json({ title: 'qdrant', version: this.version })
    const [, name, rest] = /^\/collections\/([\w-]+)(\/.*)?$/.exec(path) ?? []
    if (name === undefined) return failed(404)
    const collection = this.collections.get(name)
    const what = `${method} ${rest ?? ''}`
    if (what === 'GET /exists') return done({ exists: collection !== undefined })
    if (what === 'PUT ') {
      if (collection !== undefined) return failed(409)
      this.collections.set(name, new Collection(CREATE.parse(body).vectors))
      return done(true)
    }
    return collection === undefined ? failed(404) : collection.answer(what, body)
  }
}

class Collection {
  readonly points = new Map<string, Point>()

  constructor(readonly vectors: { readonly size: number; readonly distance: string }) {}

  answer(what: string, body: unknown): Response {
    if (what === 'GET ')
      return done({ status: 'green', config: { params: { vectors: this.vectors } } })
    if (what === 'PUT /index') return done(INDEX.parse(body) && { status: 'completed' })
    if (what === 'PUT /points') return this.upsert(UPSERT.parse(body).points)
    if (what === 'POST /points') return done(this.retrieve(RETRIEVE.parse(body).ids))
    if (what === 'POST /points/count') {
      return done({ count: this.select(COUNT.parse(body).filter).length })
    }
    if (what === 'POST /points/delete') {
      const { points, filter } = DELETE.parse(body)
      const ids = points ?? this.select(filter!).map(({ id }) => id)
      for (const id of ids) this.points.delete(id)
      return done({ status: 'completed' })
    }
    if (what === 'POST /points/query') return this.query(QUERY.parse(body))
    return failed(404)
  }

  private upsert(points: readonly Point[]): Response {
    if (points.some(({ vector }) => vector.length !== this.vectors.size)) return failed(400)
    for (const point of points) this.points.set(point.id, point)
    return done({ status: 'completed' })
  }

  private retrieve(ids: readonly string[]): readonly Point[] {
    return ids.flatMap((id) => this.points.get(id) ?? [])
  }

  private query({ query, filter, limit }: z.infer<typeof QUERY>): Response {
    if (query.length !== this.vectors.size) return failed(400)
    const points = this.select(filter)
      .map((point) => ({ ...point, version: 1, score: product(query, point.vector) }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
    return done({ points: points.slice(0, limit) })
  }

  private select({ must, should }: z.infer<typeof FILTER>): Point[] {
    const fits = (point: Point, condition: z.infer<typeof CONDITION>) =>
      'has_id' in condition
        ? condition.has_id.includes(point.id)
        : point.payload[condition.key] === condition.match.value
    return [...this.points.values()].filter(
      (point) =>
        (must ?? []).every((condition) => fits(point, condition)) &&
        (should === undefined || should.some((condition) => fits(point, condition))),
    )
  }
}

function product(a: readonly number[], b: readonly number[]): number {
  let sum = Math.fround(0)
  for (let i = 0; i < a.length; i++) sum = Math.fround(sum + Math.fround(a[i]! * b[i]!))
  return sum
}

const done = (result: unknown) => Response.json({ result, status: 'ok', time: 0.001 })
const failed = (status: number, error = 'failed') =>
  Response.json({ status: { error }, time: 0.001 }, { status })

const POINT = z.strictObject({
  id: z.uuid(),
  vector: z.array(z.number()),
  payload: z.record(z.string(), z.union([z.string(), z.number()])),
})
type Point = z.infer<typeof POINT>
const CONDITION = z.union([
  z.strictObject({ has_id: z.array(z.string()) }),
  z.strictObject({ key: z.string(), match: z.strictObject({ value: z.string() }) }),
])
const FILTER = z.strictObject({
  must: z.array(CONDITION).optional(),
  should: z.array(CONDITION).optional(),
})
const CREATE = z.strictObject({
  vectors: z.strictObject({
    size: z.number().int().min(1).max(65_535),
    distance: z.enum(['Dot', 'Cosine', 'Euclid', 'Manhattan']),
    datatype: z.literal('float32'),
  }),
  hnsw_config: z.strictObject({ m: z.number() }),
})
const INDEX = z.strictObject({ field_name: z.string(), field_schema: z.literal('keyword') })
const UPSERT = z.strictObject({ points: z.array(POINT) })
const RETRIEVE = z.strictObject({ ids: z.array(z.uuid()), with_payload: z.boolean() })
const COUNT = z.strictObject({ filter: FILTER, exact: z.literal(true) })
const DELETE = z.strictObject({ points: z.array(z.uuid()).optional(), filter: FILTER.optional() })
const QUERY = z.strictObject({
  query: z.array(z.number()),
  filter: FILTER,
  params: z.strictObject({ exact: z.literal(true) }),
  limit: z.number().int().min(1),
  with_payload: z.tuple([z.literal('key')]),
  with_vector: z.literal(true),
})
