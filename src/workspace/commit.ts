import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'

/** A git tree id, lower-case hex. */
export type TreeId = string & { readonly __brand: 'TreeId' }

const HEX = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** The one door through which text of git and jj becomes a commit id. */
export function commitId(text: string): CommitId {
  return objectId(text) as CommitId
}

export function treeId(text: string): TreeId {
  return objectId(text) as TreeId
}

export function objectId(text: string): string {
  const id = text.trim()
  if (HEX.test(id)) return id
  throw new Fault(
    'internal',
    `An object id was expected, "${id.slice(0, 80)}" came.`,
    'Report it with the versions of git and jj in use.',
    { detail: { reason: 'bad_object_id' } },
  )
}

/** jj's root commit, which git does not have: all zeros. */
export function isRoot(commit: string): boolean {
  return /^0+$/.test(commit)
}

const EMPTY_TREE_SHA1 = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const EMPTY_TREE_SHA256 = '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'

/** What stands for a base of null in a diff: the empty tree, in the hash that `like` is of. */
export function baseTree(base: CommitId | null, like: CommitId): string {
  return base ?? (like.length === 64 ? EMPTY_TREE_SHA256 : EMPTY_TREE_SHA1)
}
