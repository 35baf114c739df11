import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { storeGit } from './clone.ts'
import { hasReason } from './diagnosis.ts'
import { git } from './git.ts'
import { layGitDir, objectFormatOf, RAW_CONTENT } from './git-dir.ts'
import type { Host } from './host.ts'
import type { Workspace, WorkspaceEntry } from './registry.ts'

export const shimDir = (workspace: Workspace) =>
  join(workspace.clone.dir, 'shim', `${workspace.name}.git`)

const SHIM_MS = 120_000

/**
 * Gives a workspace a git repository of its own, for agents that use git: `status`, `diff`, `log`,
 * `commit`, `stash` work, on a branch `task` that starts at the task's base. jj ignores it and sees
 * only files; it has no remote, so nothing can be pushed. Without it, git would work on whatever
 * repository lies above the folder. Commits and stashes made there before are kept.
 */
export async function layShim(
  host: Host,
  workspace: Workspace,
  entry: Pick<WorkspaceEntry, 'base'>,
): Promise<void> {
  const dir = shimDir(workspace)
  const marker = join(workspace.folder, '.git')
  const there = lstatSync(marker, { throwIfNoEntry: false })
  // An agent made a repository of its own there: that is its affair, jj does not look at it.
  if (there?.isDirectory()) return
  // No git can be at work without the file that leads it here: the lock is of one that was killed.
  if (there === undefined) rmSync(join(dir, 'index.lock'), { force: true })
  const fresh = !existsSync(join(dir, 'HEAD'))
  const store = storeGit(workspace.clone)
  layGitDir(dir, {
    head: fresh ? 'ref: refs/heads/task' : readFileSync(join(dir, 'HEAD'), 'utf8').trim(),
    objectFormat: objectFormatOf(store),
    alternates: [join(store, 'objects')],
    exclude: readFileSync(join(store, 'info', 'exclude'), 'utf8'),
    attributes: RAW_CONTENT,
    worktree: workspace.folder,
  })
  writeFileSync(marker, `gitdir: ${dir}\n`)
  if (entry.base === null) return
  if (fresh) await git(host, { gitDir: dir }, ['update-ref', 'refs/heads/task', entry.base])
  await git(host, { gitDir: dir }, ['reset', '-q', '--mixed'], {
    timeoutMs: SHIM_MS,
  })
}

const FOLLOW_TRIES = 5
const FOLLOW_PAUSE_MS = 100

/**
 * The agents' branch `task` begins at the new base after the task's commits were moved, and git
 * shows the task's own change against it. What an agent committed there stays in the branch's
 * reflog. While a git of the agent's is at work it is tried again, five times in all. The
 * repository is the agents': what is amiss there stops no snapshot, and at worst `git status` shows
 * more than the task changed.
 */
export async function moveShim(host: Host, workspace: Workspace, base: CommitId): Promise<void> {
  const place = { gitDir: shimDir(workspace) }
  for (let tries = 1; tries <= FOLLOW_TRIES; tries++) {
    try {
      await git(host, place, ['update-ref', '-m', 'av: rebase', 'refs/heads/task', base])
      await git(host, place, ['reset', '-q', '--mixed'], { timeoutMs: SHIM_MS })
      return
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      if (!hasReason(thrown, 'ref_locked')) return
      if (tries < FOLLOW_TRIES) await Bun.sleep(FOLLOW_PAUSE_MS)
    }
  }
}

/** Commits and stashes an agent made there, and that no snapshot holds. */
export async function hasOwnCommits(host: Host, workspace: Workspace): Promise<boolean> {
  const dir = shimDir(workspace)
  if (!existsSync(join(dir, 'HEAD'))) return false
  const args = ['rev-list', '--max-count=1', '--all', '--reflog', '--not', '--alternate-refs']
  const ran = await git(host, { gitDir: dir }, args)
  return ran.stdout.length > 0
}

/** Whether git, called in the workspace, finds the repository laid there. */
export function hasShim(workspace: Workspace): boolean {
  const marker = lstatSync(join(workspace.folder, '.git'), { throwIfNoEntry: false })
  if (marker?.isDirectory()) return true
  return marker !== undefined && existsSync(join(shimDir(workspace), 'HEAD'))
}
