import { compareBytes } from '../domain/order.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'
import { noWorkspace, readEntry, type Workspace } from './registry.ts'
import { scanEnv, withIndex, workspaceGround } from './scan.ts'

const STATUS_MS = 300_000

/**
 * Ignored files and folders on disk that no snapshot holds, folders (with `/` behind) collapsed as
 * `git status --ignored=matching` does: at most `limit`, ordered by the bytes of the path, and how
 * many there are in all. Of names that are not UTF-8 the odd bytes are replaced. What av itself put
 * in the folder is not among them.
 */
export async function ignoredFiles(
  host: Host,
  workspace: Workspace,
  limit: number,
): Promise<{ readonly paths: readonly string[]; readonly total: number }> {
  const entry = readEntry(workspace.clone, workspace.name)
  if (entry === null) throw noWorkspace(workspace.name)
  // git cannot read a commit with conflicts; seen from the base, more files are ignored, never fewer.
  const seenFrom = entry.conflicted.length > 0 ? entry.base : entry.tip
  const ground = workspaceGround(workspace)
  const args = ['status', '--porcelain', '-z', '-uall', '--ignored=matching', '--no-renames']
  const ran = await withIndex(host, ground, seenFrom, (held, dir) =>
    git(held, { gitDir: dir }, [...args, '--ignore-submodules=all'], {
      timeoutMs: STATUS_MS,
      env: scanEnv(ground),
    }),
  )
  const paths = splitNul(ran.stdout)
    .map((line) => line.toString('utf8'))
    .filter((line) => line.startsWith('!! '))
    .map((line) => line.slice(3))
    .filter((path) => !OURS.has(path))
    .sort(compareBytes)
  return { paths: paths.slice(0, limit), total: paths.length }
}

const OURS: ReadonlySet<string> = new Set(['.jj', '.jj/', '.git', '.git/'])
