import type { RepoId } from '../domain/repo.ts'
import { type VectorKey, vectorKey } from '../domain/vector-key.ts'
import type { Embedder } from '../index/embedder.ts'
import type { VectorEntry, VectorIndex } from '../index/vectors.ts'
import type { KeptVector, Store } from '../store/store.ts'

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

/** `key` names its vector in an index. */
export type NamedText = { readonly key: VectorKey; readonly text: string }

/** Makes the vectors of a repo's texts, and asks an endpoint once for each. */
export class SemanticTexts {
  /** Texts that say nothing to the embedder. */
  private readonly silent = new Set<VectorKey>()

  constructor(private readonly store: Store) {}

  isSilent(key: VectorKey): boolean {
    return this.silent.has(key)
  }

  /** Puts texts into an index, in parts; between two others get their turn. */
  async put(
    engine: SemanticEngine,
    repo: RepoId,
    keys: readonly VectorKey[],
    textsOf: (keys: readonly VectorKey[]) => Promise<readonly NamedText[]> | readonly NamedText[],
    into: (entries: readonly VectorEntry[]) => Promise<void>,
  ): Promise<void> {
    const atOnce = engine.isRemote ? REMOTE_TEXTS_AT_ONCE : TEXTS_AT_ONCE
    for (let start = 0; start < keys.length; start += atOnce) {
      const texts = await textsOf(keys.slice(start, start + atOnce))
      await into(await this.vectors(engine, repo, texts))
      await Bun.sleep(0)
    }
  }

  /** One for each text that says something. */
  async vectors(
    { embedder, isRemote }: SemanticEngine,
    repo: RepoId,
    texts: readonly NamedText[],
  ): Promise<readonly VectorEntry[]> {
    const made = isRemote
      ? await this.kept(embedder, repo, texts)
      : await embedder.embed(texts.map(({ text }) => text))
    return texts.flatMap(({ key }, at) => {
      const vector = made[at] ?? null
      if (vector !== null) return [{ key, vector }]
      if (this.silent.size >= SILENT_MAX) this.silent.clear()
      this.silent.add(key)
      return []
    })
  }

  /** The answers kept in the store, by the texts' hashes, first having kept those that were not there. */
  private async kept(embedder: Embedder, repo: RepoId, texts: readonly NamedText[]) {
    const { id } = embedder
    const textOf = new Map(texts.map(({ text }) => [vectorKey(text), text]))
    const hashes = [...textOf.keys()]
    const known = await this.store.vectors(repo, id, hashes)
    const there = new Set(known.map(({ key }) => key))
    const rest = hashes.filter((hash) => !there.has(hash))
    if (rest.length > 0) {
      const answers = await embedder.embed(rest.map((hash) => textOf.get(hash)!))
      const fresh = rest.map((key, at): KeptVector => ({ key, vector: answers[at] ?? null }))
      await this.store.putVectors(repo, id, fresh)
    }
    // Read again: another daemon may have been first with an answer that differs.
    const all = [...known, ...(rest.length > 0 ? await this.store.vectors(repo, id, rest) : [])]
    const vectorOf = new Map(all.map(({ key, vector }) => [key, vector]))
    return texts.map(({ text }) => vectorOf.get(vectorKey(text)) ?? null)
  }
}

/** Texts embedded and put in at once. */
const TEXTS_AT_ONCE = 512
/** So many are kept after each answer of an endpoint, and not asked for again. */
const REMOTE_TEXTS_AT_ONCE = 64
const SILENT_MAX = 20_000
