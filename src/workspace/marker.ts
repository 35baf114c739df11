import { readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where a folder says it belongs, when it is a workspace of av (of whatever AV_HOME). */
export type Marker = {
  /** The clone's folder, as written; it may be gone or foreign. */
  readonly cloneDir: string
  readonly name: string
}

/**
 * Reads what av puts at a workspace's root: the link `.jj` → `<clone>/wsmeta/<name>`, or the file
 * `.git` with `gitdir: <clone>/shim/<name>.git`. Null for any other folder.
 */
export function readMarker(folder: string): Marker | null {
  const link = linkTarget(join(folder, '.jj'))
  if (link !== null && basename(dirname(link)) === 'wsmeta') {
    return { cloneDir: dirname(dirname(link)), name: basename(link) }
  }
  const gitDir = gitFileTarget(join(folder, '.git'))
  if (gitDir !== null && basename(dirname(gitDir)) === 'shim' && gitDir.endsWith('.git')) {
    return { cloneDir: dirname(dirname(gitDir)), name: basename(gitDir, '.git') }
  }
  return null
}

/** What a symbolic link says, or null when `path` is none. */
export function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** What a `.git` file says, or null when `file` is none. */
export function gitFileTarget(file: string): string | null {
  try {
    return /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(file, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}
