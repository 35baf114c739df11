import type { QdrantClient } from '@qdrant/js-client-rest'
import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import { codeLine } from '../domain/sanitise.ts'
import { semanticFault } from './semantic-fault.ts'

export type QdrantAddress = {
  /** AV_QDRANT_URL: http(s); port 6333 unless it says another; a path is put before every route. */
  readonly url: string
  /** AV_QDRANT_API_KEY; '' sends none. */
  readonly apiKey: string
}

/** Loads the client's code and sets it up; sends nothing yet. */
export async function openQdrant(
  { url, apiKey }: QdrantAddress,
  timeoutMs: number,
): Promise<QdrantClient> {
  const { QdrantClient } = await import('@qdrant/js-client-rest')
  const { protocol, hostname, port, pathname } = new URL(url)
  return new QdrantClient({
    host: hostname,
    port: port === '' ? 6333 : Number(port),
    https: protocol === 'https:',
    prefix: pathname.replace(/\/+$/, ''),
    timeout: timeoutMs,
    // Given as `apiKey` over http, or with its own version check, the client would write to the console.
    ...(apiKey === '' ? {} : { headers: { 'api-key': apiKey } }),
    checkCompatibility: false,
  })
}

/** What stopped a request to Qdrant, as a Fault; anything that is none of it comes back as it is. */
export function qdrantFault(error: unknown): unknown {
  if (error instanceof Fault) return error
  const status = statusOf(error)
  if (status === 401 || status === 403) {
    return semanticFault(
      'vectors_refused',
      `Qdrant at AV_QDRANT_URL refused the key (HTTP ${status}).`,
      'Set AV_QDRANT_API_KEY to a key that may write. Packs go on without semantic search.',
      error,
    )
  }
  if (isStrange(error) || isRefusal(status)) {
    return semanticFault(
      'vectors_bad_answer',
      status === null
        ? 'Qdrant at AV_QDRANT_URL gave an answer that av does not know.'
        : `Qdrant at AV_QDRANT_URL refused what av asked (HTTP ${status}${saidBy(error)}).`,
      'Check that AV_QDRANT_URL is a Qdrant server. Packs go on without semantic search.',
      error,
    )
  }
  if (status === null && !isConnectionError(error)) return error
  return semanticFault(
    'vectors_unreachable',
    `Qdrant at AV_QDRANT_URL ${status === null ? 'cannot be reached' : `answered HTTP ${status}`}.`,
    'Start it, or unset AV_QDRANT_URL to search in the daemon. Packs go on without semantic search.',
    error,
  )
}

/** The HTTP status that an error of the client carries, or null. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? error.status : null
  return typeof status === 'number' ? status : null
}

const ANSWER = z.object({ data: z.object({ status: z.object({ error: z.string() }) }) })

/** What the server gave as its reason; '' when it gave none. */
function saidBy(error: unknown): string {
  const answer = ANSWER.safeParse(error)
  return answer.success ? `: ${codeLine(answer.data.data.status.error)}` : ''
}

/** An answer that is JSON of something else, or none. */
function isStrange(error: unknown): boolean {
  return (
    error instanceof z.ZodError ||
    error instanceof SyntaxError ||
    (error instanceof Error && error.message === 'Result came uninitialized')
  )
}

const isRefusal = (status: number | null) =>
  status !== null && status >= 400 && status < 500 && status !== 429

/** The client names its own errors; those of `fetch` carry a code, or are a `TypeError` of it. */
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (/^Qdrant|^AbortError$|^TimeoutError$/.test(error.name)) return true
  if ('code' in error && typeof error.code === 'string') return true
  return error instanceof TypeError && /fetch/i.test(error.message)
}
