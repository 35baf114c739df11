import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { VectorKey } from '../domain/vector-key.ts'

/** How repos and embedded texts are named in Qdrant, and what an answer of it looks like. */

/** Another embedder, or the same with other dimensions, is another collection. */
export function collectionOf(embedder: string, dims: number): string {
  return `av-${digest(embedder).slice(0, 12)}-${dims}`
}

/** The same text in two repos is two points: each repo can be cleared by itself. */
export function pointOf(repo: string, key: VectorKey): string {
  return uuidOf(`${repo}\0${key}`)
}

/** The point that holds a repo's position. It carries no `repo`, so no search finds it. */
export function markOf(repo: string): string {
  return uuidOf(`mark\0${repo}`)
}

export function matches(key: 'repo' | 'marks', value: string) {
  return { key, match: { value } }
}

/** What is read of a found point. A stored vector comes back as it went in: whole int8 numbers. */
export const POINT = z.object({
  payload: z.object({ key: z.string() }),
  vector: z.array(z.number().int().min(-127).max(127)),
})
export const MARK = z.object({ position: z.number().int().min(-1) })
export const VECTOR_PARAMS = z.object({ size: z.number().int(), distance: z.string() })

/** The query API came with 1.10; a new major version may mean anything. */
export function isKnownVersion(version: string): boolean {
  const [major, minor] = version.split('.').map(Number)
  return major === 1 && (minor ?? 0) >= 10
}
export const VERSION = z.object({ version: z.string() })

/** As a UUID of version 8, which is there for makers of their own: Qdrant takes no other text as an id. */
function uuidOf(text: string): string {
  const hex = digest(text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
