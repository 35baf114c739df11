import type { BlobId } from '../domain/code.ts'
import {
  applyOverlay,
  type CodeView,
  type TreeEntry,
  type TreeKey,
  versionOf,
} from '../domain/code-view.ts'
import { Fault } from '../domain/fault.ts'
import { LexicalIndex, type LexicalView } from '../domain/lexical.ts'
import type { RecordId } from '../domain/record.ts'
import type { Position, Repo, RepoId } from '../domain/repo.ts'
import type { Store } from '../store/store.ts'
import { giveBack, giveBackMuch } from './garbage.ts'
import { RepoFacts } from './repo-facts.ts'
import { TaskRecords } from './task-records.ts'

/** Views and listings kept; the oldest used goes first, and files that only it held. */
const VIEWS_MAX = 12
const TREES_MAX = 8
/** Between two such parts what was read is collected: larger ones leave holes that the process keeps. */
const RECORDS_AT_ONCE = 2_000
const FILES_AT_ONCE = 500

/** What a daemon holds in memory of each repo. All of it is derived, and made anew when asked for. */
export class CodeIndexes {
  private readonly repos = new Map<RepoId, RepoIndex>()

  constructor(private readonly store: Store) {}

  of(repo: RepoId): RepoIndex {
    const there = this.repos.get(repo)
    if (there) return there
    const fresh = new RepoIndex(this.store, repo)
    this.repos.set(repo, fresh)
    return fresh
  }

  /**
   * The index with all records of the log in it. After a purge, by whichever daemon, it is made
   * anew: nothing that was purged stays in memory.
   */
  async current(repo: Pick<Repo, 'id' | 'position'>): Promise<RepoIndex> {
    giveBackMuch()
    const held = this.of(repo.id)
    await held.catchUp(repo.position)
    if (!(await held.isPurged(repo.position))) return held
    this.forget(repo.id)
    const fresh = this.of(repo.id)
    await fresh.catchUp(repo.position)
    await fresh.isPurged(repo.position)
    return fresh
  }

  forget(repo: RepoId): void {
    this.repos.delete(repo)
  }
}

/** What a view shows: the files searched, and the paths that are there but not indexed. */
export type IndexedView = {
  readonly lexical: LexicalView
  readonly leftOut: ReadonlySet<string>
  /** Files whose index has not arrived yet. */
  readonly missing: number
}

export class RepoIndex {
  readonly lexical = new LexicalIndex()
  readonly own = new TaskRecords(this.lexical.records)
  readonly facts: RepoFacts
  /** Records that were superseded, and by what position of the log; in its order. */
  readonly retired: { readonly id: RecordId; readonly at: Position }[] = []
  /** The newest record read, and where the log was when nothing was left to read. */
  private recordsSeen = 0 as Position
  private logSeen = -1
  /** The newest purge when the index was begun, and the position at which that was asked last. */
  private purgeSeen = -1
  private purgeAskedAt = -1
  private readonly trees = new Map<TreeKey, readonly TreeEntry[]>()
  private readonly views = new Map<string, IndexedView>()
  /** `version/blob` of what the store is known to hold, and of those that hold no words. */
  private readonly stored = new Set<string>()
  private readonly leftOut = new Set<string>()
  private readonly uploads = new Map<TreeKey, TreeEntry[]>()
  private catchingUp: Promise<void> = Promise.resolve()

  constructor(
    private readonly store: Store,
    private readonly repo: RepoId,
  ) {
    this.facts = new RepoFacts(store, repo)
  }

  /**
   * Brings the records up to the log's end; calls at the same time share the work in turn.
   * @param end the log's position as the caller read it: nothing is asked where that was seen before
   */
  async catchUp(end: Position): Promise<void> {
    if (end <= this.logSeen) return
    const turn = this.catchingUp.then(() => this.readRecords())
    this.catchingUp = turn.catch(() => undefined)
    await turn
    this.logSeen = Math.max(this.logSeen, end)
  }

  /** Every record up to this position of the log is in; -1 before the first `catchUp`. */
  get end(): number {
    return this.logSeen
  }

  /** The newest purge before this index was begun; none of what it took is in. */
  get purgedAt(): number {
    return this.purgeSeen
  }

  /** Whether something was purged since this index was begun, or perhaps while it was. */
  async isPurged(end: Position): Promise<boolean> {
    if (end === this.purgeAskedAt) return false
    const last = (await this.store.lastPurge(this.repo)) ?? 0
    const seen = this.purgeSeen
    const first = seen < 0
    if (first) this.purgeSeen = last
    this.purgeAskedAt = end
    return last > (first ? this.logSeen : seen)
  }

  private async readRecords(): Promise<void> {
    for (;;) {
      const batch = await this.store.recordsAfter(this.repo, this.recordsSeen, RECORDS_AT_ONCE)
      for (const record of batch) {
        for (const old of record.supersedes) this.retire(old, record.position)
        const current = record.supersededBy.length === 0 && !record.purged
        if (current) {
          this.lexical.addRecord(record)
          this.own.add(record)
        }
        this.recordsSeen = record.position
      }
      if (batch.length < RECORDS_AT_ONCE) break
      giveBack()
    }
  }

  private retire(old: RecordId, at: Position): void {
    this.retired.push({ id: old, at })
    this.lexical.removeRecord(old)
    this.own.remove(old)
    this.facts.forget(old)
  }

