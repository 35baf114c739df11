import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import { writeDurably } from './atomic.ts'
import { type Clone, listClones, lockFile, readClone, reposDir } from './clone.ts'
import { foldersUp } from './detect.ts'
import type { Host } from './host.ts'
import { withLock } from './lock.ts'
import { readMarker } from './marker.ts'

/** A task's folder on this machine. */
export type Workspace = {
  readonly clone: Clone
  /** jj's name for it: the task's id, and `.g<generation>` behind it after a takeover. */
  readonly name: string
  readonly task: TaskId
  /** A real path. */
  readonly folder: string
  /** The claim's generation the folder belongs to; null in entries of before. */
  readonly generation: number | null
}

/** What the store remembers of a workspace, so that neither `.jj` nor the folder is needed to know it. */
export type WorkspaceEntry = {
  readonly name: string
  readonly task: TaskId
  readonly folder: string
  /**
   * `making` until everything is in place: what a crash leaves so is thrown away by the next start.
   * `removing` while the folder stands aside to be compared a last time, `deleting` once its files
   * go: see `removeWorkspace`.
   */
  readonly state: 'making' | 'ready' | 'removing' | 'deleting'
  readonly base: CommitId | null
  /** The last snapshot. */
  readonly tip: CommitId | null
  readonly change: string | null
  /** The claim's generation the folder belongs to; null in entries of before. */
  readonly generation: number | null
  /** Files of a conflict that is not settled yet: half of a removed marker block is plain text to jj. */
  readonly conflicted: readonly string[]
  /** In `deleting`: files changed at or after this moment (nanoseconds of the file system's clock) stay. */
  readonly since: string | null
}

export const WORKSPACE_NAME = /^[a-z0-9][a-z0-9-]{0,63}(?:\.g[0-9]{1,9})?$/

const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const written = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(WORKSPACE_NAME),
  task: z.string(),
  folder: z.string(),
  state: z.enum(['making', 'ready', 'removing', 'deleting']),
  base: commit.nullable(),
  tip: commit.nullable(),
  change: z.string().nullable(),
  generation: z.int().positive().nullable().default(null),
  conflicted: z.array(z.string()).default([]),
  since: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .nullable()
    .default(null),
})

/**
 * The workspace that `cwd` stands in, from any of its subfolders, or null. It is told by the link
 * `.jj` or the file `.git` at its root, and without these by its path. The folder returned is the
 * one found, also after it was moved. Faults with `bad_input`, reason `workspace_copied`, in a
 * copy of a workspace: two folders cannot be one task's.
 */
export function locate(host: Host, cwd: string): Workspace | null {
  const folders = foldersUp(cwd)
  for (const folder of folders) {
    const found = byMarker(host, folder)
    if (found !== null) return found
  }
  return byPath(host, folders)
}

/** The workspace of that name, or null when this clone has none that is ready. */
export function findWorkspace(clone: Clone, name: string): Workspace | null {
  const entry = readEntry(clone, name)
  return entry?.state === 'ready' ? workspaceOf(clone, entry) : null
}

/** The ready workspaces of a clone, by name. */
export function listWorkspaces(clone: Clone): Workspace[] {
  return listEntries(clone)
    .filter((entry) => entry.state === 'ready')
    .map((entry) => workspaceOf(clone, entry))
}

export function readEntry(clone: Clone, name: string): WorkspaceEntry | null {
  const file = entryFile(clone, name)
  if (!WORKSPACE_NAME.test(name) || !existsSync(file)) return null
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
  const read = written.safeParse(json)
  if (!read.success || read.data.name !== name) return null
  const { version: _, task, base, tip, ...rest } = read.data
  return {
    ...rest,
    task: task as TaskId,
    base: base as CommitId | null,
    tip: tip as CommitId | null,
  }
}

/** Callers hold the workspace's lock. */
export function writeEntry(clone: Clone, entry: WorkspaceEntry): void {
  const file = entryFile(clone, entry.name)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeDurably(file, `${JSON.stringify({ version: 1, ...entry }, null, 2)}\n`)
}

export function removeEntry(clone: Clone, name: string): void {
  rmSync(entryFile(clone, name), { force: true })
}

/**
 * The folder goes on under another generation of its task's claim: for a claim by the same actor,
 * who keeps it. Faults with `not_found` when there is no such workspace.
 */
export async function bindGeneration(
  host: Host,
  workspace: Workspace,
  generation: number,
): Promise<void> {
  const { clone, name } = workspace
  await withLock(host, lockFile(clone, name), async () => {
    const entry = readEntry(clone, name)
    if (entry?.state !== 'ready') throw noWorkspace(name)
    writeEntry(clone, { ...entry, generation })
  })
}

/** Every entry of a clone, also of workspaces half-made or half-removed, by name. */
export function listEntries(clone: Clone): WorkspaceEntry[] {
  const dir = join(clone.dir, 'workspaces')
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => readEntry(clone, basename(file, '.json')) ?? [])
}

export function noWorkspace(name: string): Fault {
  return new Fault(
    'not_found',
    `The task ${name} has no workspace on this machine.`,
    'See `av task list`, and `av task show` for who works on it.',
    { detail: { reason: 'no_workspace', name } },
  )
}

function byMarker(host: Host, folder: string): Workspace | null {
  const marker = readMarker(folder)
  if (marker === null || dirname(marker.cloneDir) !== reposDir(host)) return null
  const clone = readClone(marker.cloneDir)
  const entry = clone === null ? null : readEntry(clone, marker.name)
  if (clone === null || entry === null || entry.state !== 'ready') return null
  if (entry.folder !== folder && stillThere(clone, entry)) throw copied(folder, entry)
  return { ...workspaceOf(clone, entry), folder }
}

/** Whether the workspace is where it was when it was last seen. */
function stillThere(clone: Clone, entry: WorkspaceEntry): boolean {
  const marker = readMarker(entry.folder)
  return marker !== null && marker.cloneDir === clone.dir && marker.name === entry.name
}

function byPath(host: Host, folders: readonly string[]): Workspace | null {
  for (const clone of listClones(host)) {
    const entry = listEntries(clone).find(
      (one) => one.state === 'ready' && folders.includes(one.folder),
    )
    if (entry !== undefined) return workspaceOf(clone, entry)
  }
  return null
}

function workspaceOf(clone: Clone, entry: WorkspaceEntry): Workspace {
  const { name, task, folder, generation } = entry
  return { clone, name, task, folder, generation }
}

function entryFile(clone: Clone, name: string): string {
  return join(clone.dir, 'workspaces', `${name}.json`)
}

function copied(folder: string, entry: WorkspaceEntry): Fault {
  return new Fault(
    'bad_input',
    `${folder} is a copy of the workspace of ${entry.task}, which is still at ${entry.folder}.`,
    'Work in that folder, or start a task of its own for what is to be done here.',
    { detail: { reason: 'workspace_copied', folder, original: entry.folder } },
  )
}
