import type { SymbolPlace } from './focus.ts'

/** What lies closest to the goal in meaning, best first. */
export type SemanticLists = {
  /** Paths. */
  readonly files: readonly string[]
  readonly symbols: readonly SymbolPlace[]
}

export const NO_SEMANTICS: SemanticLists = { files: [], symbols: [] }
