import type { ChangedFile, Incomplete } from '../domain/checkpoint.ts'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import { changedFiles, changedFilesOfConflict, type Span } from './changes.ts'
import { lockFile, storeGit } from './clone.ts'
import type { TreeId } from './commit.ts'
import { hasReason } from './diagnosis.ts'
import { settleBase } from './drift.ts'
import type { Host } from './host.ts'
import { findIncomplete } from './incomplete.ts'
import { jj } from './jj.ts'
import { withLock } from './lock.ts'
import { markersLeft } from './markers.ts'
import { folderMissing, isGone, mendInPlace, readopt, readyEntry } from './mend.ts'
import { type Patch, patchOf } from './patch.ts'
import { type Workspace, type WorkspaceEntry, writeEntry } from './registry.ts'
import { type Revision, readRevision, readRevisions } from './revision.ts'
import type { Ran } from './run.ts'
import { scan, workspaceGround } from './scan.ts'
import { moveShim } from './shim.ts'
import { treeOf } from './tree.ts'

/** What a workspace holds at one moment, recorded as a commit. */
export type Snapshot = {
  readonly commit: CommitId
  readonly change: string
  /** The commit the task stands on; null before the repository's first. */
  readonly base: CommitId | null
  /** The agent moved the task onto newer trunk by itself: a verdict on it is void. */
  readonly baseMoved: boolean
  readonly tree: TreeId | null
  /** Nothing differs from the base. */
  readonly empty: boolean
  readonly conflict: boolean
  readonly conflictedFiles: readonly string[]
  /**
   * What is left to resolve: jj's conflicted files, and those of an earlier conflict that still
   * hold markers, which jj takes for text. Ordered by the bytes of the path.
   */
  readonly conflicts: readonly string[]
  /** Against the base, ordered by the bytes of the path. */
  readonly files: readonly ChangedFile[]
  /** Null when it cannot be told (a conflict, over 128 MiB): no verdict carries then. */
  readonly patch: Patch | null
  readonly incomplete: Incomplete
  /** The commit worked on had become part of trunk; a new one was put on top. */
  readonly immutableMoved: boolean
  readonly attention: Attention | null
}

/** A state a person should look at. All the commits named are kept. */
export type Attention = {
  readonly reason: 'stale' | 'base_lost' | 'several_bases'
  /** What was recorded last, what is there now, and for `stale` what jj had put aside. */
  readonly commits: readonly CommitId[]
}

const SNAPSHOT_MS = 120_000

/**
 * Records what is in the workspace now, after putting right what may have happened to its links.
 * One at a time in each workspace, any number at once in different ones. Faults with `not_found`,
 * reason `folder_missing`, when the folder is gone (see `mend`).
 */
export async function checkpoint(host: Host, workspace: Workspace): Promise<Snapshot> {
  return withLock(host, lockFile(workspace.clone, workspace.name), async (held) => {
    const entry = readyEntry(workspace)
    if (isGone(workspace)) throw folderMissing(workspace)
    await mendInPlace(held, workspace, entry)
    return snapshot(held, workspace, entry)
  })
}

/** `checkpoint` for a caller that holds the lock and has the workspace in order. */
export async function snapshot(
  host: Host,
  workspace: Workspace,
  entry: WorkspaceEntry,
): Promise<Snapshot> {
  const { revision, ran, aside } = await record(host, workspace, entry)
  const { base, lost } = await settleBase(host, workspace.clone, entry.base, revision)
  const { commit, change, conflict, conflictedFiles } = revision
  const span = { base, tip: commit }
  const store = { gitDir: storeGit(workspace.clone) }
  const { folder } = workspace
  const conflicted = pathSet(entry.conflicted, conflictedFiles)
  // A folder that was put aside for its removal is not where the workspace is.
  const place = entry.state === 'ready' ? folder : entry.folder
  const recorded = { ...entry, folder: place, base, tip: commit, change, conflicted }
  // Before it is looked at: a snapshot that was taken is known, whatever goes wrong afterwards.
  writeEntry(workspace.clone, recorded)
  const at = { base, tip: commit, paths: conflicted }
  const [left, files, patch, tree, onDisk] = await Promise.all([
    markersLeft(host, workspace.clone, at),
    filesOf(host, workspace, span, conflict),
    conflict ? null : patchOrNull(host, workspace, span),
    treeOf(host, store, commit),
    scan(host, workspaceGround(workspace), base),
  ])
  const conflicts = pathSet(conflictedFiles, left)
  if (conflicts.length === 0 && conflicted.length > 0) {
    writeEntry(workspace.clone, { ...recorded, conflicted: [] })
  }
  // By the agent, or by a rebase of av's that was killed before it came to this.
  if (base !== null && base !== entry.base) await moveShim(host, workspace, base)
  return {
    commit,
    change,
    base,
    baseMoved: base !== entry.base,
    tree,
    empty: files.length === 0 && !conflict,
    conflict,
    conflictedFiles,
    conflicts,
    files,
    patch,
    incomplete: findIncomplete(folder, onDisk, files, ran.stderr),
    immutableMoved: IMMUTABLE.test(ran.stderr),
    attention: attentionOf(entry, revision, aside, lost),
  }
}

