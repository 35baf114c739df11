import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { lockFile, metaDir } from './clone.ts'
import type { Host } from './host.ts'
import { addWorkspace, editCommit, forgetWorkspace } from './jj-workspace.ts'
import { withLock } from './lock.ts'
import { hasMeta, linkMeta, takeMeta } from './meta.ts'
import {
  noWorkspace,
  readEntry,
  type Workspace,
  type WorkspaceEntry,
  writeEntry,
} from './registry.ts'
import { readRevisions } from './revision.ts'
import { hasShim, layShim } from './shim.ts'

/** What was amiss with a workspace, and has been put right. */
export type Mended = 'moved' | 'recreated' | 'readopted' | 'relinked' | 'shim'

/**
 * Puts a workspace right, whatever befell it: its folder moved or deleted, its `.jj` or `.git`
 * taken away, itself forgotten by jj. Files on disk are never changed, but for a folder that is
 * gone: it is made again with the last snapshot. Returns what there was to do, mostly nothing.
 */
export async function mend(host: Host, workspace: Workspace): Promise<readonly Mended[]> {
  return withLock(host, lockFile(workspace.clone, workspace.name), async (held) => {
    const entry = readyEntry(workspace)
    if (!isGone(workspace)) return mendInPlace(held, workspace, entry)
    await recreate(held, workspace, entry)
    return ['recreated']
  })
}

/** `mend` for a folder that is there; the caller holds the workspace's lock. */
export async function mendInPlace(
  host: Host,
  workspace: Workspace,
  entry: WorkspaceEntry,
): Promise<readonly Mended[]> {
  const done: Mended[] = []
  if (entry.folder !== workspace.folder) {
    writeEntry(workspace.clone, { ...entry, folder: workspace.folder })
    // The agents' repository names the folder whose files it is about.
    await layShim(host, workspace, entry)
    done.push('moved')
  }
  if (!hasMeta(workspace)) {
    await readopt(host, workspace, entry)
    done.push('readopted')
  }
  if (linkMeta(workspace)) done.push('relinked')
  if (!hasShim(workspace)) {
    await layShim(host, workspace, entry)
    done.push('shim')
  }
  return done
}

/**
 * Makes jj know the workspace again, at the last snapshot, without touching the files in its
 * folder: what was edited since shows up in the next snapshot.
 */
export async function readopt(
  host: Host,
  workspace: Workspace,
  entry: WorkspaceEntry,
): Promise<void> {
  const tip = await lastTip(host, workspace, entry)
  const beside = `${metaDir(workspace.clone, workspace.name)}.making`
  rmSync(beside, { recursive: true, force: true })
  mkdirSync(dirname(beside), { recursive: true, mode: 0o700 })
  await forgetWorkspace(host, workspace)
  await addWorkspace(host, workspace, beside, entry.base, null)
  if (tip !== null) await editCommit(host, workspace, beside, tip)
  takeMeta(workspace, beside)
  rmSync(beside, { recursive: true, force: true })
  linkMeta(workspace)
}

/** The entry of a workspace that is ready. Faults with `not_found` when there is none. */
export function readyEntry(workspace: Workspace): WorkspaceEntry {
  const entry = readEntry(workspace.clone, workspace.name)
  if (entry?.state === 'ready') return entry
  throw noWorkspace(workspace.name)
}

/** No folder, or one with nothing in it: nobody deletes `.jj` and `.git` to say that a task removes all files. */
export function isGone(workspace: Workspace): boolean {
  const folder = statSync(workspace.folder, { throwIfNoEntry: false })
  return !folder?.isDirectory() || readdirSync(workspace.folder).length === 0
}

export function folderMissing(workspace: Workspace): Fault {
  return new Fault(
    'not_found',
    `The workspace folder of ${workspace.task} was deleted: ${workspace.folder}. Its last checkpoint is intact.`,
    'Run `av task path` with the task: it makes the folder again from the last checkpoint.',
    { detail: { reason: 'folder_missing', task: workspace.task, folder: workspace.folder } },
  )
}

async function recreate(host: Host, workspace: Workspace, entry: WorkspaceEntry): Promise<void> {
  const tip = await lastTip(host, workspace, entry)
  mkdirSync(dirname(workspace.folder), { recursive: true })
  await forgetWorkspace(host, workspace)
  await addWorkspace(host, workspace, workspace.folder, entry.base, null)
  if (tip !== null) await editCommit(host, workspace, workspace.folder, tip)
  takeMeta(workspace, workspace.folder)
  linkMeta(workspace)
  await layShim(host, workspace, entry)
}

/** What jj has for the workspace, which may be newer than what was written down; else the latter. */
export async function lastTip(
  host: Host,
  workspace: Workspace,
  entry: WorkspaceEntry,
): Promise<CommitId | null> {
  const revset = `present(${JSON.stringify(workspace.name)}@)`
  const { revisions } = await readRevisions(host, workspace.clone, revset, { ignoreFiles: true })
  const [revision] = revisions
  return revision?.commit ?? entry.tip
}
