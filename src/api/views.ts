import type { Anchor } from '../domain/anchor.ts'
import type { ChangedFile, Incomplete } from '../domain/checkpoint.ts'
import type { ConventionState } from '../domain/convention.ts'
import type { RecordKind } from '../domain/record.ts'
import type { TaskKind, TaskState } from '../domain/task.ts'

/** What commands answer with: the `data` of the JSON envelope. Names here are a contract. */

export type TaskView = {
  readonly id: string
  readonly goal: string
  readonly kind: TaskKind
  readonly state: TaskState
  readonly owner: string | null
  readonly generation: number
  readonly leaseExpiresAt: string | null
  readonly base: string | null
  readonly head: string | null
  /** Path on this machine; null when it has none here. The daemon leaves it null, the client fills it in. */
  readonly workspace: string | null
  readonly flags: readonly string[]
  readonly parent: string | null
  /** Whose approval lets it be merged; null without one. */
  readonly approvedBy: string | null
  /** Why an approval does not count any more. */
  readonly approvalVoid: string | null
  /** Files with conflicts, while it is conflicted. */
  readonly conflicted: readonly string[]
  readonly offeredTo: string | null
  /** The commit on trunk that it became. */
  readonly landed: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type List<T> = { readonly items: readonly T[]; readonly more: boolean }

export type RepoView = {
  readonly id: string
  readonly repo: string
  readonly trunk: string
  readonly trunkCommit: string | null
}

export type InitView = RepoView & {
  /** False: the repo was known, this clone joined it. */
  readonly created: boolean
  readonly dryRun: boolean
  readonly warnings: readonly string[]
}

export type DaemonView = {
  readonly running: boolean
  readonly pid: number | null
  readonly version: string | null
  readonly home: string
  /** `pglite`, or the server's address without credentials. */
  readonly store: string | null
  readonly rssBytes: number | null
  readonly startedAt: string | null
}

export type StatusView = RepoView & {
  readonly task: TaskView | null
  readonly actor: string
  readonly session: string | null
  readonly degraded: readonly string[]
  /** The database's clock: what leases and times are judged by. */
  readonly now: string
  readonly daemon: DaemonView
}

export type CheckpointView = {
  readonly task: string
  readonly commit: string
  readonly change: string
  readonly files: readonly ChangedFile[]
  readonly symbols: readonly string[]
  readonly patch: string
  readonly incomplete: Incomplete
  readonly conflicts: readonly string[]
  readonly position: number
}

export type AnchorView = Anchor & {
  /** `changed since recorded`, `moved since recorded`, …; null: as it was, or not known here. */
  readonly mark: string | null
  /** Where it stands now, of code that moved; `symbol` null: the whole file did. */
  readonly movedTo: { readonly path: string; readonly symbol: string | null } | null
}

export type RecordView = {
  readonly id: string
  readonly task: string
  readonly kind: RecordKind
  readonly summary: string
  readonly anchors: readonly Anchor[]
  readonly redacted: number
  readonly position: number
}

export type LogItem = Omit<RecordView, 'anchors'> & {
  readonly anchors: readonly AnchorView[]
  readonly body: string
  readonly author: string
  readonly at: string
  readonly supersedes: readonly string[]
  readonly supersededBy: readonly string[]
  readonly replyTo: string | null
  readonly receipt: string | null
  readonly marks: readonly string[]
}

export type ConventionView = {
  readonly id: string
  readonly glob: string
  readonly text: string
  readonly required: boolean
  readonly state: ConventionState
  readonly author: string
  readonly at: string
}

export type PackView = {
  readonly text: string
  readonly receipt: string
  readonly tokens: number
  readonly budget: number
  readonly degraded: readonly string[]
  readonly items: readonly {
    readonly id: string
    readonly section: string
    readonly tier: string
  }[]
  readonly omitted: number
  /** Ids of what the reader has already, which is not sent again. */
  readonly sentBefore: readonly string[]
  /** What `pack.ack` is told, once the text was delivered; null: it is for no session. */
  readonly reader: { readonly session: string; readonly resets: number } | null
  /** With `explain`: where each line's rank came from, as text. */
  readonly explanation: string | null
}

export type ReceiptView = {
  readonly id: string
  readonly task: string
  readonly at: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly explanation: string | null
}

export type SessionView = {
  readonly session: string
  /** Who read packs in it. */
  readonly actors: readonly string[]
  /** How many items they have. */
  readonly items: number
  /** How often it lost its context. */
  readonly resets: number
  readonly at: string
}

export type SentView = {
  readonly id: string
  readonly tier: string
  readonly actor: string
  /** Of the pack that brought it last. */
  readonly receipt: string
  readonly at: string
}

export type SettingView = {
  readonly key: string
  readonly value: string
  readonly from: 'default' | 'file' | 'env'
  readonly help: string
}

export type IndexView = {
  /** Files of the code one stands in, and those read for the first time just now. */
  readonly files: number
  /** Definitions in them. */
  readonly symbols: number
  readonly indexed: number
  readonly bytes: number
  readonly unparsable: number
  readonly leftOut: number
}