  /** The listing of a tree, or null when no client has sent it yet. */
  async tree(key: TreeKey): Promise<readonly TreeEntry[] | null> {
    const held = this.trees.get(key)
    const entries = held ?? (await this.store.tree(this.repo, key))
    if (entries === null) return null
    remember(this.trees, key, entries, TREES_MAX)
    return entries
  }

  /**
   * Takes a part of a listing.
   * @throws Fault `conflict` when the parts before it did not arrive: begin again.
   */
  async addToTree(
    key: TreeKey,
    offset: number,
    part: readonly TreeEntry[],
    last: boolean,
  ): Promise<number> {
    const entries = offset === 0 ? [] : this.uploads.get(key)
    if (entries === undefined || entries.length !== offset) {
      throw new Fault(
        'conflict',
        `The listing has ${entries?.length ?? 0} entries; a part came for place ${offset}.`,
        'Send the listing from its beginning.',
        { detail: { reason: 'listing_gap' } },
      )
    }
    for (const entry of part) entries.push(entry)
    if (!last) {
      remember(this.uploads, key, entries, TREES_MAX)
      return entries.length
    }
    this.uploads.delete(key)
    await this.store.putTree(this.repo, key, entries)
    remember(this.trees, key, entries, TREES_MAX)
    return entries.length
  }

  noteStored(version: string, blobs: Iterable<BlobId>): void {
    for (const blob of blobs) this.stored.add(`${version}/${blob}`)
  }

  /** The blobs that the store has no index of, each once, in the entries' order. */
  async missing(entries: readonly TreeEntry[], version: string): Promise<readonly BlobId[]> {
    const unsure = new Set<BlobId>()
    for (const { blob } of entries) {
      if (blob !== null && !this.stored.has(`${version}/${blob}`)) unsure.add(blob)
    }
    if (unsure.size === 0) return []
    const missing = await this.store.missingFiles(this.repo, version, [...unsure])
    for (const blob of missing) unsure.delete(blob)
    this.noteStored(version, unsure)
    return missing
  }

  /** The view searched, or null when its tree was never listed. */
  async view(code: CodeView): Promise<IndexedView | null> {
    const key = viewKey(code)
    const held = this.views.get(key)
    if (held !== undefined && held.missing === 0) {
      remember(this.views, key, held, VIEWS_MAX)
      return held
    }
    const tree = await this.tree(code.tree)
    if (tree === null) return null
    const version = versionOf(code.tree)
    const entries = applyOverlay(tree, code.overlay)
    await this.load(entries, version)
    const view = this.select(entries, version)
    for (const dropped of remember(this.views, key, view, VIEWS_MAX)) this.dropFilesOf(dropped)
    return view
  }

  private select(entries: readonly TreeEntry[], version: string): IndexedView {
    const leftOut = new Set<string>()
    const indexed: { path: string; blob: BlobId }[] = []
    for (const { path, blob } of entries) {
      if (blob === null || this.leftOut.has(`${version}/${blob}`)) leftOut.add(path)
      else indexed.push({ path, blob })
    }
    const lexical = this.lexical.view(indexed)
    return { lexical, leftOut, missing: lexical.missing }
  }

  /** Brings what the store holds of these entries into the index, where it is not there yet. */
  private async load(entries: readonly TreeEntry[], version: string): Promise<void> {
    const pathsOf = new Map<BlobId, string[]>()
    for (const { path, blob } of entries) {
      if (blob === null || this.leftOut.has(`${version}/${blob}`)) continue
      if (this.lexical.hasFile(path, blob)) continue
      const there = pathsOf.get(blob)
      if (there) there.push(path)
      else pathsOf.set(blob, [path])
    }
    const blobs = [...pathsOf.keys()]
    for (let start = 0; start < blobs.length; start += FILES_AT_ONCE) {
      const some = blobs.slice(start, start + FILES_AT_ONCE)
      const lacking = new Set(some)
      for (const file of await this.store.files(this.repo, version, some)) {
        lacking.delete(file.blob)
        this.stored.add(`${version}/${file.blob}`)
        if (file.status === 'left_out') this.leftOut.add(`${version}/${file.blob}`)
        else for (const path of pathsOf.get(file.blob) ?? []) this.lexical.addFile(path, file)
      }
      // Another daemon may have dropped what was stored: it is asked for again.
      for (const blob of lacking) this.stored.delete(`${version}/${blob}`)
      if (some.length === FILES_AT_ONCE) giveBack()
    }
  }

  private dropFilesOf(dropped: IndexedView): void {
    const others = [...this.views.values()]
    for (const [path, file] of dropped.lexical.byPath) {
      const used = others.some(({ lexical }) => lexical.byPath.get(path) === file)
      if (!used) this.lexical.removeFile(path, file.blob)
    }
  }
}

/** Names a view: the tree, and a hash of what differs from it. */
export function viewKey({ tree, overlay }: CodeView): string {
  if (overlay.length === 0) return tree
  const rows = overlay.map(({ path, blob, gone }) => `${path}\0${gone ? '-' : blob}`).sort()
  return `${tree} ${Bun.hash(rows.join('\n')).toString(16)}`
}

/** Puts a value at the young end of a bounded map; gives back what fell off the old one. */
function remember<K, V>(map: Map<K, V>, key: K, value: V, max: number): V[] {
  map.delete(key)
  map.set(key, value)
  const fallen: V[] = []
  for (const [oldest, old] of map) {
    if (map.size <= max) break
    map.delete(oldest)
    fallen.push(old)
  }
  return fallen
}
