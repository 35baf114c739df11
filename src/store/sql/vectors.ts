import { and, eq, inArray, sql } from 'drizzle-orm'
import { compareBytes } from '../../domain/order.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { VectorKey } from '../../domain/vector-key.ts'
import type { Queries } from '../database.ts'
import { vector } from '../schema-code.ts'
import type { KeptVector } from '../store.ts'

const KEYS_PER_STATEMENT = 2_000

export async function findVectors(
  queries: Queries,
  repo: RepoId,
  embedder: string,
  keys: readonly VectorKey[],
): Promise<readonly KeptVector[]> {
  const found: KeptVector[] = []
  for (let start = 0; start < keys.length; start += KEYS_PER_STATEMENT) {
    const rows = await queries
      .select({ key: vector.key, int8s: vector.int8s })
      .from(vector)
      .where(
        and(
          ...[eq(vector.repo, repo), eq(vector.embedder, embedder)],
          inArray(vector.key, keys.slice(start, start + KEYS_PER_STATEMENT)),
        ),
      )
    for (const { key, int8s } of rows) {
      found.push({ key, vector: int8s.length === 0 ? null : new Int8Array(int8s) })
    }
  }
  return found
}

/** What is there already stays. In the order of their keys, so that two writers cannot wait for each other. */
export async function putVectors(
  queries: Queries,
  repo: RepoId,
  embedder: string,
  given: readonly KeptVector[],
): Promise<void> {
  const ordered = given.toSorted((a, b) => compareBytes(a.key, b.key))
  const keys = ordered.map(({ key }) => key)
  const int8s = ordered.map((each) => base64(each.vector))
  await queries.execute(sql`
    insert into vector (repo, embedder, key, int8s)
    select ${repo}, ${embedder}, v.key, decode(v.int8s, 'base64')
    from unnest(${sql.param(keys)}::text[], ${sql.param(int8s)}::text[]) as v (key, int8s)
    on conflict do nothing`)
}

/** How long the vectors of an embedder are; null when none is kept. */
export async function vectorLength(
  queries: Queries,
  repo: RepoId,
  embedder: string,
): Promise<number | null> {
  const [row] = await queries
    .select({ length: sql<number>`length(${vector.int8s})` })
    .from(vector)
    .where(
      and(
        ...[eq(vector.repo, repo), eq(vector.embedder, embedder)],
        sql`length(${vector.int8s}) > 0`,
      ),
    )
    .limit(1)
  return row?.length ?? null
}

function base64(int8s: Int8Array | null): string {
  if (int8s === null) return ''
  return Buffer.from(int8s.buffer, int8s.byteOffset, int8s.byteLength).toString('base64')
}
