import { createHash } from 'node:crypto'

/** Names an embedded text: 32 lower-case hex digits of its SHA-256. */
export type VectorKey = string & { readonly __brand: 'VectorKey' }

export function vectorKey(text: string): VectorKey {
  return createHash('sha256').update(text).digest('hex').slice(0, 32) as VectorKey
}
