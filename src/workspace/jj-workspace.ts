import type { CommitId } from '../domain/repo.ts'
import type { Host } from './host.ts'
import { jj, jjText } from './jj.ts'
import type { Workspace } from './registry.ts'

/** Writing 20,000 files takes seconds, on a busy machine many. */
const FILES_MS = 600_000

/**
 * `jj workspace add` into `folder`, which is empty or absent, its parent there: the files of `base`
 * under a new commit. A failure may leave both folder and workspace behind, for the caller to clean up.
 */
export async function addWorkspace(
  host: Host,
  workspace: Workspace,
  folder: string,
  base: CommitId | null,
  title: string | null,
): Promise<void> {
  const args = [
    'workspace',
    'add',
    `--name=${workspace.name}`,
    `--revision=${base ?? 'root()'}`,
    ...(title === null ? [] : [`--message=${jjText(title)}`]),
    // A colocated one would share branches and stash with every other task.
    '--no-colocate',
    folder,
  ]
  await jj(host, workspace.clone, args, { timeoutMs: FILES_MS })
}

/** Files stay. Forgetting a workspace that jj does not know is no failure to it. */
export async function forgetWorkspace(host: Host, workspace: Workspace): Promise<void> {
  await jj(host, workspace.clone, ['workspace', 'forget', workspace.name], { ignoreFiles: true })
}

/** Puts the files of `commit` in `folder`, a workspace of that name, and goes on from there. */
export async function editCommit(
  host: Host,
  workspace: Workspace,
  folder: string,
  commit: CommitId,
): Promise<void> {
  await jj(host, workspace.clone, ['edit', commit], { workspace: folder, timeoutMs: FILES_MS })
}
