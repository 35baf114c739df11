import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobId } from '../domain/code.ts'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import { storeGit } from './clone.ts'
import { objectFormatOf } from './git-dir.ts'
import type { Host } from './host.ts'
import { type Ground, scan } from './scan.ts'

/** A file that differs on disk from a commit. */
export type DiskFile = {
  readonly path: string
  /**
   * Null: it is gone (`mode` null), or larger than what was to be hashed. A symbolic link's is of
   * the text it holds; nothing is followed.
   */
  readonly blob: BlobId | null
  readonly mode: '100644' | '100755' | '120000' | null
  /** Bytes on disk; 0 when gone. */
  readonly size: number
}

/**
 * Which files of a workspace or checkout differ on disk from `base`, ordered by the bytes of the
 * path: changed, new (ignored ones left out) and gone. Contents are hashed as they lie there, up to
 * `bytesMax` a file.
 * Repositories inside the folder and names that are not UTF-8 are passed over.
 */
export async function overlay(
  host: Host,
  ground: Ground,
  base: CommitId | null,
  bytesMax: number = Number.POSITIVE_INFINITY,
): Promise<DiskFile[]> {
  const { entries } = await scan(host, ground, base)
  const format = objectFormatOf(storeGit(ground.clone))
  return entries
    .filter(({ path }) => !JJ_REPOSITORY.test(path))
    .map(({ path }) => diskFile(ground.folder, path, format, bytesMax))
    .sort((a, b) => compareBytes(a.path, b.path))
}

/** jj's own data, in a repository of jj alone that somebody made inside the folder. */
const JJ_REPOSITORY = /(?:^|\/)\.jj\//

function diskFile(
  folder: string,
  path: string,
  format: 'sha1' | 'sha256',
  bytesMax: number,
): DiskFile {
  const file = join(folder, path)
  const gone = { path, blob: null, mode: null, size: 0 } as const
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) {
      const text = readlinkSync(file, { encoding: 'buffer' })
      const blob = blobHash(format, text.length).update(text).digest('hex') as BlobId
      return { path, blob, mode: '120000', size: text.length }
    }
    if (!stat?.isFile()) return gone
    const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755'
    if (stat.size > bytesMax) return { path, mode, blob: null, size: stat.size }
    return { path, mode, ...hashFile(file, format) }
  } catch (thrown) {
    // It vanished, or became a folder, since git saw it.
    if (thrown instanceof Error && 'code' in thrown && VANISHED.has(String(thrown.code))) {
      return gone
    }
    throw thrown
  }
}

const VANISHED = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'])
const CHUNK_BYTES = 1024 * 1024

function hashFile(file: string, format: 'sha1' | 'sha256'): { blob: BlobId; size: number } {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const hash = blobHash(format, size)
    const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES))
    for (let at = 0; at < size; ) {
      const read = readSync(handle, chunk, 0, Math.min(chunk.length, size - at), at)
      // Cut short while being read: the hash is of no file, and the next look sees the new one.
      if (read === 0) break
      hash.update(chunk.subarray(0, read))
      at += read
    }
    return { blob: hash.digest('hex') as BlobId, size }
  } finally {
    closeSync(handle)
  }
}

function blobHash(format: 'sha1' | 'sha256', size: number): Hash {
  return createHash(format).update(`blob ${size}\0`)
}
