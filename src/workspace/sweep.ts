import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'

/** Names are bytes here: a folder to be deleted may hold any. */
const SLASH = Buffer.from('/')

/**
 * Now, by the clock that stamps the files beside `path` (nanoseconds): whatever is written there
 * from now on bears this time or a later one.
 */
export function momentBeside(path: string): bigint {
  const probe = `${path}.clock`
  rmSync(probe, { force: true })
  writeFileSync(probe, '', { flag: 'wx' })
  const { ctimeNs } = lstatSync(probe, { bigint: true })
  rmSync(probe)
  return ctimeNs
}

/**
 * The files below `folder` that were written, made, moved in or changed otherwise at `since` or
 * later, at most `limit`, relative to it. A link counts by itself, nothing is followed.
 */
export function changedSince(folder: string, since: bigint, limit: number): string[] {
  const changed: string[] = []
  const look = (at: Buffer) => {
    for (const name of namesIn(at)) {
      if (changed.length >= limit) return
      const path = below(at, name)
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (stat?.isDirectory()) look(path)
      else if (stat && stat.ctimeNs >= since) changed.push(relative(folder, path))
    }
  }
  look(Buffer.from(folder))
  return changed
}

/** What `deleteOlder` left, relative to the folder. */
export type Left = {
  /** Changed in time to be seen, or new. */
  readonly changed: readonly string[]
  /** Not to be deleted by this user: of another's, in a folder of another's. */
  readonly stuck: readonly string[]
}

/**
 * Deletes what is below `folder` and the folder, but for files changed at `since` or later: these
 * stay, with the folders above them. Each file is looked at right before it goes. Links go
 * themselves, what they lead to is left alone.
 */
export function deleteOlder(folder: string, since: bigint): Left {
  const changed: string[] = []
  const stuck: string[] = []
  // Files of which one name of several went: that alone changes the time of the others.
  const unlinked = new Set<bigint>()
  const trying = (path: Buffer, work: () => void) => {
    try {
      work()
    } catch (thrown) {
      const code = codeOf(thrown)
      if (code === 'ENOTEMPTY' || code === 'EEXIST') {
        // Of what was left below, or of what is new in it.
        if (changed.length + stuck.length === 0) changed.push(relative(folder, path) || '.')
      } else if (FORBIDDEN.has(code)) stuck.push(relative(folder, path) || '.')
      else if (code !== 'ENOENT') throw thrown
    }
  }
  const sweep = (at: Buffer) => {
    for (const name of namesIn(at)) {
      const path = below(at, name)
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (stat?.isDirectory()) {
        if ((stat.mode & 0o700n) !== 0o700n) trying(path, () => chmodSync(path, 0o700))
        sweep(path)
      } else if (stat && isLate(stat, since, unlinked)) {
        changed.push(relative(folder, path))
      } else if (stat) {
        if (stat.nlink > 1n) unlinked.add(stat.ino)
        trying(path, () => unlinkSync(path))
      }
    }
    trying(at, () => rmdirSync(at))
  }
  sweep(Buffer.from(folder))
  return { changed, stuck }
}

const FORBIDDEN: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY'])

function isLate(stat: BigIntStats, since: bigint, unlinked: ReadonlySet<bigint>): boolean {
  if (stat.ctimeNs < since) return false
  return stat.mtimeNs >= since || stat.birthtimeNs >= since || !unlinked.has(stat.ino)
}

function namesIn(folder: Buffer): Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' })
  } catch (thrown) {
    // One that cannot be looked into cannot be emptied either: it shows when it is to go.
    if (codeOf(thrown) === 'ENOENT' || FORBIDDEN.has(codeOf(thrown))) return []
    throw thrown
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, SLASH, name])
}

function relative(folder: string, path: Buffer): string {
  return path.subarray(Buffer.byteLength(folder) + 1).toString('utf8')
}

export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
