import type { Anchor } from '../domain/anchor.ts'
import type { CommitId } from '../domain/repo.ts'
import { storedTrunk } from '../workspace/attach.ts'
import { readBlobs } from '../workspace/blobs.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import type { Host } from '../workspace/host.ts'
import { isGone } from '../workspace/mend.ts'
import { readEntry } from '../workspace/registry.ts'
import { listTree } from '../workspace/tree.ts'
import { type AnchoredCode, codeOnDisk, findAnchors, notAFile, refuseTooLarge } from './anchors.ts'
import type { Given } from './command.ts'
import type { Place } from './place.ts'
import type { Session } from './session.ts'
import { showOne } from './task-commands.ts'
import { bringCommits } from './task-commits.ts'
import { currentFolder } from './task-folder.ts'

/**
 * What `--at` names, looked up in the folder of the task it is for, wherever one stands; where that is on another
 * machine, in the task's last checkpoint.
 */
export async function anchorsFor(
  session: Session,
  place: Place,
  task: string,
  given: Given,
): Promise<Anchor[]> {
  const at = (given.at ?? []) as readonly string[]
  if (at.length === 0) return []
  return findAnchors(await codeOf(session, place, task), at, given.allowMissing === true)
}

async function codeOf(session: Session, place: Place, task: string): Promise<AnchoredCode> {
  const { clone } = place
  if (place.workspace?.task === task || clone === null) return codeAt(session, place)
  const view = await showOne(session, place, task)
  const workspace = currentFolder(place, view)
  if (workspace !== null && !isGone(workspace)) {
    const { folder } = workspace
    return codeAt(session, { ...place, workspace, root: folder, cwd: folder })
  }
  const commit = (view.head ?? view.base) as CommitId | null
  if (commit === null) return codeAt(session, place)
  await bringCommits(session, clone, view.id, [commit])
  return codeOfCommit(session.host, clone, place.root, commit)
}

function codeAt(session: Session, place: Place): AnchoredCode {
  return codeOnDisk(place, () => knownPaths(session, place))
}

async function knownPaths(session: Session, { clone, workspace }: Place): Promise<string[]> {
  if (clone === null) return []
  const base =
    workspace === null
      ? await storedTrunk(session.host, clone)
      : (readEntry(clone, workspace.name)?.base ?? null)
  return (await listTree(session.host, { gitDir: storeGit(clone) }, base)).map(({ path }) => path)
}

async function codeOfCommit(
  host: Host,
  clone: Clone,
  root: string,
  commit: CommitId,
): Promise<AnchoredCode> {
  const store = { gitDir: storeGit(clone) }
  const files = new Map((await listTree(host, store, commit)).map((file) => [file.path, file]))
  const read = async (path: string) => {
    const file = files.get(path)
    if (file === undefined) return null
    if (file.mode === '160000') throw notAFile(path)
    refuseTooLarge(path, file.size)
    for await (const { bytes } of readBlobs(host, store, [file.blob], file.size)) return bytes
    return null
  }
  const paths = async () => [...files.keys()]
  return { root, cwd: root, has: (path) => files.has(path), read, paths }
}
