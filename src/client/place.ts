import { realpathSync } from 'node:fs'
import { Fault } from '../domain/fault.ts'
import type { RepoId } from '../domain/repo.ts'
import { type Clone, findClone, listClones } from '../workspace/clone.ts'
import { surroundings } from '../workspace/detect.ts'
import type { Host } from '../workspace/host.ts'
import { locate, type Workspace } from '../workspace/registry.ts'
import { taskGiven } from './command.ts'
import type { Session } from './session.ts'

/** Where a command stands. */
export type Place = {
  readonly repo: RepoId
  /** The clone on this machine; null where `--repo` names a repo that has none here. */
  readonly clone: Clone | null
  /** The workspace one stands in, if it is one of this repo. */
  readonly workspace: Workspace | null
  /** The root that paths are relative to: of the workspace, else of the checkout. */
  readonly root: string
  /** The folder one stands in, a real path. */
  readonly cwd: string
}

/**
 * Finds repo and workspace from the folder a command stands in, or from `--repo`.
 * @throws Fault `not_found`: in no repository, or in one that av was not set up for
 */
export async function findPlace(session: Session): Promise<Place> {
  const { cwd, repo } = session.invocation
  return repo === null ? placeOf(session.host, cwd) : placeByName(session, repo, cwd)
}

async function placeOf(host: Host, cwd: string): Promise<Place> {
  const workspace = locate(host, cwd)
  if (workspace !== null) {
    const { clone, folder } = workspace
    return { repo: clone.repo, clone, workspace, root: folder, cwd: realpathSync(cwd) }
  }
  const around = await surroundings(host, cwd)
  if (around === null) throw noRepository(cwd)
  const clone = findClone(host, around)
  if (clone === null) throw notSetUp(around.root)
  return { repo: clone.repo, clone, workspace: null, root: around.root, cwd: realpathSync(cwd) }
}

async function placeByName(session: Session, name: string, cwd: string): Promise<Place> {
  const { items } = await session.call('repo.list', {})
  const found = items.find((repo) => repo.repo === name || repo.id === name)
  if (found === undefined) {
    const names = items.map((repo) => repo.repo).slice(0, 10)
    throw new Fault(
      'not_found',
      `The store knows no repo named ${name}.`,
      names.length === 0 ? 'Run `av init` in a repository.' : `Known: ${names.join(', ')}.`,
      { detail: { reason: 'repo_unknown', name } },
    )
  }
  const repo = found.id as RepoId
  const here = await placeIn(session.host, cwd, repo)
  if (here !== null) return here
  const clone = listClones(session.host).find((known) => known.repo === repo) ?? null
  return { repo, clone, workspace: null, root: clone?.root ?? cwd, cwd: clone?.root ?? cwd }
}

/** The place one stands in, if it is one of this repo's. */
async function placeIn(host: Host, cwd: string, repo: RepoId): Promise<Place | null> {
  try {
    const here = await placeOf(host, cwd)
    return here.repo === repo ? here : null
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'not_found') return null
    throw thrown
  }
}

function noRepository(cwd: string): Fault {
  return new Fault(
    'not_found',
    `${cwd} is in no git or jj repository.`,
    'Change to a folder of the repository, or name it with -C DIR or --repo NAME.',
    { detail: { reason: 'no_repository', path: cwd } },
  )
}

function notSetUp(root: string): Fault {
  return new Fault('not_found', `av was not set up for ${root} yet.`, 'Run `av init` in it.', {
    detail: { reason: 'not_initialised', path: root },
  })
}

/** The clone, where a command cannot do without one. @throws Fault `not_found` */
export function needClone(place: Place): Clone {
  if (place.clone !== null) return place.clone
  throw new Fault(
    'not_found',
    'This machine has no clone of that repo.',
    'Clone it, and run `av init` in the clone.',
    { detail: { reason: 'no_clone' } },
  )
}

/** The whole id of the task that a command is about, where it may be named by its beginning. */
export async function taskIdAt(session: Session, place: Place, given: unknown): Promise<string> {
  const own = place.workspace?.task ?? null
  const named = taskGiven(session, given, own)
  if (named === own) return named
  return (await session.call('task.show', { task: named, repo: place.repo })).id
}
