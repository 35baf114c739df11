import type { CommitId } from '../domain/repo.ts'
import { readBlobs } from './blobs.ts'
import { type Clone, storeGit } from './clone.ts'
import type { GitPlace } from './git.ts'
import type { Host } from './host.ts'
import { readRevision } from './revision.ts'
import { listTree } from './tree.ts'

/**
 * Of `paths`, those that still hold more conflict markers at `tip` than at `base`, or are
 * conflicted for jj: a half removed block is plain text to jj. In the order of `paths`. Of a file
 * over 64 MiB only jj's word counts.
 */
export async function markersLeft(
  host: Host,
  clone: Clone,
  at: {
    readonly base: CommitId | null
    readonly tip: CommitId
    readonly paths: readonly string[]
  },
): Promise<readonly string[]> {
  if (at.paths.length === 0) return []
  const { revision } = await readRevision(host, clone, at.tip, { ignoreFiles: true })
  const conflicted = new Set(revision.conflictedFiles)
  // In a commit with conflicts git sees the other files as they are, besides jj's own folders.
  const plain = new Set(at.paths.filter((path) => !conflicted.has(path)))
  const store = { gitDir: storeGit(clone) }
  const now = await countMarkers(host, store, at.tip, plain)
  const held = new Set([...now].flatMap(([path, count]) => (count > 0 ? [path] : [])))
  const before = await countMarkers(host, store, at.base, held)
  return at.paths.filter(
    (path) => conflicted.has(path) || (now.get(path) ?? 0) > (before.get(path) ?? 0),
  )
}

/**
 * A line that begins or parts a side of a conflict, in the style of git or of jj. jj draws a longer
 * one where a file has such lines itself; those of `=` and `-` then pass for the underlines of
 * headings, which they are far more often. `$` is also before a carriage return.
 */
const MARKER = /^(?:<{7,}|>{7,}|\|{7,}|%{7,}|\+{7,}|\\{7,}|={7}|-{7})(?: |$)/gm

const BLOB_BYTES_MAX = 64 * 1024 * 1024

async function countMarkers(
  host: Host,
  place: GitPlace,
  commit: CommitId | null,
  paths: ReadonlySet<string>,
): Promise<Map<string, number>> {
  if (paths.size === 0) return new Map()
  const files = (await listTree(host, place, commit)).filter(
    ({ path, mode }) => paths.has(path) && mode !== '160000',
  )
  const ids = files.map(({ blob }) => blob)
  const counts = new Map<string, number>()
  let next = 0
  for await (const { bytes } of readBlobs(host, place, ids, BLOB_BYTES_MAX)) {
    const path = files[next++]?.path ?? ''
    // Latin-1: every byte is one character, and no line end but the two there are.
    counts.set(path, bytes?.toString('latin1').match(MARKER)?.length ?? 0)
  }
  return counts
}
