import type { CallName, Input, Output } from '../api/routes.ts'
import type { DaemonView } from '../api/views.ts'
import type { Caller } from '../domain/actor.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world.ts'
import type { CodeIndexes } from './code-indexes.ts'
import type { SemanticSearch } from './semantic.ts'

/** Everything an operation may touch. */
export type Deps = {
  readonly store: Store
  readonly world: World
  readonly leaseSecs: number
  /** Tokens of `o200k_base` in a text; loads its table when first called for. */
  readonly countTokens: () => Promise<(text: string) => number>
  /** What is held in memory of each repo's code and records. */
  readonly indexes: CodeIndexes
  /** Search by meaning; loads what it needs when first asked. */
  readonly semantic: SemanticSearch
  readonly daemon: () => DaemonView
  /** The schema: its newest migration, and those applied when this daemon opened the store. */
  readonly schema: { readonly newest: string; readonly applied: readonly string[] }
}

export type Handler<N extends CallName> = (
  deps: Deps,
  input: Input<N>,
  caller: Caller,
) => Promise<Output<N>>