function pathSet(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort(compareBytes)
}

const IMMUTABLE = /^Warning: The working-copy commit .*is immutable/m

type Recorded = {
  readonly revision: Revision
  readonly ran: Ran
  /** Null: nothing was amiss. Else the workspace was stale, and these commits were put aside. */
  readonly aside: readonly CommitId[] | null
}

/** The snapshot proper. A workspace that jj lost sight of is adopted again, once. */
async function record(host: Host, workspace: Workspace, entry: WorkspaceEntry): Promise<Recorded> {
  try {
    return { ...(await recordOnce(host, workspace)), aside: null }
  } catch (thrown) {
    if (hasReason(thrown, 'stale', 'op_sibling')) return recordStale(host, workspace)
    if (!hasReason(thrown, 'no_wc_commit', 'not_a_repo', 'link_broken')) throw thrown
    await readopt(host, workspace, entry)
    return { ...(await recordOnce(host, workspace)), aside: null }
  }
}

function recordOnce(host: Host, workspace: Workspace) {
  const options = { workspace: workspace.folder, timeoutMs: SNAPSHOT_MS }
  return readRevision(host, workspace.clone, '@', options)
}

/**
 * Somebody rewrote the task from outside, or jj was killed in a checkout. What is on disk becomes
 * a commit before anything else; of a change that then exists twice, the copy that is not the
 * workspace's is hidden, and named.
 */
async function recordStale(host: Host, workspace: Workspace): Promise<Recorded> {
  const { clone, folder } = workspace
  await jj(host, clone, ['workspace', 'update-stale'], { workspace: folder })
  const { revision, ran } = await recordOnce(host, workspace)
  if (!revision.divergent) return { revision, ran, aside: [] }
  const copies = `change_id(${revision.change}) ~ ${revision.commit}`
  const { revisions } = await readRevisions(host, clone, copies, { ignoreFiles: true })
  const aside = revisions.map((copy) => copy.commit)
  for (const commit of aside) await jj(host, clone, ['abandon', commit], { ignoreFiles: true })
  return { revision, ran, aside }
}

function attentionOf(
  entry: WorkspaceEntry,
  revision: Revision,
  aside: readonly CommitId[] | null,
  lost: 'base_lost' | 'several_bases' | null,
): Attention | null {
  const recorded = entry.tip === null ? [] : [entry.tip]
  const differs = revision.commit !== entry.tip
  if (aside !== null && (differs || aside.length > 0)) {
    const commits = [...recorded, revision.commit, ...aside]
    return { reason: 'stale', commits: [...new Set(commits)] }
  }
  if (lost === null) return null
  return { reason: lost, commits: [...new Set([...recorded, revision.commit])] }
}

async function patchOrNull(host: Host, workspace: Workspace, span: Span): Promise<Patch | null> {
  try {
    return await patchOf(host, { gitDir: storeGit(workspace.clone) }, span)
  } catch (thrown) {
    if (hasReason(thrown, 'patch_unreadable', 'output_too_large')) return null
    throw thrown
  }
}

function filesOf(
  host: Host,
  workspace: Workspace,
  span: Span,
  conflict: boolean,
): Promise<ChangedFile[]> {
  if (conflict) return changedFilesOfConflict(host, workspace.clone, span)
  return changedFiles(host, { gitDir: storeGit(workspace.clone) }, span).then((changes) =>
    changes.map(({ path, status, from }) => ({ path, status, from })),
  )
}
