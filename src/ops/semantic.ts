import { EMBEDDING_TEXT_VERSION, goalText } from '../domain/embedding-text.ts'
import { Fault } from '../domain/fault.ts'
import type { LexicalView } from '../domain/lexical.ts'
import { queryOf } from '../domain/query.ts'
import type { RepoId } from '../domain/repo.ts'
import { type Surroundings, surroundings } from '../domain/semantic-around.ts'
import { codeAround, isWhole, type SemanticCode, wholeCode } from '../domain/semantic-code.ts'
import { NO_SEMANTICS, type SemanticLists } from '../domain/semantic-lists.ts'
import { areWhole, recordsAround } from '../domain/semantic-records.ts'
import type { Vector } from '../domain/vector.ts'
import { vectorKey } from '../domain/vector-key.ts'
import { LIMITS } from '../domain/weights.ts'
import { isSemanticFault } from '../index/semantic-fault.ts'
import type { VectorIndex } from '../index/vectors.ts'
import type { Store } from '../store/store.ts'
import type { RepoIndex } from './code-indexes.ts'
import { type ComparedRecords, SemanticRecords, shelvesOf } from './semantic-records.ts'
import { type SemanticEngine, SemanticTexts } from './semantic-texts.ts'

export type SemanticAnswer = SemanticLists & {
  /** Names the embedder and the form of the texts it was given. */
  readonly version: string
}

/** So long a pack waits for vectors from an endpoint; they go on being made for the next one. */
export const SEMANTIC_WAIT_MS = 1_500
/** So often a search is begun again because what it compares with was cleared meanwhile. */
const SEARCHES_MAX = 3

/** Search by meaning for packs. Vectors are derived: made at the first need, of what a pack asks. */
export class SemanticSearch {
  private opened: Promise<SemanticEngine> | null = null
  private wholes = new WeakMap<LexicalView, Whole>()
  /** Where vectors were put, and of which repos. */
  private readonly used = new Map<VectorIndex, Set<RepoId>>()
  /** Rises when vectors are cleared: what was found meanwhile may lack some. */
  private clearings = 0
  /** By repo: one part of the work at a time. */
  private readonly filling = new Map<RepoId, Promise<void>>()
  private readonly texts: SemanticTexts
  private readonly records: SemanticRecords

  constructor(
    private readonly store: Store,
    private readonly open: () => Promise<SemanticEngine>,
    /** Told why meaning could not be searched. */
    private readonly note: (why: unknown) => void = () => {},
    private readonly waitMs = SEMANTIC_WAIT_MS,
  ) {
    this.texts = new SemanticTexts(store)
    this.records = new SemanticRecords(store, this.texts)
  }

