import type { Caller } from '../domain/actor.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import type { Claim } from '../domain/claim.ts'
import type { BlobId, FileIndex } from '../domain/code.ts'
import type { TreeEntry, TreeKey } from '../domain/code-view.ts'
import type { Convention, ConventionState } from '../domain/convention.ts'
import type { RecordId, RecordKind, TaskRecord } from '../domain/record.ts'
import type { CommitId, Instant, Position, Repo, RepoId, RepoIdentity } from '../domain/repo.ts'
import type { Task, TaskId, TaskKind, TaskState } from '../domain/task.ts'
import type { Vector } from '../domain/vector.ts'
import type { VectorKey } from '../domain/vector-key.ts'
import type { NewCheckpoint, NewRecord } from './new-fact.ts'
import type { SessionLedger } from './session-ledger.ts'
import type { TaskLife } from './task-life.ts'
import type { TrunkSlot } from './trunk-slot.ts'

/**
 * Keeps every fact. Each method is atomic; each write that is a fact of a repo takes the next
 * position of that repo's log, in commit order. Lists come newest first (by position, descending)
 * unless said otherwise, and are always bounded. Text is stored as given: redact before.
 *
 * Throws `store_unavailable` when the database cannot be reached or has no room, `claim_lost` and
 * `refused_rule` from guarded writes, `conflict` for a race a caller may repeat.
 */
export interface Store extends TaskLife, TrunkSlot, SessionLedger {
  readonly backend: 'pglite' | 'postgres'

  /** The database's clock. */
  now(): Promise<Instant>

  // --- repos and people
  createRepo(repo: NewRepo, by: Caller): Promise<Repo>
  /** Repos that share a root commit with `identity`, or, for a repo without commits, a remote URL. */
  reposLike(identity: RepoIdentity): Promise<readonly Repo[]>
  repo(id: RepoId): Promise<Repo | null>
  /** All, by name, at most 1,000. */
  repos(): Promise<readonly Repo[]>
  /** Notes what a clone tells of itself. Takes no position: trunk is moved by a landing or `noteTrunk` only. */
  updateRepo(id: RepoId, change: RepoChange): Promise<Repo>
  /** Of its log, and nothing else of the repo; null for one that is not there. */
  position(id: RepoId): Promise<Position | null>
  /** The names that ever wrote to this repo, ordered by bytes. */
  actorsOf(repo: RepoId): Promise<readonly string[]>

  // --- tasks
  createTask(repo: RepoId, task: NewTask, by: Caller): Promise<Task>
  task(repo: RepoId, id: TaskId): Promise<Task | null>
  /** Tasks whose id starts with `prefix` (taken literally), by id, at most `limit`. */
  tasksByPrefix(repo: RepoId, prefix: string, limit: number): Promise<readonly Task[]>
  listTasks(repo: RepoId, filter: TaskFilter, limit: number): Promise<Page<Task>>

  // --- guarded writes: claim, generation and lease are judged in the writing statement
  addCheckpoint(
    repo: RepoId,
    checkpoint: NewCheckpoint,
    by: Caller,
  ): Promise<{
    readonly task: Task
    readonly checkpoint: Checkpoint
  }>
  /** `as: 'owner'` is fenced like a checkpoint; `'comment'` asks only that the task exists. */
  addRecord(
    repo: RepoId,
    record: NewRecord,
    by: Caller,
    as: 'owner' | 'comment',
  ): Promise<TaskRecord>
  /** Every generation of a task that was ever granted, oldest first. */
  claims(repo: RepoId, task: TaskId): Promise<readonly Claim[]>
  lastCheckpoint(repo: RepoId, task: TaskId): Promise<Checkpoint | null>
  /** The newest checkpoint of each live task. */
  liveCheckpoints(repo: RepoId): Promise<readonly Checkpoint[]>

  // --- records
  record(repo: RepoId, id: RecordId): Promise<TaskRecord | null>
  /** In the order of `ids`; unknown ones are left out. */
  recordsById(repo: RepoId, ids: readonly RecordId[]): Promise<readonly TaskRecord[]>
  /** What records say, in no order and without their links, which take most of the time to read; no purged ones. */
  recordTexts(repo: RepoId, ids: readonly RecordId[]): Promise<readonly RecordWords[]>
  recordsByPrefix(repo: RepoId, prefix: string, limit: number): Promise<readonly TaskRecord[]>
  listRecords(repo: RepoId, filter: RecordFilter, limit: number): Promise<Page<TaskRecord>>
  /** Oldest first: what an index that has seen everything up to `after` still lacks. */
  recordsAfter(repo: RepoId, after: Position, limit: number): Promise<readonly TaskRecord[]>
  /** Positions at which purges happened after `after`: an index that is behind one is rebuilt. */
  lastPurge(repo: RepoId): Promise<Position | null>

  // --- conventions
  addConvention(repo: RepoId, convention: NewConvention, by: Caller): Promise<Convention>
  /** Moves it on; `conflict` when it is not in one of `from` any more. */
  moveConvention(
    repo: RepoId,
    id: Convention['id'],
    from: readonly ConventionState[],
    to: ConventionState,
    by: Caller,
  ): Promise<Convention>
  conventionsByPrefix(repo: RepoId, prefix: string, limit: number): Promise<readonly Convention[]>
  /** Oldest first (position of creation), at most 1,000. */
  conventions(repo: RepoId, states: readonly ConventionState[]): Promise<readonly Convention[]>

  // --- receipts: no position, idempotent by id
  putReceipt(repo: RepoId, receipt: NewReceipt): Promise<void>
  receiptsByPrefix(repo: RepoId, prefix: string, limit: number): Promise<readonly Receipt[]>
  listReceipts(repo: RepoId, filter: ReceiptFilter, limit: number): Promise<Page<Receipt>>

