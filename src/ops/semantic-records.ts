import { recordText } from '../domain/embedding-text.ts'
import type { LexicalIndex } from '../domain/lexical.ts'
import type { RecordId } from '../domain/record.ts'
import type { RepoId } from '../domain/repo.ts'
import type { Vector } from '../domain/vector.ts'
import { recordKey, recordOf, type VectorKey } from '../domain/vector-key.ts'
import { LIMITS } from '../domain/weights.ts'
import type { VectorIndex } from '../index/vectors.ts'
import type { Store } from '../store/store.ts'
import type { RepoIndex } from './code-indexes.ts'
import type { NamedText, SemanticEngine, SemanticTexts } from './semantic-texts.ts'

/** Every name under which an index has vectors of a repo; `clear` each to forget it. */
export function shelvesOf(repo: RepoId): readonly string[] {
  return [repo, allOf(repo), askedOf(repo)]
}

/** What is compared of a repo's records: `asked` null is all of them. */
export type ComparedRecords = { readonly repo: RepoId; readonly asked: readonly RecordId[] | null }

/**
 * The vectors of a repo's current records. Where all are compared they have a shelf to themselves that
 * holds exactly those, up to its position in the log; where not, another that holds what packs asked
 * about. A superseded record leaves when the log is past what superseded it; what was put in before
 * the newest purge goes as a whole, whoever put it there.
 */
export class SemanticRecords {
  private readonly settled = new WeakMap<LexicalIndex, Map<string, Settled>>()

  constructor(
    private readonly store: Store,
    private readonly texts: SemanticTexts,
  ) {}

  /**
   * `in`: `put` would change nothing. `cleared`: somebody emptied the index since the last `put`, of
   * code too.
   */
  async state(
    vectors: VectorIndex,
    { lexical }: RepoIndex,
    compared: ComparedRecords,
  ): Promise<'in' | 'behind' | 'cleared'> {
    const shelf = nameOf(compared)
    const known = this.settled.get(lexical)?.get(shelf)
    if (known === undefined) return 'behind'
    const position = await vectors.position(shelf)
    if (position < 0 && known.position >= 0) return 'cleared'
    const isSame = position === known.position && lexical.recordEdition === known.edition
    return isSame && compared.asked === null ? 'in' : 'behind'
  }

  /** Puts in what is missing and takes out what is no longer current. */
  async put(
    engine: SemanticEngine,
    vectors: VectorIndex,
    index: RepoIndex,
    compared: ComparedRecords,
  ): Promise<void> {
    const { repo, asked } = compared
    const [shelf, other] =
      asked === null ? [allOf(repo), askedOf(repo)] : [askedOf(repo), allOf(repo)]
    const { lexical, end, purgedAt, retired } = index
    const edition = lexical.recordEdition
    if (!this.settled.get(lexical)?.has(shelf)) await vectors.clear(other)
    const position = await swept(vectors, shelf, index)
    const keys =
      asked === null
        ? lexical.recordIds(lexical.recordView(), position).map(recordKey)
        : await this.missing(vectors, shelf, asked)
    const textsOf = (some: readonly VectorKey[]) => this.textsOf(repo, lexical, some)
    await this.texts.put(engine, repo, keys, textsOf, (made) => vectors.upsert(shelf, made, null))
    const isBehind = position < Math.max(purgedAt, retired.at(-1)?.at ?? 0)
    const noted = keys.length > 0 || isBehind ? end : position
    if (noted !== position) await vectors.upsert(shelf, [], noted)
    this.settled.set(lexical, new Map([[shelf, { edition, position: noted }]]))
  }

  /** Closest first; ties by id. */
  async search(
    vectors: VectorIndex,
    { lexical }: RepoIndex,
    compared: ComparedRecords,
    query: Vector,
  ): Promise<readonly RecordId[]> {
    const shelf = nameOf(compared)
    const among = compared.asked?.map(recordKey) ?? null
    // Another daemon may have put in what this one has not read yet, or not taken out what it has.
    for (let limit = LIMITS.records + SPARE; ; limit *= 4) {
      const hits = await vectors.search(shelf, query, among, limit)
      const current = hits.map(({ key }) => recordOf(key)).filter((id) => lexical.hasRecord(id))
      if (current.length >= LIMITS.records || hits.length < limit) {
        return current.slice(0, LIMITS.records)
      }
    }
  }

  /** Of those that are current. */
  private async textsOf(
    repo: RepoId,
    lexical: LexicalIndex,
    keys: readonly VectorKey[],
  ): Promise<readonly NamedText[]> {
    const records = await this.store.recordTexts(repo, keys.map(recordOf))
    return records
      .filter(({ id }) => lexical.hasRecord(id))
      .map(({ id, summary, body }) => ({ key: recordKey(id), text: recordText(summary, body) }))
  }

  private async missing(vectors: VectorIndex, shelf: string, ids: readonly RecordId[]) {
    const keys = ids.map(recordKey).filter((key) => !this.texts.isSilent(key))
    return vectors.missing(shelf, keys)
  }
}

/** As of which records a shelf holds what it should. */
type Settled = { readonly edition: number; readonly position: number }

const SPARE = 4

const allOf = (repo: RepoId) => `${repo}/records`
const askedOf = (repo: RepoId) => `${repo}/records-asked`

function nameOf({ repo, asked }: ComparedRecords): string {
  return asked === null ? allOf(repo) : askedOf(repo)
}

/** Takes out what was purged or superseded since the position that a shelf has, and gives that. */
async function swept(
  vectors: VectorIndex,
  shelf: string,
  { retired, purgedAt }: RepoIndex,
): Promise<number> {
  const position = await vectors.position(shelf)
  if (position < 0) return position
  if (position < purgedAt) {
    await vectors.clear(shelf)
    return -1
  }
  const gone = retired.slice(retired.findLastIndex(({ at }) => at <= position) + 1)
  if (gone.length > 0)
    await vectors.delete(
      shelf,
      gone.map(({ id }) => recordKey(id)),
    )
  return position
}
