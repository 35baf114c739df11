import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Snapshot, snapshot } from './checkpoint.ts'
import { type Clone, lockFile, storeGit } from './clone.ts'
import type { TreeId } from './commit.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { forgetWorkspace } from './jj-workspace.ts'
import { withLock } from './lock.ts'
import { readMarker } from './marker.ts'
import { isGone, lastTip, mendInPlace, readyEntry } from './mend.ts'
import { removeMeta } from './meta.ts'
import {
  listEntries,
  noWorkspace,
  readEntry,
  removeEntry,
  type Workspace,
  type WorkspaceEntry,
  writeEntry,
} from './registry.ts'
import { removeScan } from './scan.ts'
import { hasOwnCommits, shimDir } from './shim.ts'
import { changedSince, codeOf, deleteOlder, momentBeside } from './sweep.ts'
import { resolveCommit, treeOf } from './tree.ts'
import { refuseUnsaved, unsnapshotted } from './unsaved.ts'

export type Removed = { readonly tip: CommitId | null; readonly tree: TreeId | null }

/**
 * Removes a workspace's folder after its last state was recorded, so that nothing in it is lost but
 * ignored files, and these only with `dropIgnored`. The tip stays under `refs/av/kept/<name>`, what
 * an agent committed or stashed by git in `kept/<name>.git` of the clone's folder. A folder that is
 * gone already is forgotten; removing twice is no failure.
 *
 * The order, and why nothing is lost when a process still writes there or this one is killed:
 * 1. A snapshot where the folder stands; what it cannot hold refuses the removal.
 * 2. The folder is renamed to a sibling that is no workspace. Whoever opens files by path no longer
 *    finds it; whoever holds files open, or stands in the folder, may still write.
 * 3. A moment is noted, then a snapshot taken again. A file that bears no later time than that
 *    moment is in the snapshot (or ignored) as it is. Any other: once more, three times in all;
 *    then, as on every refusal here, the folder goes back to its place.
 * 4. Files are deleted one by one, each only when it still bears an earlier time: one that changed
 *    since stays, and is named. What a process writes into a file whose name is gone is lost to
 *    nobody: there is no name it could be found by.
 * Killed before 4, the next call puts the folder back and begins again; in 4, it goes on with the
 * same moment.
 *
 * Faults with `refused_rule`: reason `unsnapshotted` and `ignored_files` (with `paths`, `total`),
 * `not_the_workspace` when something else stands in its place.
 */
export async function removeWorkspace(
  host: Host,
  workspace: Workspace,
  options: { readonly dropIgnored: boolean },
): Promise<Removed> {
  const { clone, name } = workspace
  return withLock(host, lockFile(clone, name), async (held) => {
    const entry = await settleRemoval(held, clone, readEntry(clone, name))
    if (entry === null) return keptOf(held, clone, name)
    if (entry.state !== 'ready') throw noWorkspace(name)
    if (isGone(workspace)) return forgetGone(held, workspace, entry)
    refuseForeign(workspace)
    await mendInPlace(held, workspace, entry)
    const first = await snapshot(held, workspace, readyEntry(workspace))
    await refuseUnsaved(held, workspace, first, options)
    await setAside(held, workspace, entry, options)
    return finish(held, clone, entryThere(clone, name))
  })
}

/** Brings every removal of a clone that was cut off to its end, or its folder back to its place. */
export async function settleRemovals(host: Host, clone: Clone): Promise<void> {
  for (const { name, state } of listEntries(clone)) {
    if (state !== 'removing' && state !== 'deleting') continue
    await withLock(host, lockFile(clone, name), (held) =>
      settleRemoval(held, clone, readEntry(clone, name)),
    )
  }
}

/** The same for one entry; the caller holds the lock. Returns the entry as it is then. */
export async function settleRemoval(
  host: Host,
  clone: Clone,
  entry: WorkspaceEntry | null,
): Promise<WorkspaceEntry | null> {
  if (entry?.state === 'removing') return putBack(clone, entry)
  if (entry?.state !== 'deleting') return entry
  await finish(host, clone, entry)
  return null
}

function moveAside({ task, folder }: Workspace, aside: string): void {
  try {
    renameSync(folder, aside)
  } catch (cause) {
    throw new Fault(
      'conflict',
      `The workspace of ${task} cannot be moved aside (${codeOf(cause)}): ${folder}.`,
      'See who owns the folder and what is mounted on it, then repeat the command; nothing was removed.',
      { cause, detail: { reason: 'folder_busy', folder } },
    )
  }
}

const LOOKS = 3
const CHANGED_SHOWN = 50

/** Steps 2 and 3: afterwards the entry says `deleting`, and the tip is kept. */
async function setAside(
  host: Host,
  workspace: Workspace,
  before: WorkspaceEntry,
  options: { readonly dropIgnored: boolean },
): Promise<void> {
  const { clone, name } = workspace
  const entry = { ...readyEntry(workspace), state: 'removing' } as const
  const aside = asideOf(clone, entry)
  if (existsSync(aside)) throw inTheWay(entry, aside)
  writeEntry(clone, entry)
  try {
    moveAside(workspace, aside)
    const there = { ...workspace, folder: aside }
    for (let looks = 1; ; looks++) {
      const since = momentBeside(aside)
      const taken = await snapshot(host, there, entryThere(clone, name))
      await refuseUnsaved(host, there, taken, options, workspace.folder)
      const changed = changedSince(aside, since, CHANGED_SHOWN)
      if (changed.length === 0) {
        await keep(host, clone, name, taken, before)
        writeEntry(clone, { ...entryThere(clone, name), state: 'deleting', since: `${since}` })
        return
      }
      if (looks === LOOKS) throw unsnapshotted(workspace, changed)
    }
  } catch (thrown) {
    putBack(clone, entryThere(clone, name))
    throw thrown
  }
}

