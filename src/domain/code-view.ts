import type { BlobId } from './code.ts'

/** Names a listed tree: the git tree id, a slash, and the version of scan and parser. */
export type TreeKey = string & { readonly __brand: 'TreeKey' }

/** A file of a tree; `blob` null: it is there, but left out of the index. */
export type TreeEntry = { readonly path: string; readonly blob: BlobId | null }
/** A file that differs from the tree on disk; as above, or `gone`. */
export type OverlayEntry = TreeEntry & { readonly gone: boolean }

/** The code a caller stands on: a listed tree, and what differs from it on disk. Paths are distinct. */
export type CodeView = {
  readonly tree: TreeKey
  readonly overlay: readonly OverlayEntry[]
}

export const OVERLAY_MAX = 20_000

/** The version of scan and parser that a tree was listed by. */
export function versionOf(tree: TreeKey): string {
  return tree.slice(tree.indexOf('/') + 1)
}

/** The files of a view: those of the tree, as the overlay changes them. */
export function applyOverlay(
  tree: readonly TreeEntry[],
  overlay: readonly OverlayEntry[],
): readonly TreeEntry[] {
  if (overlay.length === 0) return tree
  const changed = new Map(overlay.map((entry) => [entry.path, entry]))
  const kept = tree.filter(({ path }) => !changed.has(path))
  return [...kept, ...overlay.filter(({ gone }) => !gone)]
}
