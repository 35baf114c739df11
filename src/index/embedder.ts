import type { Vector } from '../domain/vector.ts'

/**
 * Turns texts into vectors that lie close where texts mean alike. The same text gives the same
 * vector for ever under one `id`; a built-in one does so by itself, one behind an address because its
 * answers are kept by `id` and text.
 */
export interface Embedder {
  /** Names model and version, without a host: vectors of two ids are never compared. */
  readonly id: string
  /**
   * One vector for each text, in order, all of one length; null for a text that says nothing to it.
   * @throws Fault with a reason of `SEMANTIC_REASONS`, when it cannot say now
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly (Vector | null)[]>
}
