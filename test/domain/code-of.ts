import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { LexicalIndex, type LexicalView } from '../../src/domain/lexical.ts'
import { indexFile } from '../../src/source/file-index.ts'

/** A repository by path and text; each file's blob is named by its path and text. */
export type Texts = Readonly<Record<string, string>>

/** The files as the client would send them, in the order of their paths in `texts`. */
export async function indexesOf(texts: Texts): Promise<readonly (readonly [string, FileIndex])[]> {
  const found: [string, FileIndex][] = []
  for (const [path, text] of Object.entries(texts)) {
    const blob = `${path} ${Bun.hash(text).toString(16)}` as BlobId
    const result = await indexFile({ path, blob, bytes: new TextEncoder().encode(text) })
    if (result.kind === 'indexed') found.push([path, result.index])
  }
  return found
}

export function viewOf(
  files: readonly (readonly [string, FileIndex])[],
  index: LexicalIndex = new LexicalIndex(),
): { readonly index: LexicalIndex; readonly view: LexicalView } {
  for (const [path, file] of files) index.addFile(path, file)
  return { index, view: index.view(files.map(([path, { blob }]) => ({ path, blob }))) }
}
