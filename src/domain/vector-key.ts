import { hash } from 'node:crypto'
import type { RecordId } from './record.ts'

/**
 * Names an embedded text: one of code, or of a goal, by 32 lower-case hex digits of its SHA-256; a
 * record's by the record's id, which begins otherwise.
 */
export type VectorKey = string & { readonly __brand: 'VectorKey' }

export function vectorKey(text: string): VectorKey {
  // Of the first 16 bytes alone: a slice of the whole would keep that alive in JavaScriptCore.
  return hash('sha256', text, 'buffer').toString('hex', 0, 16) as VectorKey
}

export function recordKey(id: RecordId): VectorKey {
  return id as string as VectorKey
}

export function recordOf(key: VectorKey): RecordId {
  return key as string as RecordId
}
