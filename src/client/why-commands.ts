import type { CodeView } from '../domain/code-view.ts'
import type { RecordKind } from '../domain/record.ts'
import { storedTrunk } from '../workspace/attach.ts'
import { storeGit } from '../workspace/clone.ts'
import { readEntry } from '../workspace/registry.ts'
import { listTree } from '../workspace/tree.ts'
import { findAnchors, notAFile, readTarget, symbolOf } from './anchors.ts'
import type { Code } from './code.ts'
import { codeHere, codeOfTask, workspaceOf } from './code-at-hand.ts'
import { type Command, taskGiven } from './command.ts'
import { syncFew, waitForIndex } from './index-wait.ts'
import { isFolder, pathAt } from './path-at.ts'
import { findPlace, type Place, taskIdAt } from './place.ts'
import type { Session } from './session.ts'

export const record: Command<'record'> = async (session, given) => {
  const place = await findPlace(session)
  const task = await taskIdAt(session, place, given.task)
  const at = (given.at ?? []) as readonly string[]
  // Anchors are looked up in the folder of the task they are for, wherever one stands.
  const folder = placeOfAnchors(place, task)
  const anchors = await findAnchors(folder, at, given.allowMissing === true, () =>
    knownPaths(session, folder),
  )
  const body = given.body === '-' ? await session.invocation.readStdin() : given.body
  return session.callFor({ repo: place.repo, task }, 'record', {
    ...given,
    kind: given.kind as RecordKind,
    summary: String(given.summary),
    task,
    ...(typeof body === 'string' && { body }),
    workspaceTask: null,
    anchors,
    repo: place.repo,
  })
}

function placeOfAnchors(place: Place, task: string): Place {
  if (place.workspace?.task === task || place.clone === null) return place
  const workspace = workspaceOf(place, task)
  if (workspace === null) return place
  return { ...place, workspace, root: workspace.folder, cwd: workspace.folder }
}

async function knownPaths(session: Session, { clone, workspace }: Place): Promise<string[]> {
  if (clone === null) return []
  const base =
    workspace === null
      ? await storedTrunk(session.host, clone)
      : (readEntry(clone, workspace.name)?.base ?? null)
  return (await listTree(session.host, { gitDir: storeGit(clone) }, base)).map(({ path }) => path)
}

export const log: Command<'log'> = async (session, given) => {
  const place = await findPlace(session)
  const path = pathAt(place, given.at)
  const view = await knownView(session, place, await codeHere(session.host, place))
  return session.call('log', { ...given, repo: place.repo, path, view })
}

export const why: Command<'why'> = async (session, given) => {
  const place = await findPlace(session)
  const target = readTarget(place, String(given.target))
  if (target.path === '' || isFolder(place, target.path)) throw notAFile(target.path)
  const symbol = await symbolOf(place, target)
  const view = await knownView(session, place, await codeHere(session.host, place))
  return session.call('why', {
    ...given,
    target: String(given.target),
    repo: place.repo,
    path: target.path,
    symbol,
    view,
  })
}

export const expand: Command<'expand'> = async (session, given) => {
  const place = await findPlace(session)
  const view = await knownView(session, place, await codeHere(session.host, place))
  return session.call('expand', {
    ids: [...(given.ids as readonly string[])],
    repo: place.repo,
    view,
  })
}

/** The code one stands in, indexed as far as that takes no waiting: marks need no more. */
async function knownView(
  session: Session,
  place: Place,
  code: Code | null,
): Promise<CodeView | null> {
  if (code === null) return null
  const { view } = await code.view()
  await syncFew(session, place.repo, code, view)
  return view
}

export const pack: Command<'pack'> = async (session, given) => {
  const place = await findPlace(session)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task =
    place.workspace?.task === id
      ? null
      : await session.call('task.show', { task: id, repo: place.repo })
  const code =
    task === null
      ? await codeHere(session.host, place)
      : await codeOfTask(session.host, place, task)
  const at = code === null ? { view: null, changed: [] } : await code.view()
  const indexing =
    code === null || at.view === null ? false : await waitForIndex(session, place, code, at.view)
  return session.call('pack', {
    ...given,
    task: task?.id ?? id,
    repo: place.repo,
    view: at.view,
    changed: at.changed,
    indexing,
  })
}
