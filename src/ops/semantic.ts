import { EMBEDDING_TEXT_VERSION, goalText } from '../domain/embedding-text.ts'
import { Fault } from '../domain/fault.ts'
import type { LexicalView } from '../domain/lexical.ts'
import { queryOf } from '../domain/query.ts'
import type { RepoId } from '../domain/repo.ts'
import { codeAround, isWhole, type SemanticCode, wholeCode } from '../domain/semantic-code.ts'
import { NO_SEMANTICS, type SemanticLists } from '../domain/semantic-lists.ts'
import { type VectorKey, vectorKey } from '../domain/vector-key.ts'
import { LIMITS } from '../domain/weights.ts'
import type { Embedder } from '../index/embedder.ts'
import { isSemanticFault } from '../index/semantic-fault.ts'
import type { VectorEntry, VectorIndex } from '../index/vectors.ts'
import type { KeptVector, Store } from '../store/store.ts'
import type { RepoIndex } from './code-indexes.ts'

/** What turns texts into vectors, and what keeps and searches those. */
export type SemanticEngine = {
  readonly embedder: Embedder
  /** For vectors of one length. */
  readonly vectors: (dims: number) => VectorIndex
  /**
   * Whether what the embedder said is kept in the store, because it may answer otherwise next time,
   * or late. A pack waits `SEMANTIC_WAIT_MS` for such a one, and always for one that is built in.
   */
  readonly isRemote: boolean
}

export type SemanticAnswer = SemanticLists & {
  /** Names the embedder and the form of the texts it was given. */
  readonly version: string
}

/** So long a pack waits for vectors from an endpoint; they go on being made for the next one. */
export const SEMANTIC_WAIT_MS = 1_500
/** Texts embedded and put in at once; between two such parts others get their turn. */
const TEXTS_AT_ONCE = 512

/** Search by meaning for packs. Vectors are derived: made at the first need, of what a pack asks. */
export class SemanticSearch {
  private opened: Promise<SemanticEngine> | null = null
  private wholes = new WeakMap<LexicalView, Whole>()
  private readonly used = new Set<VectorIndex>()
  /** By repo: one part of the work at a time. */
  private readonly filling = new Map<RepoId, Promise<void>>()
  /** Texts that say nothing to the embedder. */
  private readonly silent = new Set<VectorKey>()

  constructor(
    private readonly store: Store,
    private readonly open: () => Promise<SemanticEngine>,
    /** Told why meaning could not be searched. */
    private readonly note: (why: unknown) => void = () => {},
    private readonly waitMs = SEMANTIC_WAIT_MS,
  ) {}

  /**
   * The lists for a goal; null when meaning cannot be searched now, whatever the reason. They depend
   * on the view, the goal, the records where the view is large, and the embedder alone.
   */
  async lists(asked: Asked): Promise<SemanticAnswer | null> {
    try {
      const engine = await this.engine()
      const { embedder, isRemote } = engine
      const version = `${embedder.id}/${EMBEDDING_TEXT_VERSION}`
      const patience = { isOver: false }
      const found = this.search(engine, asked, patience)
      if (!isRemote) return { ...(await found), version }
      found.catch((thrown) => patience.isOver && this.note(thrown))
      const lists = await Promise.race([found, Bun.sleep(this.waitMs).then(() => null)])
      patience.isOver = true
      if (lists !== null) return { ...lists, version }
      this.note(`no answer in ${this.waitMs} ms; what comes later is kept`)
      return null
    } catch (thrown) {
      if (!isSemanticFault(thrown) && !(thrown instanceof Unusable)) throw thrown
      this.note(thrown instanceof Unusable ? thrown.cause : thrown)
      // What was put in may be gone when it works again.
      this.wholes = new WeakMap()
      return null
    }
  }

  /** Forgets the vectors of a repo: those in the store go with its code index. */
  async forget(repo: RepoId): Promise<void> {
    this.wholes = new WeakMap()
    try {
      const engine = await this.engine()
      for (const vectors of this.used) await vectors.clear(repo)
      if (this.used.size > 0) return
      // Another daemon may have put some where both look.
      const { embedder, isRemote } = engine
      const dims = isRemote
        ? await this.store.vectorLength(repo, embedder.id)
        : (await embedder.embed(ANY_TEXTS)).find((vector) => vector !== null)?.length
      if (dims) await engine.vectors(dims).clear(repo)
    } catch (thrown) {
      // What cannot be reached is not searched either; no text of the repo is there.
      if (!isSemanticFault(thrown) && !(thrown instanceof Unusable)) throw thrown
    }
  }

  private async engine(): Promise<SemanticEngine> {
    this.opened ??= this.open()
    try {
      return await this.opened
    } catch (cause) {
      this.opened = null
      throw new Unusable('no embedder', { cause })
    }
  }

  private async search(
    engine: SemanticEngine,
    asked: Asked,
    patience: Patience,
  ): Promise<SemanticLists> {
    const { repo, view, goal, focus } = asked
    if (view.byPath.size === 0) return NO_SEMANTICS
    const text = goalText(goal, focus)
    const [query] = await this.embed(engine, repo, [vectorKey(text)], () => text)
    if (query === undefined) return NO_SEMANTICS
    const vectors = engine.vectors(query.vector.length)
    this.used.add(vectors)
    const code = await this.codeIn(engine, vectors, asked, patience)
    const [files, symbols] = await Promise.all([
      vectors.search(repo, query.vector, code.files, LIMITS.files),
      vectors.search(repo, query.vector, code.symbols, LIMITS.symbols),
    ])
    return code.listsOf(files, symbols)
  }

