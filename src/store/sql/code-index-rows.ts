import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { FileIndex } from '../../domain/code.ts'
import type { TreeKey } from '../../domain/code-view.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import { fileIndex, tree, vector } from '../schema-code.ts'
import type { FileKey, KeptFile, KeptTree } from '../store.ts'
import { unpackTree } from './code-index.ts'
import { unpack } from './packed-json.ts'

/** The rows of the code index in pages, as whoever compares or drops them goes through them. */
export async function filesAfter(
  queries: Queries,
  repo: RepoId,
  after: FileKey | null,
  limit: number,
): Promise<readonly KeptFile[]> {
  const { version, blob, doc } = fileIndex
  const later =
    after === null ? undefined : sql`(${version}, ${blob}) > (${after.version}, ${after.blob})`
  const rows = await queries
    .select({ version, blob, doc })
    .from(fileIndex)
    .where(and(eq(fileIndex.repo, repo), later))
    .orderBy(asc(version), asc(blob))
    .limit(limit)
  return rows.map(({ doc: kept, ...key }) => ({
    ...key,
    file: readable(() => unpack(kept) as FileIndex),
  }))
}

export async function treesAfter(
  queries: Queries,
  repo: RepoId,
  after: TreeKey | null,
  limit: number,
): Promise<readonly KeptTree[]> {
  const later = after === null ? undefined : gt(tree.key, after)
  const rows = await queries
    .select({ key: tree.key, doc: tree.doc })
    .from(tree)
    .where(and(eq(tree.repo, repo), later))
    .orderBy(asc(tree.key))
    .limit(limit)
  return rows.map(({ key, doc }) => ({ key, entries: readable(() => unpackTree(doc)) }))
}

/** Trees first: without its listing, no view of a tree takes a file for one that was lost. */
export async function dropCodeIndex(
  queries: Queries,
  repo: RepoId,
  limit: number,
): Promise<{ readonly dropped: number; readonly left: number }> {
  const trees = await queries
    .delete(tree)
    .where(
      and(
        eq(tree.repo, repo),
        sql`${tree.key} in (select key from tree where repo = ${repo} order by key limit ${limit})`,
      ),
    )
    .returning({ key: tree.key })
  const rest = limit - trees.length
  const files = await queries
    .delete(fileIndex)
    .where(
      and(
        eq(fileIndex.repo, repo),
        sql`(${fileIndex.version}, ${fileIndex.blob}) in (
          select version, blob from file_index where repo = ${repo} order by version, blob limit ${rest})`,
      ),
    )
    .returning({ blob: fileIndex.blob })
  const more = rest - files.length
  const vectors = await queries
    .delete(vector)
    .where(
      and(
        eq(vector.repo, repo),
        sql`(${vector.embedder}, ${vector.key}) in (
          select embedder, key from vector where repo = ${repo} order by embedder, key limit ${more})`,
      ),
    )
    .returning({ key: vector.key })
  const treesLeft = await queries.$count(tree, eq(tree.repo, repo))
  const filesLeft = await queries.$count(fileIndex, eq(fileIndex.repo, repo))
  const vectorsLeft = await queries.$count(vector, eq(vector.repo, repo))
  return {
    dropped: trees.length + files.length + vectors.length,
    left: treesLeft + filesLeft + vectorsLeft,
  }
}

/** Null for what was damaged: it is made anew, and stops nobody. */
function readable<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
