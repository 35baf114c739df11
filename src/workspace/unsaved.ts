import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { compareBytes } from '../domain/order.ts'
import type { Snapshot } from './checkpoint.ts'
import { storeGit } from './clone.ts'
import type { Host } from './host.ts'
import { ignoredFiles } from './ignored.ts'
import type { Workspace } from './registry.ts'
import { scan, workspaceGround } from './scan.ts'
import { listTree } from './tree.ts'

const IGNORED_SHOWN = 20
const UNSAVED_SHOWN = 50

/**
 * Faults with `refused_rule` when the folder holds what `taken`, a snapshot of it, does not: reason
 * `unsnapshotted` (files too large, names that are not UTF-8, repositories inside, files put into a
 * submodule's folder), or `ignored_files` unless these may go. `called` is the folder as it is named
 * to the reader, when it stands aside.
 */
export async function refuseUnsaved(
  host: Host,
  workspace: Workspace,
  taken: Snapshot,
  options: { readonly dropIgnored: boolean },
  called = workspace.folder,
): Promise<void> {
  const { tooLarge, badNames, nested } = taken.incomplete
  const named = [...tooLarge, ...badNames, ...nested, ...ownGit(workspace)]
  const found = await Promise.all([
    filledSubmodules(host, workspace, taken),
    differing(host, workspace, taken),
  ])
  const unsaved = [...named, ...found.flat()]
  if (unsaved.length > 0) throw unsnapshotted({ ...workspace, folder: called }, unsaved)
  if (options.dropIgnored) return
  const { paths, total } = await ignoredFiles(host, workspace, IGNORED_SHOWN)
  if (total > 0) throw ignoredThere({ ...workspace, folder: called }, paths, total)
}

export function unsnapshotted(workspace: Workspace, paths: readonly string[]): Fault {
  const { task, folder } = workspace
  const shown = [...new Set(paths)].sort(compareBytes)
  return new Fault(
    'refused_rule',
    `The workspace of ${task} holds files that are in no snapshot: ${listed(shown, shown.length)}.`,
    `Move what is to be kept out of ${folder}, then repeat the command.`,
    {
      detail: {
        reason: 'unsnapshotted',
        folder,
        paths: shown.slice(0, UNSAVED_SHOWN),
        total: shown.length,
      },
    },
  )
}

function ignoredThere(workspace: Workspace, paths: readonly string[], total: number): Fault {
  const { task, folder } = workspace
  return new Fault(
    'refused_rule',
    `The workspace of ${task} holds ignored files, which no snapshot keeps: ${listed(paths, total)}.`,
    `Look through them in ${folder}, and move away what is to stay; with --yes the rest goes.`,
    { detail: { reason: 'ignored_files', folder, paths, total } },
  )
}

const NAMED = 5

function listed(paths: readonly string[], total: number): string {
  const named = paths.slice(0, NAMED).join(', ')
  return total > NAMED ? `${named}, and ${total - NAMED} more` : named
}

/**
 * The net below the rest: whatever git sees on disk that is not in the commit, for a reason that
 * nobody has met. Of a commit with conflicts git cannot tell.
 */
async function differing(host: Host, workspace: Workspace, taken: Snapshot): Promise<string[]> {
  if (taken.conflict) return []
  const { entries } = await scan(host, workspaceGround(workspace), taken.commit)
  return entries.filter(({ gone }) => !gone).map(({ path }) => path)
}

/** jj passes over what lies in a submodule's folder. */
async function filledSubmodules(
  host: Host,
  workspace: Workspace,
  taken: Snapshot,
): Promise<string[]> {
  const files = await listTree(host, { gitDir: storeGit(workspace.clone) }, taken.commit)
  return files
    .filter(({ path, mode }) => mode === '160000' && !path.startsWith('.jjconflict-'))
    .map(({ path }) => path)
    .filter((path) => holdsAnything(join(workspace.folder, path)))
}

function holdsAnything(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() ? readdirSync(path).length > 0 : false
}

/** In place of the file that leads to av's, a repository that an agent made there itself. */
function ownGit(workspace: Workspace): string[] {
  const stat = lstatSync(join(workspace.folder, '.git'), { throwIfNoEntry: false })
  return stat?.isDirectory() ? ['.git'] : []
}
