import type { Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId, Repo, RepoId, RepoIdentity } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import type { NewRepo, Store } from '../store/store.ts'
import type { Handler } from './deps.ts'
import { findConvention, findRecord, findRepo, findTask } from './lookup.ts'
import { viewRepo, viewTask } from './views.ts'

/**
 * Makes a clone part of a repo: the one it belongs to, one with the same history and a remote in
 * common, or a new one. The same history and other remotes may be a fork: then the name decides.
 */
export const init: Handler<'init'> = async ({ store, world }, input, caller) => {
  const identity: RepoIdentity = {
    rootCommits: input.rootCommits as CommitId[],
    remotes: input.remotes,
  }
  const trunkCommit = input.trunkCommit as CommitId | null
  const known = input.known === null ? null : await store.repo(input.known as RepoId)
  const joined = known ?? (await repoToJoin(store, identity, input.name ?? null))
  if (joined) {
    const { name = joined.name, trunkName } = input
    const warnings = [
      ...(joined.trunk === trunkName
        ? []
        : [`The repo's trunk is ${joined.trunk}; this clone's seems to be ${trunkName}.`]),
      ...(joined.name === name ? [] : [`The repo is named ${joined.name} already, not ${name}.`]),
    ]
    const repo = input.dryRun
      ? joined
      : await store.updateRepo(joined.id, {
          ...(trunkCommit !== null && { firstTrunk: trunkCommit }),
          rootCommits: identity.rootCommits,
          remotes: identity.remotes,
        })
    return { ...viewRepo(repo), created: false, dryRun: input.dryRun, warnings }
  }
  const name = await freeName(store, input.name ?? null, input.folder)
  const fresh = {
    id: world.randomHex(16) as RepoId,
    name,
    trunk: input.trunkName,
    trunkCommit,
    identity,
  }
  const view = input.dryRun
    ? { id: fresh.id, repo: name, trunk: fresh.trunk, trunkCommit }
    : viewRepo(await create(store, fresh, input.clone, caller))
  return { ...view, created: true, dryRun: input.dryRun, warnings: [] }
}

/** Trunk is the branch of the clone that came first, as long as no remote is named to hold it. */
async function create(store: Store, fresh: NewRepo, clone: string, by: Caller): Promise<Repo> {
  const { id } = await store.createRepo(fresh, by)
  return store.updateRepo(id, { trunkHome: clone })
}

async function repoToJoin(
  store: Store,
  identity: RepoIdentity,
  name: string | null,
): Promise<Repo | null> {
  const alike = await store.reposLike(identity)
  if (name !== null) return alike.find((repo) => repo.name === name) ?? null
  const urls = new Set(Object.values(identity.remotes))
  const same = alike.filter(({ identity: { remotes } }) => {
    const theirs = Object.values(remotes)
    return urls.size === 0 ? theirs.length === 0 : theirs.some((url) => urls.has(url))
  })
  if (same.length === 1) return same[0] ?? null
  const [other] = alike
  if (other === undefined) return null
  throw new Fault(
    'conflict',
    `The history is that of ${alike.map((repo) => repo.name).join(', ')}, but the remotes differ: it may be the same repo or a fork.`,
    `Give --name ${other.name} to join it, or --name with another name to keep the two apart.`,
    { detail: { reason: 'same_root', repos: alike.map((repo) => repo.name) } },
  )
}

/** The wanted name, or the folder's with the first free number behind it. */
async function freeName(store: Store, wanted: string | null, folder: string): Promise<string> {
  const taken = new Set((await store.repos()).map((repo) => repo.name))
  if (wanted !== null) {
    if (!taken.has(wanted)) return wanted
    throw new Fault(
      'conflict',
      `Another repo is named ${wanted}.`,
      'Choose another --name, or run `av init` without one.',
      { detail: { reason: 'name_taken' } },
    )
  }
  for (let number = 1; ; number++) {
    const name = number === 1 ? folder : `${folder}-${number}`
    if (!taken.has(name)) return name
  }
}

export const listRepos: Handler<'repo.list'> = async ({ store }) => ({
  items: (await store.repos()).map(viewRepo),
})

export const status: Handler<'status'> = async ({ store, daemon }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const task = input.task === null ? null : await store.task(repo.id, input.task as TaskId)
  return {
    ...viewRepo(repo),
    task: task === null ? null : viewTask(task),
    actor: caller.actor,
    session: caller.session,
    degraded: [],
    now: await store.now(),
    daemon: daemon(),
  }
}

export const migrate: Handler<'migrate'> = async ({ schema, daemon }) => ({
  store: daemon().store ?? '',
  applied: schema.applied,
  schema: schema.newest,
})

/** What holds copies that no purge of the store can reach. */
const BEYOND_PURGE = [
  'messages of commits that landed already',
  "jj's operation log in the private store",
  'backups and exports made before',
] as const

export const purge: Handler<'purge'> = async ({ store, indexes, semantic }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const id = await purgeableId(store, repo.id, input.id)
  await semantic.forget(repo.id)
  const done = await store.purge(repo.id, id, caller)
  indexes.forget(repo.id)
  return { ...done, remains: BEYOND_PURGE }
}

async function purgeableId(store: Store, repo: RepoId, text: string): Promise<string> {
  if (text.startsWith('r:')) return (await findRecord(store, repo, text)).id
  if (text.startsWith('c:')) return (await findConvention(store, repo, text)).id
  return (await findTask(store, repo, text)).id
}