  // --- purge
  /** Replaces the text of a record, convention or task by a mark, and notes who did it. */
  purge(
    repo: RepoId,
    id: string,
    by: Caller,
  ): Promise<{ readonly id: string; readonly position: Position }>

  // --- the code index: derived, may be dropped at any time
  /** Those of `blobs` that have no index of `version`, in the order given. */
  missingFiles(repo: RepoId, version: string, blobs: readonly BlobId[]): Promise<readonly BlobId[]>
  putFiles(repo: RepoId, version: string, files: readonly FileIndex[]): Promise<void>
  /** In no promised order; unknown ones are left out. */
  files(repo: RepoId, version: string, blobs: readonly BlobId[]): Promise<readonly FileIndex[]>
  /** How many files of `version` failed to parse, and up to 50 of them. */
  unparsable(
    repo: RepoId,
    version: string,
  ): Promise<{ readonly count: number; readonly blobs: readonly BlobId[] }>
  putTree(repo: RepoId, tree: TreeKey, entries: readonly TreeEntry[]): Promise<void>
  tree(repo: RepoId, tree: TreeKey): Promise<readonly TreeEntry[] | null>
  /** What is kept of files, by version and content, after `after`. Writes nothing. */
  filesAfter(repo: RepoId, after: FileKey | null, limit: number): Promise<readonly KeptFile[]>
  /** The listings kept, by key, after `after`. Writes nothing. */
  treesAfter(repo: RepoId, after: TreeKey | null, limit: number): Promise<readonly KeptTree[]>
  /** What is kept of these texts under an embedder's id, in no promised order. */
  vectors(
    repo: RepoId,
    embedder: string,
    keys: readonly VectorKey[],
  ): Promise<readonly KeptVector[]>
  /** What is there already stays. */
  putVectors(repo: RepoId, embedder: string, vectors: readonly KeptVector[]): Promise<void>
  /** How long an embedder's vectors are; null when none is kept. */
  vectorLength(repo: RepoId, embedder: string): Promise<number | null>
  /** Deletes what is kept of at most `limit` files, trees or vectors; says how many are left. */
  dropCodeIndex(
    repo: RepoId,
    limit: number,
  ): Promise<{ readonly dropped: number; readonly left: number }>

  // --- care of the database itself
  /** Forgets idle sessions; checkpoints, vacuums, analyzes, but on a server that does so by itself. */
  maintain(): Promise<void>
  close(): Promise<void>
}

export type Page<T> = { readonly items: readonly T[]; readonly more: boolean }

export type NewRepo = {
  readonly id: RepoId
  readonly name: string
  readonly trunk: string
  readonly trunkCommit: CommitId | null
  readonly identity: RepoIdentity
}

export type RepoChange = {
  readonly trunk?: string
  /** Where trunk is, for a repo that knew of none. */
  readonly firstTrunk?: CommitId
  /** Kept where none is known yet. */
  readonly trunkHome?: string
  /** Added to those known. */
  readonly rootCommits?: readonly CommitId[]
  readonly remotes?: Readonly<Record<string, string>>
}

export type NewTask = {
  /** Exactly this id (`conflict` when taken), or null: `slug` and as much of `digits` as is free. */
  readonly id: TaskId | null
  readonly slug: string
  /** 26 base32 characters; the id takes the first 4, and more where that is taken. */
  readonly digits: string
  readonly goal: string
  readonly kind: TaskKind
  /** Owned by the caller from generation 1 on, or by nobody (generation 0). */
  readonly owned: boolean
  readonly leaseSecs: number
  readonly base: CommitId | null
  readonly parent: TaskId | null
  readonly offeredTo: string | null
}

export type TaskFilter = {
  readonly states?: readonly TaskState[]
  /** Owned by this name, or offered to it and nobody's. */
  readonly owner?: string
}

export type RecordWords = Pick<TaskRecord, 'id' | 'summary' | 'body'>

export type RecordFilter = {
  readonly task?: TaskId
  readonly kind?: RecordKind
  /** Anchored at this path (whole file or any symbol in it), or below it when it ends with `/`. */
  readonly path?: string
  /** With `path`: anchored at this symbol, at one that encloses or is inside it, or at the whole file. */
  readonly symbol?: string
  /** Superseded ones too. */
  readonly all: boolean
}

/** Names a row of the code index. */
export type FileKey = { readonly version: string; readonly blob: BlobId }
/** `file` null: what is kept cannot be read. */
export type KeptFile = FileKey & { readonly file: FileIndex | null }
/** `entries` null: what is kept cannot be read. */
export type KeptTree = { readonly key: TreeKey; readonly entries: readonly TreeEntry[] | null }

/** `vector` null: the embedder had nothing to say of that text. */
export type KeptVector = { readonly key: VectorKey; readonly vector: Vector | null }

export type NewConvention = {
  /** 32 hex digits, as for records. */
  readonly digits: string
  readonly glob: string
  readonly text: string
  readonly required: boolean
  readonly state: ConventionState
}

export type Receipt = {
  readonly repo: RepoId
  readonly id: string
  readonly task: TaskId
  readonly actor: string
  readonly session: string | null
  readonly manifest: Readonly<Record<string, unknown>>
  readonly at: Instant
}
/** `manifest`: its canonical JSON, which says whether another with the id is the same. */
export type NewReceipt = Omit<Receipt, 'at' | 'repo' | 'manifest'> & { readonly manifest: string }
export type ReceiptFilter = { readonly task?: TaskId; readonly session?: string }
