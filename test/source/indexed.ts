import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { indexFile } from '../../src/source/file-index.ts'
import type { SourceFile } from '../../src/source/parse-file.ts'

export function sourceFile(path: string, content: string | Uint8Array): SourceFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { blob: `blob of ${path}` as BlobId, path, bytes }
}

/** The index of a file that must have one. */
export async function indexOf(path: string, content: string | Uint8Array): Promise<FileIndex> {
  const result = await indexFile(sourceFile(path, content))
  if (result.kind !== 'indexed') throw new Error(`${path} was left out: ${result.reason}`)
  return result.index
}

/** Why a file has no index. */
export async function reasonFor(path: string, content: string | Uint8Array): Promise<string> {
  const result = await indexFile(sourceFile(path, content))
  return result.kind === 'left_out' ? result.reason : `it is ${result.index.status}`
}
