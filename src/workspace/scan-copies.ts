import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Clone, lockFile } from './clone.ts'
import type { Host } from './host.ts'
import { withLock } from './lock.ts'
import { type Ground, removeScanDir, scan, scanDir, scansDir } from './scan.ts'

const SUFFIX = '.git'

/** Deletes the private git indexes of a clone, each while nobody uses it. Says how many there were. */
export async function dropScans(host: Host, clone: Clone): Promise<number> {
  const dir = scansDir(clone)
  const names = existsSync(dir) ? readdirSync(dir).sort(compareBytes) : []
  const scans = names.filter((name) => name.endsWith(SUFFIX))
  for (const name of scans) {
    const key = name.slice(0, -SUFFIX.length)
    await withLock(host, lockFile(clone, `${key}~scan`), async () => {
      removeScanDir(join(dir, name))
    })
  }
  return scans.length
}

/**
 * Paths that the private git index of a ground sees otherwise than one that is made for this once.
 * Not for two callers at once.
 */
export async function compareScan(
  host: Host,
  ground: Ground,
  base: CommitId | null,
): Promise<{
  readonly missing: readonly string[]
  readonly different: readonly string[]
  readonly leftOver: readonly string[]
}> {
  const aside: Ground = { ...ground, key: `${ground.key}~check` }
  try {
    const kept = new Map((await scan(host, ground, base)).entries.map((e) => [e.path, e.gone]))
    const fresh = new Map((await scan(host, aside, base)).entries.map((e) => [e.path, e.gone]))
    return {
      missing: [...fresh.keys()].filter((path) => !kept.has(path)),
      different: [...fresh].flatMap(([path, gone]) =>
        kept.has(path) && kept.get(path) !== gone ? [path] : [],
      ),
      leftOver: [...kept.keys()].filter((path) => !fresh.has(path)),
    }
  } finally {
    removeScanDir(scanDir(aside))
  }
}
