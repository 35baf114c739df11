import type { FoundKind } from '../domain/found.ts'
import type { AnchorView, List } from './views.ts'

/** What `search` found, best first. */
export type SearchView = List<FoundItem> & {
  /** `index`: code of the folder one stands in is not all in the index. */
  readonly degraded: readonly string[]
}

export type FoundItem = {
  /** Of a record, a code item or a task; `av expand` takes it. */
  readonly id: string
  readonly kind: FoundKind
  /** A record's kind, a symbol's kind or `file`, a task's state. */
  readonly type: string
  /** Of code; null of the others. A file has no line and no symbol. */
  readonly path: string | null
  readonly line: number | null
  readonly symbol: string | null
  /** A record's summary, a symbol's signature, a task's goal; '' of a file. */
  readonly summary: string
  /** Whose record it is; null of the others. */
  readonly task: string | null
  readonly anchors: readonly AnchorView[]
  /** As in `log`; of a task its flags. */
  readonly marks: readonly string[]
}
