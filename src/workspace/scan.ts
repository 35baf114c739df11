import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../domain/repo.ts'
import { writeAtomic } from './atomic.ts'
import { type Clone, lockFile, storeGit } from './clone.ts'
import { git, nameText, splitNul } from './git.ts'
import { layGitDir, NO_FILTERS, objectFormatOf, RAW_CONTENT } from './git-dir.ts'
import type { Host } from './host.ts'
import { withLock } from './lock.ts'
import type { Workspace } from './registry.ts'
import type { Ran } from './run.ts'

/**
 * Files on disk that are compared with a commit, by a git directory (HEAD and index) of av's own:
 * neither the person's index nor the agent's nor jj is touched, and no configuration of theirs counts.
 */
export type Ground = {
  readonly clone: Clone
  /** Names the git directory: the workspace, or (behind `~`) a person's checkout. */
  readonly key: string
  readonly folder: string
  readonly attributes: string
  /** Object folders in which the base is found. */
  readonly objects: readonly string[]
}

export type Scan = {
  /** Paths that differ from the base, ordered as git has them; `gone`: tracked and not on disk. */
  readonly entries: readonly { readonly path: string; readonly gone: boolean }[]
  /** Folders that are repositories of their own: nothing in them is looked at. */
  readonly nested: readonly string[]
}

export function workspaceGround({ clone, name, folder }: Workspace): Ground {
  const objects = [join(storeGit(clone), 'objects')]
  return { clone, key: name, folder, attributes: RAW_CONTENT, objects }
}

/** A person's own checkout: `root` of any worktree of the clone. The base may be any commit of theirs. */
export function checkoutGround(clone: Clone, root: string): Ground {
  const objects = [join(storeGit(clone), 'objects'), join(clone.gitDir, 'objects')]
  const key = `~${createHash('sha256').update(root).digest('hex').slice(0, 16)}`
  return { clone, key, folder: root, attributes: NO_FILTERS, objects }
}

/** Compares the files on disk with `base` (null: with nothing), about as fast as `git status`. */
export async function scan(host: Host, ground: Ground, base: CommitId | null): Promise<Scan> {
  return withIndex(host, ground, base, async (held) => {
    const seen = await status(held, ground, [DAMAGED])
    if (seen.exitCode === 0 && isWhole(seen.stdout)) return parse(seen.stdout)
    // Cut off in the middle of a change of base, or damaged: made anew, once.
    rmSync(join(scanDir(ground), 'index'), { force: true })
    await readBase(held, ground, base)
    return parse((await status(held, ground, [])).stdout)
  })
}

/** Does `work` while the private index holds `base`, and nobody else changes it. */
export async function withIndex<T>(
  host: Host,
  ground: Ground,
  base: CommitId | null,
  work: (host: Host, dir: string) => Promise<T>,
): Promise<T> {
  return withLock(host, lockFile(ground.clone, `${ground.key}~scan`), async (held) => {
    const dir = scanDir(ground)
    // Under the lock nobody else is at it: a lock of git's is left by one that was killed.
    rmSync(join(dir, 'index.lock'), { force: true })
    const exclude = readFileSync(join(storeGit(ground.clone), 'info', 'exclude'), 'utf8')
    const head = headOf(base)
    if (readOr(join(dir, 'HEAD')) !== `${head}\n` || !existsSync(join(dir, 'index'))) {
      layGitDir(dir, {
        head,
        objectFormat: objectFormatOf(storeGit(ground.clone)),
        alternates: ground.objects,
        exclude,
        attributes: ground.attributes,
        worktree: null,
      })
      await readBase(held, ground, base)
    } else if (readOr(join(dir, 'info', 'exclude')) !== exclude) {
      writeAtomic(join(dir, 'info', 'exclude'), exclude)
    }
    return work(held, dir)
  })
}

export function removeScan(workspace: Workspace): void {
  removeScanDir(scanDir(workspaceGround(workspace)))
}

/** HEAD first: what a kill leaves of the rest is then laid anew, not taken for whole. */
export function removeScanDir(dir: string): void {
  rmSync(join(dir, 'HEAD'), { force: true })
  rmSync(dir, { recursive: true, force: true })
}

/** What a git process needs to see the files of the ground with its private index. */
export function scanEnv(ground: Ground): Record<string, string> {
  return { GIT_WORK_TREE: ground.folder }
}

const SCAN_MS = 300_000

/** Keeps what is known of files that are the same in both, so that they need not be read again. */
async function readBase(host: Host, ground: Ground, base: CommitId | null): Promise<void> {
  const args = ['read-tree', ...(base === null ? ['--empty'] : ['--reset', base])]
  const place = { gitDir: scanDir(ground) }
  mkdirSync(scanDir(ground), { recursive: true })
  await git(host, place, args, { timeoutMs: SCAN_MS, env: scanEnv(ground) })
}

/** What git ends with when, among other things, it cannot read the index. */
const DAMAGED = 128

/** git writes into the index what it found out about unchanged files. */
function status(host: Host, ground: Ground, answers: readonly number[]): Promise<Ran> {
  const args = ['status', '--porcelain', '-z', '-uall', '--no-renames', '--ignore-submodules=all']
  return git(host, { gitDir: scanDir(ground) }, args, {
    timeoutMs: SCAN_MS,
    env: { ...scanEnv(ground), GIT_OPTIONAL_LOCKS: '1' },
    answers,
  })
}

/** The first column tells index from HEAD; the two are the same base unless something went wrong. */
function isWhole(output: Buffer): boolean {
  return splitNul(output).every((line) => line[0] === SPACE || line[0] === QUESTION)
}

const SPACE = 0x20
const QUESTION = 0x3f
const SLASH = 0x2f

function parse(output: Buffer): Scan {
  const entries: { path: string; gone: boolean }[] = []
  const nested: string[] = []
  for (const line of splitNul(output)) {
    // Names that are not UTF-8 cannot be recorded: the checkpoint says so.
    const path = nameText(line.subarray(3))
    if (path === null) continue
    if (line.at(-1) === SLASH) nested.push(path.slice(0, -1))
    else entries.push({ path, gone: line[1] === 0x44 })
  }
  return { entries, nested }
}

function headOf(base: CommitId | null): string {
  return base ?? 'ref: refs/heads/none'
}

export function scanDir(ground: Ground): string {
  return join(scansDir(ground.clone), `${ground.key}.git`)
}

export const scansDir = (clone: Clone) => join(clone.dir, 'scan')

function readOr(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}
