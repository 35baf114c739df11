import { existsSync } from 'node:fs'
import { Fault, type FaultCode } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Host } from '../workspace/host.ts'
import { listWorkspaces, readEntry, type Workspace } from '../workspace/registry.ts'
import { checkoutGround, type Ground, workspaceGround } from '../workspace/scan.ts'
import { Code } from './code.ts'
import { trunkHere } from './code-at-hand.ts'
import { needClone, type Place } from './place.ts'
import type { Session } from './session.ts'

/** Some code at hand, and the folder it lies in. */
export type CodeFolder = {
  readonly code: Code
  readonly ground: Ground
  readonly base: CommitId | null
  /** The one a command stands in. */
  readonly isHere: boolean
}

/** Every folder with code of the clone: first the one stood in, then the checkout, then each workspace. */
export async function allCode(host: Host, place: Place): Promise<readonly CodeFolder[]> {
  const clone = needClone(place)
  const root = place.workspace === null ? place.root : clone.root
  const trunk = await trunkHere(host, clone)
  const checkout: CodeFolder = {
    code: Code.ofCheckout(host, clone, root, trunk),
    ground: checkoutGround(clone, root),
    ...{ base: trunk, isHere: place.workspace === null },
  }
  const workspaces = listWorkspaces(clone).map((workspace) => {
    const isHere = workspace.folder === place.workspace?.folder
    return { ...workspaceCode(host, workspace), isHere }
  })
  const all = [checkout, ...workspaces].filter(({ ground }) => existsSync(ground.folder))
  return [...all.filter(({ isHere }) => isHere), ...all.filter(({ isHere }) => !isHere)]
}

/**
 * Does `work` for one folder after the other. What is wrong with one that nobody stands in is a warning, and the
 * others go on; a daemon or store that is gone is gone for all.
 */
export async function forEachFolder(
  session: Session,
  folders: readonly CodeFolder[],
  work: (folder: CodeFolder) => Promise<void>,
): Promise<void> {
  for (const folder of folders) {
    try {
      await work(folder)
    } catch (thrown) {
      if (folder.isHere || !(thrown instanceof Fault) || FOR_ALL.has(thrown.code)) throw thrown
      session.warnings.push(`${folder.ground.folder} was left out: ${thrown.message}`)
    }
  }
}

const FOR_ALL: ReadonlySet<FaultCode> = new Set(['daemon_unreachable', 'store_unavailable'])

function workspaceCode(host: Host, workspace: Workspace): Omit<CodeFolder, 'isHere'> {
  return {
    code: Code.ofWorkspace(host, workspace),
    ground: workspaceGround(workspace),
    base: readEntry(workspace.clone, workspace.name)?.base ?? null,
  }
}
