import { z } from 'zod'
import type { Fault } from '../domain/fault.ts'
import { DIMS_MAX, quantise, type Vector } from '../domain/vector.ts'
import type { Embedder } from './embedder.ts'
import { semanticFault } from './semantic-fault.ts'

export type HttpEmbedderSettings = {
  /** AV_EMBED_URL: an http(s) address, of the server, of its `/v1`, or of `/v1/embeddings`. */
  readonly url: string
  /** AV_EMBED_MODEL, as the server knows it. */
  readonly model: string
  /** AV_EMBED_KEY, sent as a bearer token; '' sends none. */
  readonly key: string
  /** For one request. */
  readonly timeoutMs?: number
}

/**
 * An embedder behind any address that speaks OpenAI's `POST /v1/embeddings` (Ollama, LM Studio, a
 * hosted one). Vectors are rounded to int8 on arrival; whoever calls keeps them by `id` and text, so
 * that an answer that differs next time changes nothing. Nothing is tried twice, and no redirect is
 * followed: the texts go to the address that was set, or nowhere.
 */
export class HttpEmbedder implements Embedder {
  readonly id: string
  private readonly endpoint: string
  private readonly timeoutMs: number

  constructor(private readonly settings: HttpEmbedderSettings) {
    this.id = `http-${settings.model}`
    this.endpoint = endpointOf(settings.url)
    this.timeoutMs = settings.timeoutMs ?? TIMEOUT_MS
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly (Vector | null)[]> {
    const asked = texts.map((text) => text.trim())
    const vectors: (Vector | null)[] = texts.map(() => null)
    // An empty input is an error to some servers, and says nothing to all.
    const places = asked.flatMap((text, place) => (text === '' ? [] : [place]))
    for (const batch of batchesOf(places, (place) => asked[place]!.length)) {
      const answers = await this.ask(
        batch.map((place) => asked[place]!),
        signal,
      )
      batch.forEach((place, at) => {
        vectors[place] = quantise(answers[at]!)
      })
    }
    return vectors
  }

  private async ask(input: readonly string[], signal?: AbortSignal): Promise<readonly number[][]> {
    const { model, key } = this.settings
    const timeout = AbortSignal.timeout(this.timeoutMs)
    let response: Response
    let text: string
    try {
      response = await fetch(this.endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, input, encoding_format: 'float' }),
        redirect: 'error',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      text = await readAtMost(response, ANSWER_BYTES_MAX)
    } catch (error) {
      if (signal?.aborted) throw error
      if (error instanceof TooLong) throw this.badAnswer('is too long')
      throw this.unreachable(
        timeout.aborted ? `said nothing for ${this.timeoutMs} ms` : null,
        error,
      )
    }
    if (!response.ok) throw this.refusal(response.status)
    return this.read(text, input.length)
  }

  private read(text: string, wanted: number): readonly number[][] {
    const parsed = ANSWER.safeParse(jsonOf(text))
    if (!parsed.success) throw this.badAnswer('is not one of /v1/embeddings')
    const rows: number[][] = []
    for (const { index, embedding } of parsed.data.data) rows[index] = embedding
    const length = rows[0]?.length
    const whole = rows.length === wanted && parsed.data.data.length === wanted
    if (!whole || rows.some((row) => row?.length !== length)) {
      throw this.badAnswer(`has not one vector of one length for each of ${wanted} texts`)
    }
    return rows
  }

  private refusal(status: number): Fault {
    if (status === 401 || status === 403) {
      return semanticFault(
        'embedder_refused',
        `The embedding server at AV_EMBED_URL refused the key (HTTP ${status}).`,
        'Set AV_EMBED_KEY to a key of that server. Packs go on without semantic search.',
      )
    }
    if (status === 404 || status === 400 || status === 422) {
      return this.badAnswer(`is HTTP ${status}; perhaps it has no model ${this.settings.model}`)
    }
    return this.unreachable(`answered HTTP ${status}`)
  }

  private unreachable(how: string | null, cause?: unknown): Fault {
    return semanticFault(
      'embedder_unreachable',
      `The embedding server at AV_EMBED_URL ${how ?? 'cannot be reached'}.`,
      'Start it, or unset AV_EMBED_URL for the built-in table. Packs go on without semantic search.',
      cause,
    )
  }

  private badAnswer(what: string): Fault {
    return semanticFault(
      'embedder_bad_answer',
      `The answer of the embedding server at AV_EMBED_URL ${what}.`,
      'Check AV_EMBED_URL and AV_EMBED_MODEL. Packs go on without semantic search.',
    )
  }
}

/** What to tell a person whose texts go to another machine; null when they stay on this one. */
export function departureWarning(url: string): string | null {
  const { hostname, host } = new URL(url)
  if (LOOPBACK.test(hostname)) return null
  return `AV_EMBED_URL is another machine: the texts of goals, records and code outlines go to ${host}.`
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const TIMEOUT_MS = 30_000
const BATCH_TEXTS_MAX = 64
const BATCH_CHARS_MAX = 64_000
/** 64 vectors of 8,192 numbers in decimal take some 10 MB. */
const ANSWER_BYTES_MAX = 32_000_000

const ANSWER = z.object({
  data: z.array(
    z.object({
      index: z.number().int().min(0).max(BATCH_TEXTS_MAX),
      embedding: z.array(z.number()).min(1).max(DIMS_MAX),
    }),
  ),
})

function endpointOf(address: string): string {
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith('/embeddings')) url.pathname = path
  else url.pathname = path === '' ? '/v1/embeddings' : `${path}/embeddings`
  return url.href
}

/** In order, each within both bounds; a text that is over by itself goes alone. */
function* batchesOf(places: readonly number[], chars: (place: number) => number) {
  let batch: number[] = []
  let size = 0
  for (const place of places) {
    const more = chars(place)
    if (batch.length >= BATCH_TEXTS_MAX || (batch.length > 0 && size + more > BATCH_CHARS_MAX)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(place)
    size += more
  }
  if (batch.length > 0) yield batch
}

class TooLong extends Error {}

async function readAtMost(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new TooLong()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
