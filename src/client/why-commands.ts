import type { Sent } from '../api/routes.ts'
import type { List, TaskView } from '../api/views.ts'
import type { CodeView } from '../domain/code-view.ts'
import type { RecordKind } from '../domain/record.ts'
import { exists, notAFile, readTarget, symbolOf } from './anchors.ts'
import { anchorsFor } from './anchors-of-task.ts'
import type { Code } from './code.ts'
import { codeHere, codeOfTask } from './code-at-hand.ts'
import { type Command, taskGiven } from './command.ts'
import { syncFew, waitForIndex } from './index-wait.ts'
import { isFolder, pathAt } from './path-at.ts'
import { findPlace, type Place, taskIdAt } from './place.ts'
import type { Session } from './session.ts'

export const record: Command<'record'> = async (session, given) => {
  const place = await findPlace(session)
  const task = await taskIdAt(session, place, given.task)
  const anchors = await anchorsFor(session, place, task, given)
  const body = given.body === '-' ? await session.invocation.readStdin() : given.body
  const held = { repo: place.repo, task, folder: folderOf(place, task) }
  return session.callFor(held, 'record', {
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

/** The generation of the folder one stands in, when it is one of that task. */
function folderOf({ workspace }: Place, task: string): number | null {
  return workspace?.task === task ? workspace.generation : null
}

export const log: Command<'log'> = async (session, given) => {
  const place = await findPlace(session)
  const path = pathAt(place, given.at)
  const view = await knownView(session, place, await codeHere(session.host, place))
  const ask = (at: string | null) =>
    session.call('log', { ...given, repo: place.repo, path: at, view })
  return path === null ? ask(path) : askAt(place, path, ask)
}

export const why: Command<'why'> = async (session, given) => {
  const place = await findPlace(session)
  const target = readTarget(place, String(given.target))
  if (target.path === '' || isFolder(place, target.path)) {
    throw notAFile(target.path, 'Name a file in it; `av log --at FOLDER` lists what is below one.')
  }
  const symbol = await symbolOf(place, target)
  const view = await knownView(session, place, await codeHere(session.host, place))
  const asked = { ...given, target: String(given.target), repo: place.repo, symbol, view }
  return askAt(place, target.path, (path) => session.call('why', { ...asked, path }))
}

/** What is not there any more may have been a folder: then it is asked for what was below it. */
async function askAt<L extends List<unknown>>(
  place: Place,
  path: string,
  ask: (path: string) => Promise<L>,
): Promise<L> {
  const answer = await ask(path)
  const isAnswered = answer.items.length > 0 || path.endsWith('/')
  return isAnswered || exists(place, path) ? answer : ask(`${path}/`)
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

/** The code of a task as it is known here, for marks. */
export async function codeOfTaskView(
  session: Session,
  place: Place,
  task: TaskView,
): Promise<CodeView | null> {
  return knownView(session, place, await codeOfTask(session.host, place, task))
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
  const packed = await session.call('pack', {
    ...given,
    task: task?.id ?? id,
    repo: place.repo,
    view: at.view,
    changed: at.changed,
    indexing,
  })
  const { reader, receipt } = packed
  if (reader !== null) {
    const ack = { ...reader, receipt, repo: place.repo }
    session.afterOutput = () => acknowledge(session, ack)
  }
  return packed
}

/** Where that fails, the reader is sent the same once more: no reason to fail what was delivered. */
async function acknowledge(session: Session, ack: Sent<'pack.ack'>): Promise<void> {
  await session.call('pack.ack', ack).catch(() => {})
}
