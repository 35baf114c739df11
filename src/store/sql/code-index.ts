import { and, asc, eq, sql } from 'drizzle-orm'
import type { BlobId, FileIndex } from '../../domain/code.ts'
import type { TreeEntry, TreeKey } from '../../domain/code-view.ts'
import { compareBytes } from '../../domain/order.ts'
import type { RepoId } from '../../domain/repo.ts'
import type { Queries } from '../database.ts'
import { fileIndex, tree } from '../schema-code.ts'
import { NOW } from './fact.ts'
import { pack, unpack } from './packed-json.ts'

const FILES_PER_STATEMENT = 500
const BLOBS_PER_STATEMENT = 5_000
const UNPARSABLE_SHOWN = 50
/** A repo's listed trees are worth keeping while clients stand on them; more are listed anew. */
const TREES_MAX = 20

export async function missingFiles(
  queries: Queries,
  repo: RepoId,
  version: string,
  blobs: readonly BlobId[],
): Promise<readonly BlobId[]> {
  const wanted = [...new Set(blobs)]
  const known = new Set<BlobId>()
  for (const some of slices(wanted, BLOBS_PER_STATEMENT)) {
    const rows = await queries
      .select({ blob: fileIndex.blob })
      .from(fileIndex)
      .where(isOneOf(repo, version, some))
    for (const { blob } of rows) known.add(blob)
  }
  return wanted.filter((blob) => !known.has(blob))
}

/**
 * What is there already stays. In order of content hash, so that two that put the same files cannot wait for each other;
 * text arrays of base64 go to both drivers alike.
 */
export async function putFiles(
  queries: Queries,
  repo: RepoId,
  version: string,
  files: readonly FileIndex[],
): Promise<void> {
  const ordered = files.toSorted((a, b) => compareBytes(a.blob, b.blob))
  for (const some of slices(ordered, FILES_PER_STATEMENT)) {
    const blobs = some.map(({ blob }) => blob)
    const languages = some.map(({ language }) => language)
    const statuses = some.map(({ status }) => status)
    const docs = some.map((file) => pack(file).toString('base64'))
    await queries.execute(sql`
      insert into file_index (repo, version, blob, language, status, doc)
      select ${repo}, ${version}, f.blob, f.language, f.status, decode(f.doc, 'base64')
      from unnest(${sql.param(blobs)}::text[], ${sql.param(languages)}::text[], ${sql.param(statuses)}::text[],
        ${sql.param(docs)}::text[]) as f (blob, language, status, doc)
      on conflict do nothing`)
  }
}

export async function findFiles(
  queries: Queries,
  repo: RepoId,
  version: string,
  blobs: readonly BlobId[],
): Promise<readonly FileIndex[]> {
  const found: FileIndex[] = []
  for (const some of slices([...new Set(blobs)], FILES_PER_STATEMENT)) {
    const rows = await queries
      .select({ doc: fileIndex.doc })
      .from(fileIndex)
      .where(isOneOf(repo, version, some))
    for (const { doc } of rows) found.push(unpack(doc) as FileIndex)
  }
  return found
}

export async function unparsable(
  queries: Queries,
  repo: RepoId,
  version: string,
): Promise<{ readonly count: number; readonly blobs: readonly BlobId[] }> {
  const isUnparsable = and(
    eq(fileIndex.repo, repo),
    eq(fileIndex.version, version),
    sql`status = 'unparsable'`,
  )
  const rows = await queries
    .select({ blob: fileIndex.blob, count: sql<number>`count(*) over ()`.mapWith(Number) })
    .from(fileIndex)
    .where(isUnparsable)
    .orderBy(asc(fileIndex.blob))
    .limit(UNPARSABLE_SHOWN)
  return { count: rows[0]?.count ?? 0, blobs: rows.map(({ blob }) => blob) }
}

export async function putTree(
  queries: Queries,
  repo: RepoId,
  key: TreeKey,
  entries: readonly TreeEntry[],
): Promise<void> {
  const doc = pack(entries.map(({ path, blob }) => [path, blob]))
  await queries
    .insert(tree)
    .values({ repo, key, doc, touchedAt: NOW })
    .onConflictDoUpdate({ target: [tree.repo, tree.key], set: { doc, touchedAt: NOW } })
  await queries.execute(sql`
    delete from tree where repo = ${repo} and key not in (
      select key from tree where repo = ${repo} order by touched_at desc, key limit ${TREES_MAX})`)
}

export async function findTree(
  queries: Queries,
  repo: RepoId,
  key: TreeKey,
): Promise<readonly TreeEntry[] | null> {
  const isThis = and(eq(tree.repo, repo), eq(tree.key, key))
  const [row] = await queries
    .select({
      doc: tree.doc,
      isStale: sql<boolean>`${tree.touchedAt} < av_now() - interval '1 hour'`,
    })
    .from(tree)
    .where(isThis)
  if (row === undefined) return null
  if (row.isStale) await queries.update(tree).set({ touchedAt: NOW }).where(isThis)
  return unpackTree(row.doc)
}

export function unpackTree(doc: Uint8Array): readonly TreeEntry[] {
  const entries = unpack(doc) as readonly (readonly [string, BlobId | null])[]
  return entries.map(([path, blob]) => ({ path, blob }))
}

/** One array, not one parameter a blob: there may be thousands. */
function isOneOf(repo: RepoId, version: string, blobs: readonly BlobId[]) {
  return and(
    eq(fileIndex.repo, repo),
    eq(fileIndex.version, version),
    sql`${fileIndex.blob} = any(${sql.param(blobs)}::text[])`,
  )
}

function* slices<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}