/** Step 4, and all that av kept of the workspace. Each part may have been done before. */
async function finish(host: Host, clone: Clone, entry: WorkspaceEntry): Promise<Removed> {
  const aside = asideOf(clone, entry)
  const workspace = { ...entry, clone, folder: aside }
  if (existsSync(aside)) {
    const { changed, stuck } = deleteOlder(aside, BigInt(entry.since ?? 0))
    if (changed.length > 0) throw unsnapshotted(workspace, changed)
    if (stuck.length > 0) throw notOurs(workspace, stuck)
  }
  rmSync(`${aside}.clock`, { force: true })
  await forget(host, workspace)
  return keptOf(host, clone, entry.name)
}

async function forgetGone(
  host: Host,
  workspace: Workspace,
  entry: WorkspaceEntry,
): Promise<Removed> {
  const { clone, name, folder } = workspace
  const tip = await lastTip(host, workspace, entry)
  if (tip !== null) await pin(host, clone, `kept/${name}`, tip)
  if (entry.tip !== null) await pin(host, clone, `kept-before/${name}/${entry.tip}`, entry.tip)
  // Empty, or it would not count as gone.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(folder)
  await forget(host, workspace)
  return keptOf(host, clone, name)
}

async function forget(host: Host, workspace: Workspace): Promise<void> {
  await forgetWorkspace(host, workspace)
  if (await hasOwnCommits(host, workspace)) keepShim(workspace)
  rmSync(shimDir(workspace), { recursive: true, force: true })
  removeMeta(workspace)
  removeScan(workspace)
  removeEntry(workspace.clone, workspace.name)
}

function keepShim(workspace: Workspace): void {
  const { clone, name } = workspace
  const dir = join(clone.dir, 'kept')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  let place = join(dir, `${name}.git`)
  for (let count = 2; existsSync(place); count++) place = join(dir, `${name}.${count}.git`)
  renameSync(shimDir(workspace), place)
}

/** The tip; beside it what was recorded before, which the agent may have left, or jj put aside. */
async function keep(
  host: Host,
  clone: Clone,
  name: string,
  taken: Snapshot,
  before: WorkspaceEntry,
): Promise<void> {
  await pin(host, clone, `kept/${name}`, taken.commit)
  const others = [before.tip ?? taken.commit, ...(taken.attention?.commits ?? [])]
  for (const commit of new Set(others)) {
    if (commit !== taken.commit) await pin(host, clone, `kept-before/${name}/${commit}`, commit)
  }
}

async function pin(host: Host, clone: Clone, name: string, commit: CommitId): Promise<void> {
  await git(host, { gitDir: storeGit(clone) }, ['update-ref', `refs/av/${name}`, commit])
}

async function keptOf(host: Host, clone: Clone, name: string): Promise<Removed> {
  const store = { gitDir: storeGit(clone) }
  const tip = await resolveCommit(host, store, `refs/av/kept/${name}`)
  return { tip, tree: await treeOf(host, store, tip) }
}

function putBack(clone: Clone, entry: WorkspaceEntry): WorkspaceEntry {
  const aside = asideOf(clone, entry)
  if (existsSync(aside)) {
    try {
      renameSync(aside, entry.folder)
    } catch (thrown) {
      if (!OCCUPIED.has(codeOf(thrown))) throw thrown
      throw inTheWay(entry, entry.folder)
    }
  }
  const back = { ...entry, state: 'ready', since: null } as const
  writeEntry(clone, back)
  return back
}

const OCCUPIED: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR'])

/** Beside the folder, the same for the same workspace, and hidden; two homes may share the parent. */
function asideOf(clone: Clone, entry: WorkspaceEntry): string {
  const home = createHash('sha256').update(clone.dir).digest('hex').slice(0, 8)
  return join(dirname(entry.folder), `.${entry.name}.removing-${home}`)
}

function entryThere(clone: Clone, name: string): WorkspaceEntry {
  const entry = readEntry(clone, name)
  if (entry === null) throw noWorkspace(name)
  return entry
}

function refuseForeign({ clone, name, task, folder }: Workspace): void {
  const marker = readMarker(folder)
  const ours = marker?.cloneDir === clone.dir && marker.name === name
  if (ours && lstatSync(folder).isDirectory()) return
  throw new Fault(
    'refused_rule',
    `${folder} does not say that it is the workspace of ${task}: its links .jj and .git are gone, or lead elsewhere.`,
    'Take a checkpoint in it if it is the workspace, which mends the links; else move it away. Then repeat the command.',
    { detail: { reason: 'not_the_workspace', folder, task } },
  )
}

function notOurs({ task, folder }: Workspace, paths: readonly string[]): Fault {
  return new Fault(
    'conflict',
    `The rest of the workspace of ${task} cannot be deleted by this user: ${paths.slice(0, 5).join(', ')} in ${folder}.`,
    'Its state is recorded. Have the owner of these files take them away, then repeat the command.',
    { detail: { reason: 'cannot_delete', folder, paths: paths.slice(0, CHANGED_SHOWN) } },
  )
}

function inTheWay(entry: WorkspaceEntry, path: string): Fault {
  return new Fault(
    'conflict',
    `The workspace of ${entry.task} stands aside for its removal, and ${path} is in its way.`,
    `Move ${path} away, then repeat the command.`,
    { detail: { reason: 'folder_in_the_way', folder: path } },
  )
}
