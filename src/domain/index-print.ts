import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { FileIndex } from './code.ts'
import type { TreeEntry } from './code-view.ts'

/** 32 hex digits that tell one file index from another; equal for equal content. */
export function filePrint(file: FileIndex): string {
  // A store or a client may leave out what there is none of.
  return printOf({ ...file, links: file.links ?? [] })
}

/** The same for a listing, in its order. */
export function treePrint(entries: readonly TreeEntry[]): string {
  return printOf(entries.map(({ path, blob }) => [path, blob]))
}

function printOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32)
}
