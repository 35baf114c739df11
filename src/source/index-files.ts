import type { BlobId } from '../domain/code.ts'
import { indexFile } from './file-index.ts'
import type { SourceFile, SourceResult } from './parse-file.ts'
import { createParsePool } from './parse-pool.ts'

/** A file whose content may be gone by the time it is read (`bytes` null): it is passed over. */
type FileAtHand = {
  readonly blob: BlobId
  readonly path: string
  readonly bytes: Uint8Array | null
}

/**
 * Indexes files, of which about `expected` will come, in no stated order: a few in this thread, which
 * costs no worker its start, more in workers of their own.
 */
export async function* indexFiles(
  files: AsyncIterable<FileAtHand>,
  expected: number,
): AsyncGenerator<SourceResult> {
  if (expected <= FILES_HERE_MAX) {
    for await (const file of present(files)) yield await indexFile(file)
    return
  }
  const pool = createParsePool({ workers: workersFor(navigator.hardwareConcurrency) })
  try {
    yield* pool.index(present(files))
  } finally {
    pool.close()
  }
}

/**
 * This thread, the daemon and the engine's compiler have work in proportion: on two cores a second worker only adds
 * the second of computing that it takes to be fast.
 */
function workersFor(cores: number): number {
  return Math.min(2, Math.max(1, cores - 1))
}

/** A worker takes some 50 ms to be of use. */
const FILES_HERE_MAX = 20

async function* present(files: AsyncIterable<FileAtHand>): AsyncGenerator<SourceFile> {
  for await (const { blob, path, bytes } of files) if (bytes !== null) yield { blob, path, bytes }
}
