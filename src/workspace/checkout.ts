import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { Clone } from './clone.ts'
import { diagnose } from './diagnosis.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'
import { type Ran, run } from './run.ts'

/** A worktree of a person's repository. */
export type Checkout = {
  /** The root of its files. */
  readonly folder: string
  /** The git directory of its own, with its HEAD and its index. */
  readonly gitDir: string
}

/**
 * The worktree of the person's repository that has trunk checked out, or null. Faults with
 * `refused_rule` when several have: the files of one only could follow.
 */
export async function checkoutOfTrunk(host: Host, clone: Clone): Promise<Checkout | null> {
  if (clone.kind === 'purejj') return null
  const folders = await foldersOnTrunk(host, clone)
  if (folders.length > 1) throw checkedOutTwice(clone.trunk, folders)
  const [folder] = folders
  if (folder === undefined) return null
  const asked = await gitIn(host, { folder, index: null }, ['rev-parse', '--absolute-git-dir'])
  return { folder, gitDir: asked.stdout.toString('utf8').replace(/\n$/, '') }
}

export type CheckoutGit = {
  readonly folder: string
  /** The index to work on; null for the checkout's own. */
  readonly index: string | null
}

export type CheckoutGitOptions = {
  readonly stdin?: Uint8Array
  /** Exit codes that are an answer, not a failure; 0 always is. */
  readonly answers?: readonly number[]
}

const CHECKOUT_MS = 600_000

/**
 * Runs git on a person's checkout: no hook, no file watcher, no clean-up. Their attributes hold
 * here, since files must come out as their own git would write them.
 */
export async function gitIn(
  host: Host,
  at: CheckoutGit,
  args: readonly string[],
  options: CheckoutGitOptions = {},
): Promise<Ran> {
  const ran = await run(host, {
    argv: ['git', ...SETTINGS.flatMap((setting) => ['-c', setting]), '-C', at.folder, ...args],
    cwd: '/',
    timeoutMs: CHECKOUT_MS,
    ...(at.index === null ? {} : { env: { GIT_INDEX_FILE: at.index } }),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  })
  if (ran.exitCode !== 0 && !options.answers?.includes(ran.exitCode)) throw diagnose(ran)
  return ran
}

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=true',
  // The copy of the index that is worked on must be whole, and leave no further file beside it.
  'core.splitIndex=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
]

async function foldersOnTrunk(host: Host, clone: Clone): Promise<string[]> {
  const ran = await git(host, clone, ['worktree', 'list', '--porcelain', '-z'])
  const branch = `branch refs/heads/${clone.trunk}`
  // One paragraph for each worktree, an empty line after it; the first is the main one.
  const lines = splitNul(ran.stdout).map((line) => line.toString('utf8'))
  const found: string[] = []
  let folder = ''
  for (const line of lines) {
    if (line.startsWith('worktree ')) folder = line.slice('worktree '.length)
    else if (line === branch) found.push(await filesOf(host, clone, folder))
  }
  // One whose folder is gone holds its branch still: git itself refuses to move it then.
  return found.filter((one) => existsSync(join(one, '.git')))
}

/** git names the git directory itself where `core.worktree` says that the files lie elsewhere. */
async function filesOf(host: Host, clone: Clone, listed: string): Promise<string> {
  if (existsSync(join(listed, '.git'))) return listed
  const asked = ['config', '--local', '--get', 'core.worktree']
  const ran = await git(host, clone, asked, { answers: [1] })
  const written = ran.stdout.toString('utf8').replace(/\n$/, '')
  return ran.exitCode === 0 ? resolve(clone.gitDir, written) : listed
}

function checkedOutTwice(trunk: string, folders: readonly string[]): Fault {
  return new Fault(
    'refused_rule',
    `${trunk} is checked out in ${folders.length} worktrees at once.`,
    'Switch all of them but one to another branch (see `git worktree list`), then merge again.',
    { detail: { reason: 'checked_out_elsewhere', folders: folders.slice(0, 20) } },
  )
}
