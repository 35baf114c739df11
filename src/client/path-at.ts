import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { repoPath } from '../workspace/repo-path.ts'
import type { Place } from './place.ts'

/**
 * A path somebody wrote, from the root of the repository; null where none was given, or the root
 * itself, which is everything. A folder, or what was written with a slash at its end, ends with a
 * slash: below it is meant.
 */
export function pathAt(place: Place, written: unknown): string | null {
  if (typeof written !== 'string') return null
  const path = repoPath(place.root, place.cwd, written)
  if (path === '') return null
  return /\/$/.test(written) || isFolder(place, path) ? `${path}/` : path
}

export function isFolder(place: Place, path: string): boolean {
  return lstatSync(join(place.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false
}
