import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import { type Snapshot, snapshot } from './checkpoint.ts'
import { type Clone, lockFile, realFolder, storeGit } from './clone.ts'
import type { Host } from './host.ts'
import { addWorkspace, forgetWorkspace } from './jj-workspace.ts'
import { withLock } from './lock.ts'
import { mendInPlace } from './mend.ts'
import { leadsToStore, linkMeta, removeMeta, takeMeta } from './meta.ts'
import {
  readEntry,
  removeEntry,
  WORKSPACE_NAME,
  type Workspace,
  type WorkspaceEntry,
  writeEntry,
} from './registry.ts'
import { settleRemoval } from './remove.ts'
import { removeScan } from './scan.ts'
import { layShim, shimDir } from './shim.ts'
import { resolveCommit } from './tree.ts'
import { checkTools } from './versions.ts'

export type StartRequest = {
  readonly task: TaskId
  /** The task's id, with `.g<generation>` behind it after a takeover. */
  readonly name: string
  /** Where the folder is to be: it must not exist, or be empty. */
  readonly folder: string
  /** A commit in the store (`pull`, `bringCommit`), or null in a repository without commits. */
  readonly base: CommitId | null
  /** What jj shows for the task; the caller has taken secrets out. */
  readonly title: string
  /** The claim's, that the folder is made under. */
  readonly generation: number
}

export type Started = { readonly workspace: Workspace; readonly snapshot: Snapshot }

/**
 * Makes a task's workspace: the folder with the files of `base`, jj's link, and a git repository
 * for agents. What an earlier try left half-made is thrown away first; a workspace of that name,
 * base and folder that is ready is returned as it is, so a start that was cut off can be repeated.
 * On failure nothing stays behind. Faults: `bad_input` (the folder), `not_found` (the base),
 * `conflict` reason `workspace_exists` (the name is taken).
 */
export async function startWorkspace(
  host: Host,
  clone: Clone,
  request: StartRequest,
): Promise<Started> {
  return startFilled(host, clone, request, async () => [])
}

/** Puts more than the base into a new workspace, and returns the files that hold a conflict. */
export type Fill = (host: Host, workspace: Workspace) => Promise<readonly string[]>

/** `startWorkspace`, whose folder is not ready before `fill` is done. */
export async function startFilled(
  host: Host,
  clone: Clone,
  request: StartRequest,
  fill: Fill,
): Promise<Started> {
  await checkTools(host)
  const folder = checkedFolder(clone, request)
  const { name, task, generation } = request
  const workspace: Workspace = { clone, name, task, folder, generation }
  return withLock(host, lockFile(clone, name), async (held) => {
    // A removal that was cut off comes to its end first: its folder may still hold files.
    const entry = await settleRemoval(held, clone, readEntry(clone, name))
    if (entry?.state === 'ready') return resume(held, workspace, entry, request)
    if (entry !== null) await discard(held, { ...workspace, folder: entry.folder })
    refuseOccupied(folder)
    await refuseUnknown(held, clone, request.base)
    return make(held, workspace, request, fill)
  })
}

async function make(
  host: Host,
  workspace: Workspace,
  request: StartRequest,
  fill: Fill,
): Promise<Started> {
  const { clone, name, task, folder, generation } = workspace
  const { base } = request
  const fresh = { tip: null, change: null, conflicted: [], since: null } as const
  const entry = { name, task, folder, generation, base, ...fresh }
  writeEntry(clone, { ...entry, state: 'making' })
  try {
    mkdirSync(dirname(folder), { recursive: true })
    await addWorkspace(host, workspace, folder, base, request.title)
    takeMeta(workspace, folder)
    linkMeta(workspace)
    await layShim(host, workspace, entry)
    const conflicted = await fill(host, workspace)
    const ready = { ...entry, conflicted, state: 'ready' } as const
    const first = await snapshot(host, workspace, ready)
    return { workspace, snapshot: first }
  } catch (thrown) {
    // Should this fail as well, the entry stays, and the next start tries again.
    await discard(host, workspace).catch(() => {})
    throw thrown
  }
}

/** A folder that a start made and did not finish: nobody has been told of it, it holds no work. */
async function discard(host: Host, workspace: Workspace): Promise<void> {
  await forgetWorkspace(host, workspace)
  if (isHalfMade(workspace)) rmSync(workspace.folder, { recursive: true })
  removeMeta(workspace)
  rmSync(shimDir(workspace), { recursive: true, force: true })
  removeScan(workspace)
  removeEntry(workspace.clone, workspace.name)
}

/** What somebody else put at that place stays: ours leads to the store before it has a first file. */
function isHalfMade(workspace: Workspace): boolean {
  const { folder } = workspace
  if (!existsSync(folder)) return false
  const names = readdirSync(folder)
  if (names.length === 0 || leadsToStore(workspace)) return true
  return names.length === 1 && names[0] === '.jj' && !existsSync(join(folder, '.jj', 'repo'))
}

async function resume(
  host: Host,
  workspace: Workspace,
  entry: WorkspaceEntry,
  request: StartRequest,
): Promise<Started> {
  if (entry.folder !== workspace.folder || entry.base !== request.base) {
    throw new Fault(
      'conflict',
      `The workspace ${entry.name} exists already, at ${entry.folder}.`,
      'Go on there, or choose another id for the task.',
      { detail: { reason: 'workspace_exists', name: entry.name, folder: entry.folder } },
    )
  }
  const kept = { ...workspace, generation: entry.generation }
  await mendInPlace(host, kept, entry)
  return { workspace: kept, snapshot: await snapshot(host, kept, entry) }
}

function checkedFolder(clone: Clone, request: StartRequest): string {
  if (!WORKSPACE_NAME.test(request.name)) {
    throw new Fault(
      'bad_input',
      `"${request.name}" cannot name a workspace.`,
      'Use lower-case letters, digits and dashes, at most 64.',
      { detail: { reason: 'bad_workspace_name' } },
    )
  }
  const folder = realFolder(request.folder)
  const inside = (outer: string) => folder === outer || folder.startsWith(outer + sep)
  if (inside(clone.root) || inside(clone.gitDir) || inside(clone.dir)) {
    throw new Fault(
      'bad_input',
      `The workspace would lie inside the repository: ${folder}.`,
      'Set AV_WORKSPACES to a folder outside of it.',
      { detail: { reason: 'workspace_inside_repo', folder } },
    )
  }
  return folder
}

function refuseOccupied(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  throw new Fault(
    'bad_input',
    `The folder ${folder} exists and is not empty.`,
    'Move it away, or set AV_WORKSPACES to another place.',
    { detail: { reason: 'dest_not_empty', folder } },
  )
}

async function refuseUnknown(host: Host, clone: Clone, base: CommitId | null): Promise<void> {
  if (base === null) return
  if ((await resolveCommit(host, { gitDir: storeGit(clone) }, base)) === base) return
  throw new Fault(
    'not_found',
    `The commit ${base} is not in this clone's store.`,
    'Name a commit of trunk, or of a branch in this clone.',
    { detail: { reason: 'bad_revision', commit: base } },
  )
}
