import type { SymbolPlace } from './focus.ts'
import type { RecordId } from './record.ts'

/** What lies closest to the goal in meaning, best first. */
export type SemanticLists = {
  /** Paths. */
  readonly files: readonly string[]
  readonly symbols: readonly SymbolPlace[]
  /** Current ones. */
  readonly records: readonly RecordId[]
}

export const NO_SEMANTICS: SemanticLists = { files: [], symbols: [], records: [] }
