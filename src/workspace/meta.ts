import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeAtomic } from './atomic.ts'
import { metaDir, storeJj } from './clone.ts'
import { linkTarget } from './marker.ts'
import type { Workspace } from './registry.ts'

/**
 * jj's own folder of a workspace lies in the store, and `.jj` is a link to it: an agent that cleans
 * up (`git clean -fdx`, `rm -rf .jj`) takes away a link, which is put back, and not what jj knows.
 */

/** Moves the `.jj` that jj made in `folder` into the store, in place of whatever is there. */
export function takeMeta(workspace: Workspace, folder: string): void {
  const meta = metaDir(workspace.clone, workspace.name)
  rmSync(meta, { recursive: true, force: true })
  mkdirSync(dirname(meta), { recursive: true, mode: 0o700 })
  moveFolder(join(folder, '.jj'), meta)
  pointToStore(workspace)
}

/** Puts the link back, and the way from there to the store. Returns whether anything was amiss. */
export function linkMeta(workspace: Workspace): boolean {
  const meta = metaDir(workspace.clone, workspace.name)
  const link = join(workspace.folder, '.jj')
  const repointed = pointToStore(workspace)
  if (linkTarget(link) === meta) return repointed
  putAside(link, `${meta}.aside`)
  symlinkSync(meta, link)
  return true
}

/** Whether the folder's `.jj` is the link, or what jj made for this store before it became the link. */
export function leadsToStore({ clone, name, folder }: Workspace): boolean {
  const link = join(folder, '.jj')
  if (linkTarget(link) === metaDir(clone, name)) return true
  const file = join(link, 'repo')
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false
  return resolve(link, readFileSync(file, 'utf8')) === join(storeJj(clone), '.jj', 'repo')
}

/** Whether jj's folder of the workspace is in the store. */
export function hasMeta(workspace: Workspace): boolean {
  return existsSync(join(metaDir(workspace.clone, workspace.name), 'working_copy', 'checkout'))
}

export function removeMeta(workspace: Workspace): void {
  rmSync(metaDir(workspace.clone, workspace.name), { recursive: true, force: true })
}

/** jj writes a path relative to the workspace; an absolute one survives a move of the folder. */
function pointToStore(workspace: Workspace): boolean {
  const file = join(metaDir(workspace.clone, workspace.name), 'repo')
  const target = join(storeJj(workspace.clone), '.jj', 'repo')
  if (existsSync(file) && readFileSync(file, 'utf8') === target) return false
  writeAtomic(file, target)
  return true
}

/** A jj repository that an agent made there itself is no part of the task, and yet not thrown away. */
function putAside(path: string, aside: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) {
    rmSync(aside, { recursive: true, force: true })
    moveFolder(path, aside)
  } else if (stat) rmSync(path)
}

function moveFolder(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EXDEV')) throw thrown
    // Another file system: the folder is small.
    cpSync(from, to, { recursive: true })
    rmSync(from, { recursive: true })
  }
}