  /** What is compared with the goal, its vectors all in the index. */
  private async codeIn(
    engine: SemanticEngine,
    vectors: VectorIndex,
    { repo, index, view, goal, focus }: Asked,
    patience: Patience,
  ): Promise<SemanticCode> {
    if (!isWhole(view)) {
      const records = index.lexical.recordView()
      const code = codeAround(index.lexical, view, records, queryOf(goal, focus))
      await this.fill(engine, vectors, repo, code, patience)
      return code
    }
    const whole: Whole = this.wholes.get(view) ?? { code: wholeCode(view), ready: null }
    this.wholes.set(view, whole)
    whole.ready ??= this.fill(engine, vectors, repo, whole.code, patience)
    try {
      await whole.ready
    } catch (thrown) {
      whole.ready = null
      throw thrown
    }
    return whole.code
  }

  /** Puts in what is missing, after whoever does so for this repo now: he may have had the same to do. */
  private async fill(
    engine: SemanticEngine,
    vectors: VectorIndex,
    repo: RepoId,
    code: SemanticCode,
    patience: Patience,
  ): Promise<void> {
    for (let busy = this.filling.get(repo); busy !== undefined; busy = this.filling.get(repo)) {
      await busy.catch(() => undefined)
      if (patience.isOver) throw new Unusable('nobody waits for it any more')
    }
    const work = this.putMissing(engine, vectors, repo, code).catch(async (thrown) => {
      if (!(thrown instanceof Fault) || thrown.detail.reason !== 'vectors_full') throw thrown
      // Most of what is there is of code that nobody stands on any more.
      await vectors.clear(repo)
      this.wholes = new WeakMap()
      await this.putMissing(engine, vectors, repo, code)
    })
    this.filling.set(repo, work)
    try {
      await work
    } finally {
      this.filling.delete(repo)
    }
  }

  private async putMissing(
    engine: SemanticEngine,
    vectors: VectorIndex,
    repo: RepoId,
    code: SemanticCode,
  ): Promise<void> {
    const wanted = [...code.files, ...code.symbols].filter((key) => !this.silent.has(key))
    const missing = await vectors.missing(repo, wanted)
    const atOnce = engine.isRemote ? REMOTE_TEXTS_AT_ONCE : TEXTS_AT_ONCE
    for (let start = 0; start < missing.length; start += atOnce) {
      const keys = missing.slice(start, start + atOnce)
      const made = await this.embed(engine, repo, keys, (key) => code.textOf(key))
      await vectors.upsert(repo, made, null)
      await Bun.sleep(0)
    }
  }

  /** One for each text that says something. */
  private async embed(
    { embedder, isRemote }: SemanticEngine,
    repo: RepoId,
    keys: readonly VectorKey[],
    textOf: (key: VectorKey) => string,
  ): Promise<readonly VectorEntry[]> {
    const fresh = async (wanted: readonly VectorKey[]) => {
      const made = await embedder.embed(wanted.map(textOf))
      return wanted.map((key, at) => ({ key, vector: made[at] ?? null }))
    }
    const all = isRemote ? await this.keep(embedder, repo, keys, fresh) : await fresh(keys)
    return all.flatMap(({ key, vector }) => {
      if (vector !== null) return [{ key, vector }]
      if (this.silent.size >= SILENT_MAX) this.silent.clear()
      this.silent.add(key)
      return []
    })
  }

  /** The answers kept in the store, first having kept those that were not there. */
  private async keep(
    { id }: Embedder,
    repo: RepoId,
    keys: readonly VectorKey[],
    fresh: (wanted: readonly VectorKey[]) => Promise<readonly KeptVector[]>,
  ): Promise<readonly KeptVector[]> {
    const kept = await this.store.vectors(repo, id, keys)
    const there = new Set(kept.map(({ key }) => key))
    const rest = keys.filter((key) => !there.has(key))
    if (rest.length === 0) return kept
    await this.store.putVectors(repo, id, await fresh(rest))
    // Read again: another daemon may have been first with an answer that differs.
    return [...kept, ...(await this.store.vectors(repo, id, rest))]
  }
}

type Asked = {
  readonly repo: RepoId
  readonly index: RepoIndex
  readonly view: LexicalView
  readonly goal: string
  readonly focus: readonly string[]
}
type Whole = { readonly code: SemanticCode; ready: Promise<void> | null }
/** Whether the pack that wanted it has gone on without. */
type Patience = { readonly isOver: boolean }

/** So many are kept after each answer of an endpoint, and not asked for again. */
const REMOTE_TEXTS_AT_ONCE = 64
const SILENT_MAX = 20_000
/** What one of is known to any embedder: its vector tells how long they are. */
const ANY_TEXTS = ['verify a password', 'read a file', 'parse a number']

/** No embedder, or none now, for a reason that is no fault of the user's. */
class Unusable extends Error {}