  /**
   * The lists for a goal; null when meaning cannot be searched now, whatever the reason. They depend
   * on the view, the current records, the goal and the embedder alone.
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
    try {
      for (const vectors of this.used.keys()) await this.clear(vectors, repo)
      if (this.used.size > 0) return
      // Another daemon may have put some where both look.
      const engine = await this.engine()
      const { embedder, isRemote } = engine
      const dims = isRemote
        ? await this.store.vectorLength(repo, embedder.id)
        : (await embedder.embed(ANY_TEXTS)).find((vector) => vector !== null)?.length
      if (dims) await this.clear(engine.vectors(dims), repo)
    } catch (thrown) {
      // What cannot be reached is not searched either. What was purged goes before it is searched again.
      if (!isSemanticFault(thrown) && !(thrown instanceof Unusable)) throw thrown
    }
  }

  private async clear(vectors: VectorIndex, repo: RepoId): Promise<void> {
    try {
      for (const shelf of shelvesOf(repo)) await vectors.clear(shelf)
    } finally {
      // At the end: what a search found while this went on is looked for again.
      this.clearings++
      this.wholes = new WeakMap()
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
    const { repo, goal, focus } = asked
    const text = goalText(goal, focus)
    const [query] = await this.texts.vectors(engine, repo, [{ key: vectorKey(text), text }])
    if (query === undefined) return NO_SEMANTICS
    const vectors = engine.vectors(query.vector.length)
    this.used.set(vectors, (this.used.get(vectors) ?? new Set()).add(repo))
    for (let search = 0; search < SEARCHES_MAX; search++) {
      const before = this.clearings
      try {
        const lists = await this.listsIn(engine, vectors, asked, query.vector, patience)
        if (this.clearings === before) return lists
      } catch (thrown) {
        const reason = thrown instanceof Fault ? thrown.detail.reason : null
        if (reason !== 'vectors_full' && reason !== 'vectors_gone') throw thrown
        if (search === SEARCHES_MAX - 1) throw thrown
        this.wholes = new WeakMap()
        if (reason === 'vectors_gone') continue
        // Most of what is there is of code that nobody stands on any more, or of other repos.
        for (const other of this.used.get(vectors) ?? []) await this.clear(vectors, other)
      }
    }
    throw new Unusable('vectors were cleared again and again')
  }

  private async listsIn(
    engine: SemanticEngine,
    vectors: VectorIndex,
    asked: Asked,
    query: Vector,
    patience: Patience,
  ): Promise<SemanticLists> {
    const { repo, index } = asked
    let { code, records } = this.comparedWith(asked)
    const state = await this.records.state(vectors, index, records)
    if (state === 'cleared') {
      // By another daemon: what this one put in of code is gone as well.
      this.wholes = new WeakMap()
      code = this.comparedWith(asked).code
    }
    await this.putCode(engine, vectors, asked, code, patience)
    if (state !== 'in') {
      const put = () => this.records.put(engine, vectors, index, records)
      await this.inTurn(repo, patience, put)
    }
    const [files, symbols, closest] = await Promise.all([
      vectors.search(repo, query, code.files, LIMITS.files),
      vectors.search(repo, query, code.symbols, LIMITS.symbols),
      this.records.search(vectors, index, records, query),
    ])
    return { ...code.listsOf(files, symbols), records: closest }
  }

  /** All code of the view and all current records, or of either, where it is large, what is about the goal. */
  private comparedWith({ repo, index, view, goal, focus }: Asked): Compared {
    const { lexical } = index
    const current = lexical.recordView()
    const query = queryOf(goal, focus)
    let looked: Surroundings | null = null
    const around = () => {
      looked ??= surroundings(lexical, view, current, query)
      return looked
    }
    return {
      code: isWhole(view) ? this.wholeOf(view).code : codeAround(lexical, view, query, around()),
      records: {
        repo,
        asked: areWhole(current) ? null : recordsAround(lexical, view, current, query, around()),
      },
    }
  }

  private wholeOf(view: LexicalView): Whole {
    const whole: Whole = this.wholes.get(view) ?? { code: wholeCode(view), ready: null }
    this.wholes.set(view, whole)
    return whole
  }

  private async putCode(
    engine: SemanticEngine,
    vectors: VectorIndex,
    { repo, view }: Asked,
    code: SemanticCode,
    patience: Patience,
  ): Promise<void> {
    const put = () => this.putMissing(engine, vectors, repo, code)
    if (!isWhole(view)) return this.inTurn(repo, patience, put)
    const whole = this.wholeOf(view)
    whole.ready ??= this.inTurn(repo, patience, put)
    try {
      await whole.ready
    } catch (thrown) {
      whole.ready = null
      throw thrown
    }
  }

  /** After whoever puts something in for this repo now: he may have had the same to do. */
  private async inTurn(repo: RepoId, patience: Patience, put: () => Promise<void>): Promise<void> {
    for (let busy = this.filling.get(repo); busy !== undefined; busy = this.filling.get(repo)) {
      await busy.catch(() => undefined)
      if (patience.isOver) throw new Unusable('nobody waits for it any more')
    }
    const work = put()
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
    const wanted = [...code.files, ...code.symbols].filter((key) => !this.texts.isSilent(key))
    const missing = await vectors.missing(repo, wanted)
    const textsOf = (keys: typeof missing) => keys.map((key) => ({ key, text: code.textOf(key) }))
    await this.texts.put(engine, repo, missing, textsOf, (made) => vectors.upsert(repo, made, null))
  }
}

type Asked = {
  readonly repo: RepoId
  readonly index: RepoIndex
  readonly view: LexicalView
  readonly goal: string
  readonly focus: readonly string[]
}
type Compared = { readonly code: SemanticCode; readonly records: ComparedRecords }
type Whole = { readonly code: SemanticCode; ready: Promise<void> | null }
/** Whether the pack that wanted it has gone on without. */
type Patience = { readonly isOver: boolean }

/** What one of is known to any embedder: its vector tells how long they are. */
const ANY_TEXTS = ['verify a password', 'read a file', 'parse a number']

/** No embedder, or none now, for a reason that is no fault of the user's. */
class Unusable extends Error {}
