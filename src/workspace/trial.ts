import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { isAncestor } from './ancestry.ts'
import { type Clone, storeGit } from './clone.ts'
import { baseTree, type TreeId } from './commit.ts'
import type { Host } from './host.ts'
import { jj } from './jj.ts'
import { type Revision, readRevision, readRevisions } from './revision.ts'
import { treeOf } from './tree.ts'

/** What a change comes to on another commit. Nothing in any workspace or history shows it. */
export type Trial = {
  readonly commit: CommitId
  /** Null with a conflict: the tree git would show holds jj's own folders, and must never land. */
  readonly tree: TreeId | null
  readonly conflict: boolean
  readonly conflictedFiles: readonly string[]
  /** Nothing differs from what it was put on. */
  readonly empty: boolean
}

/**
 * Puts the task's own commits (`base..tip`) on `onto`, on the side. `tip` may be an older state of
 * the task. When the task stands there already nothing runs, and `tip` itself is the answer.
 * Faults: `conflict` reason `base_lost` (tip does not stand on base), `refused_rule` reason
 * `immutable` (commits of trunk are among the task's own), and as `diagnose` says.
 */
export async function trial(
  host: Host,
  clone: Clone,
  at: { readonly base: CommitId | null; readonly tip: CommitId; readonly onto: CommitId | null },
): Promise<Trial> {
  const { base, tip, onto } = at
  if (base !== null && !(await isAncestor(host, clone, base, tip))) throw baseLost(base, tip)
  // A task without commits of its own: what would land is trunk as it is.
  const own = tip === base && onto !== null ? onto : tip
  const { revision } = await readRevision(host, clone, own, { ignoreFiles: true })
  if (base === onto || own === onto) return trialOf(host, clone, revision, onto)
  const roots = `roots(${base ?? 'root()'}..${tip})`
  const target = onto ?? 'root()'
  const operation = await runAside(host, clone, ['rebase', '-s', roots, '-o', target])
  const made = await rebased(host, clone, operation, revision.change, target)
  return trialOf(host, clone, made, onto)
}

/**
 * The new commit of that change. When `tip` is not the newest state of its task, or the agent put
 * the task on trunk itself, there are two of the change, and the one that is visible is not it.
 */
async function rebased(
  host: Host,
  clone: Clone,
  operation: string,
  change: string,
  onto: string,
): Promise<Revision> {
  const there = `at_operation(${operation}, change_id(${change}) & ${onto}::)`
  const options = { ignoreFiles: true }
  const fresh = await readRevisions(host, clone, `${there} ~ change_id(${change})`, options)
  const [only, ...others] = fresh.revisions
  if (only !== undefined && others.length === 0) return only
  // None is new: the agent's own rebase, in the same second, gave the very same commit.
  return (await readRevision(host, clone, there, options)).revision
}

/** Runs a jj command whose outcome is kept out of the store's history, and returns its operation. */
export async function runAside(host: Host, clone: Clone, args: readonly string[]): Promise<string> {
  const aside = ['--no-integrate-operation', ...args]
  const ran = await jj(host, clone, aside, { ignoreFiles: true })
  const operation = LEFT_ASIDE.exec(ran.stderr)?.[1]
  if (operation !== undefined) return operation
  throw new Fault(
    'internal',
    `jj ${args[0]} had nothing to do, where a change was expected.`,
    'Take a checkpoint to see where the task stands now.',
    { detail: { reason: 'trial_no_op', stderr: ran.stderr.slice(0, 2_048) } },
  )
}

const LEFT_ASIDE =
  /^Operation left uncommitted because --no-integrate-operation was requested: ([0-9a-f]+)$/m

/** A revision as the outcome of a trial on `onto`. */
export async function trialOf(
  host: Host,
  clone: Clone,
  revision: Revision,
  onto: CommitId | null,
): Promise<Trial> {
  const { commit, conflict, conflictedFiles } = revision
  if (conflict) return { commit, tree: null, conflict, conflictedFiles, empty: false }
  const store = { gitDir: storeGit(clone) }
  const [tree, under] = await Promise.all([
    treeOf(host, store, commit),
    onto === null ? baseTree(null, commit) : treeOf(host, store, onto),
  ])
  return { commit, tree, conflict, conflictedFiles, empty: tree === under }
}

function baseLost(base: CommitId, tip: CommitId): Fault {
  return new Fault(
    'conflict',
    'The task no longer stands on the commit it was started from.',
    'Take a checkpoint to see where the task stands now.',
    { detail: { reason: 'base_lost', base, tip } },
  )
}
