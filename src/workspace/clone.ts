import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import type { RepoId } from '../domain/repo.ts'
import { writeDurably } from './atomic.ts'
import type { Detected, RepoKind } from './detect.ts'
import type { Host } from './host.ts'
import { withLock } from './lock.ts'

/**
 * A person's clone of a repo, and what av keeps of it on this machine, all in one folder:
 * `git` (a bare store trunk is fetched into), `jj` (a jj repo over it), `wsmeta`, `shim`,
 * `workspaces` and `locks` (one entry for each workspace), `scan` (private indexes), `clone.json`.
 */
export type Clone = {
  readonly repo: RepoId
  /** `AV_HOME/repos/<repo id>`, or `<repo id>.<8 hex>` for a second clone of the same repo. */
  readonly dir: string
  /** The root of the person's checkout. */
  readonly root: string
  /** Its git directory, shared by all its worktrees. */
  readonly gitDir: string
  readonly kind: RepoKind
  readonly trunk: string
}

const FILE = 'clone.json'
const written = z.strictObject({
  version: z.literal(1),
  repo: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
  root: z.string(),
  gitDir: z.string(),
  kind: z.enum(['plain', 'colocated', 'purejj']),
  trunk: z.string(),
})

export const storeGit = (clone: Clone) => join(clone.dir, 'git')
export const storeJj = (clone: Clone) => join(clone.dir, 'jj')
/** Where jj keeps what it knows of a workspace; the workspace's `.jj` is a link to it. */
export const metaDir = (clone: Clone, name: string) => join(clone.dir, 'wsmeta', name)
export const lockFile = (clone: Clone, name: string) => join(clone.dir, 'locks', `${name}.lock`)

/** The clone that has this git directory, or null when av was not set up for it. */
export function findClone(host: Host, detected: Pick<Detected, 'gitDir'>): Clone | null {
  return listClones(host).find((clone) => clone.gitDir === detected.gitDir) ?? null
}

/** All clones known on this machine, by folder name. */
export function listClones(host: Host): Clone[] {
  const repos = reposDir(host)
  if (!existsSync(repos)) return []
  return readdirSync(repos)
    .sort()
    .flatMap((name) => readClone(join(repos, name)) ?? [])
}

/** The clone kept in `dir`; null when there is none, or what is written there is none. */
export function readClone(dir: string): Clone | null {
  const file = join(dir, FILE)
  if (!existsSync(file)) return null
  const clone = written.safeParse(parseJson(readFileSync(file, 'utf8')))
  if (!clone.success) return null
  const { version: _, repo, ...rest } = clone.data
  return { ...rest, repo: repo as RepoId, dir }
}

/**
 * Writes down that the detected repository is a clone of `repo`. The same clone keeps its folder;
 * one whose old place is gone (the person moved the repository) is taken over; a further clone of
 * the same repo gets a folder of its own. Safe against two callers at once.
 */
export async function writeClone(
  host: Host,
  repo: RepoId,
  detected: Detected,
  trunk: string,
): Promise<Clone> {
  if (!written.shape.repo.safeParse(repo).success) {
    throw new Fault('internal', `"${repo}" cannot name a folder.`, 'Report it.', {
      detail: { reason: 'bad_repo_id' },
    })
  }
  const repos = reposDir(host)
  mkdirSync(repos, { recursive: true, mode: 0o700 })
  return withLock(host, join(repos, '.lock'), async () => {
    const { root, gitDir, kind } = detected
    const clone: Clone = { repo, dir: placeFor(host, repo, gitDir), root, gitDir, kind, trunk }
    mkdirSync(clone.dir, { recursive: true, mode: 0o700 })
    const { dir: _, ...rest } = clone
    writeDurably(join(clone.dir, FILE), `${JSON.stringify({ version: 1, ...rest }, null, 2)}\n`)
    return clone
  })
}

export function reposDir(host: Host): string {
  return realFolder(join(host.home, 'repos'))
}

/** A folder that may not exist yet, by its real path: its nearest existing parent is resolved. */
export function realFolder(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realFolder(dirname(path)), basename(path))
}

function placeFor(host: Host, repo: RepoId, gitDir: string): string {
  const known = listClones(host)
  const same = known.find((clone) => clone.repo === repo && clone.gitDir === gitDir)
  if (same !== undefined) return same.dir
  const first = join(reposDir(host), repo)
  const there = readClone(first)
  if (there === null || (there.repo === repo && !existsSync(there.gitDir))) return first
  return `${first}.${createHash('sha256').update(gitDir).digest('hex').slice(0, 8)}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
