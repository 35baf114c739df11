import { type CarryVerdict, carry, type PatchFacts } from '../domain/carry.ts'
import type { CommitId } from '../domain/repo.ts'
import { isAncestor } from './ancestry.ts'
import type { Span } from './changes.ts'
import { type Clone, storeGit } from './clone.ts'
import type { TreeId } from './commit.ts'
import type { Host } from './host.ts'
import { patchIdentity, patchOf } from './patch.ts'
import { treeOf } from './tree.ts'
import type { Trial } from './trial.ts'

export type CarryQuestion = {
  /** What was reviewed, as it was stored: a commit on its base, its tree, its patch identity. */
  readonly verdict: {
    readonly base: CommitId | null
    readonly tip: CommitId
    readonly tree: string
    readonly patch: string
  }
  /** What the task holds now. */
  readonly tip: CommitId
  /** Trunk as it is now; null before its first commit. */
  readonly onto: CommitId | null
  /** Of the verdict's own tip on `onto`: nothing that an agent did by hand counts as the rebase. */
  readonly trial: Trial
  readonly globs: (path: string) => boolean
}

/**
 * Whether the verdict holds for `trial`, with the patch identity of what would land (to be stored
 * with the verdict when it carries; empty when it is void and could not be told). Never faults:
 * what cannot be read, for whatever reason, makes the verdict void.
 */
export async function carryVerdict(
  host: Host,
  clone: Clone,
  at: CarryQuestion,
): Promise<CarryVerdict & { readonly patch: string }> {
  const { verdict, tip, onto, trial } = at
  const store = { gitDir: storeGit(clone) }
  const sameBase = verdict.base === onto
  const patch = (base: CommitId | null, to: CommitId) =>
    orNull(() => patchFacts(host, clone, { base, tip: to }))
  const comparable = !sameBase && !trial.conflict
  const [reviewedTree, currentTree, landed, before, after] = await Promise.all([
    orNull(() => treeOf(host, store, verdict.tip)),
    orNull(() => treeOf(host, store, tip)),
    orNull(() => confirmedTree(host, clone, trial, onto)),
    comparable ? patch(verdict.base, verdict.tip) : null,
    comparable ? patch(onto, trial.commit) : null,
  ])
  const overlaps = before !== null && after !== null && before.identity !== after.identity
  const { conflict, conflictedFiles, empty } = trial
  const decided = carry({
    verdict,
    reviewedTree,
    currentTree,
    sameBase,
    landing: { tree: landed, conflict, conflictedFiles, empty },
    before,
    after,
    trunk: overlaps && onto !== null ? await patch(verdict.base, onto) : null,
    inGlobs: at.globs,
  })
  if (sameBase && decided.result === 'carry') return { ...decided, patch: verdict.patch }
  return { ...decided, patch: after?.identity ?? '' }
}

/** The tree of the trial's commit, when it is the one the trial tells of and stands on `onto`. */
async function confirmedTree(
  host: Host,
  clone: Clone,
  trial: Trial,
  onto: CommitId | null,
): Promise<TreeId | null> {
  const tree = await treeOf(host, { gitDir: storeGit(clone) }, trial.commit)
  const stands = onto === null || (await isAncestor(host, clone, onto, trial.commit))
  return stands && tree === trial.tree ? tree : null
}

async function patchFacts(host: Host, clone: Clone, span: Span): Promise<PatchFacts> {
  const patch = await patchOf(host, { gitDir: storeGit(clone) }, span)
  return { identity: patchIdentity(patch), files: patch.files }
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch {
    return null
  }
}
