import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { Fault } from '../domain/fault.ts'

/** A path as records hold it: relative to the repository's root, `/` between parts, NFC, '' for the root. */
export type RepoPath = string & { readonly __brand: 'RepoPath' }

/**
 * Turns a path that a person wrote, standing in `cwd`, into a path of the repository at `root`. The
 * file need not exist. Links in the folders above it are followed first, so that a path which only
 * looks inside is found out; the last part itself is not followed, a link is a file of its own.
 * Faults with `bad_input`: outside of the repository, in `.git` or `.jj`, a NUL in it.
 */
export function repoPath(root: string, cwd: string, written: string): RepoPath {
  if (written === '') throw refused(written, 'is empty', 'empty_path')
  if (written.includes('\0')) throw refused(written, 'holds a NUL character', 'bad_path')
  const realRoot = realpathSync(root)
  // Not `join`, which would take `..` back before the link in front of it is followed.
  const target = isAbsolute(written) ? written : `${realAsFar(cwd)}${sep}${written}`
  const real = withRealParents(target)
  const path = relative(realRoot, real)
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) {
    throw refused(written, 'lies outside of the repository', 'outside_repo')
  }
  const parts = path.split(sep)
  if (parts.some((part) => /^\.(?:git|jj)$/i.test(part))) {
    throw refused(written, 'belongs to git or jj itself', 'inside_git_dir')
  }
  return parts.join('/').normalize('NFC') as RepoPath
}

/** `a/link/../b` means what the system would open: each part is resolved before the next is taken. */
function withRealParents(target: string): string {
  const parts = target.split(sep).filter((part) => part !== '' && part !== '.')
  let at: string = sep
  for (const [i, part] of parts.entries()) {
    if (part === '..') at = dirname(at)
    else if (i === parts.length - 1) at = join(at, part)
    else at = realAsFar(join(at, part))
  }
  return at
}

/** The real path of as much as exists, the rest put behind it. */
function realAsFar(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realAsFar(above), basename(path))
  }
}

function refused(written: string, why: string, reason: string): Fault {
  return new Fault(
    'bad_input',
    `The path ${JSON.stringify(written)} ${why}.`,
    'Name a file or folder of the repository, relative to where you stand.',
    { detail: { reason, path: written } },
  )
}
