import type { Sent } from '../api/routes.ts'
import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { isAncestor } from '../workspace/ancestry.ts'
import { pull } from '../workspace/attach.ts'
import { changedFiles } from '../workspace/changes.ts'
import { storeGit } from '../workspace/clone.ts'
import type { TreeId } from '../workspace/commit.ts'
import { gitPerson } from '../workspace/git-person.ts'
import { dropLandingRef, landingCommit, type Person } from '../workspace/landing-commit.ts'
import { moveTrunk } from '../workspace/move-trunk.ts'
import { pushTrunk } from '../workspace/remote-trunk.ts'
import { trunkCommit } from '../workspace/trunk.ts'
import { type AtTrunk, hasLanded } from './trunk-slot.ts'

export type Move = Pick<Sent<'landing.open'>, 'task' | 'kind' | 'patch' | 'merge'> & {
  readonly old: CommitId | null
  readonly new: CommitId | null
}

/** Files named with a landing; what is beyond is on trunk all the same. */
const FILES_MAX = 20_000

/**
 * Moves trunk: written down before, closed after. A client that dies in between leaves trunk old or new; the next one
 * under the slot finds out which.
 * @throws Fault whose detail has reason `trunk_moved` when somebody was faster: nothing was changed
 */
export async function land(at: AtTrunk, move: Move): Promise<TaskView> {
  const { session, clone, slot, host, team } = at
  const { repo } = clone
  const landing = await session.call('landing.open', {
    ...move,
    ...{ repo, slot: slot.slot, files: await filesOf(at, move) },
  })
  const close = (landed: boolean) =>
    session.call('landing.close', { repo, slot: slot.slot, landing: landing.slot, landed })
  try {
    await moveIt(at, move)
  } catch (thrown) {
    const landed = leavesTrunk(thrown) ? false : await hasLanded(host, clone, team.remote, move)
    const task = await close(landed)
    if (!landed) throw thrown
    return task
  }
  const task = await close(true).catch((thrown) => {
    throw untold(thrown, move)
  })
  await pull(host, clone)
  if (move.new !== null) await dropLandingRef(host, clone, move.new)
  return task
}

/** Trunk has moved, and the store knows of it as of one under way: whoever comes next tells it. */
function untold(thrown: unknown, { task, kind, new: commit }: Move): unknown {
  if (!(thrown instanceof Fault)) return thrown
  return new Fault(
    thrown.code,
    `Trunk has moved by the ${kind} of ${task}, but that could not be written down: ${thrown.message}`,
    'Run `av sync` when the store is back: it sees what became of trunk, and closes the rest.',
    { cause: thrown, detail: { ...thrown.detail, trunk: commit } },
  )
}

/** These promise that nothing was touched; after any other failure one has to look. */
function leavesTrunk(thrown: unknown): boolean {
  if (!(thrown instanceof Fault)) return false
  const isPromised = thrown.code === 'conflict' || thrown.code === 'refused_rule'
  return isPromised && thrown.detail.reason !== 'remote_unreachable'
}

async function moveIt(at: AtTrunk, { task, kind, old, new: commit }: Move): Promise<void> {
  const { host, clone, team, session } = at
  const message = `av: ${kind} ${task}`
  if (team.remote === null) return moveTrunk(host, clone, { old, new: commit, message })
  if (commit === null) throw new TypeError('a remote trunk is never taken back to nothing')
  await pushTrunk(host, clone, team.remote, { old, commit })
  // The team has it. The person's own branch follows where nothing is in the way.
  const local = await trunkCommit(host, clone, clone.trunk)
  if (local === commit) return
  try {
    if (local !== null && !(await isAncestor(host, clone, local, commit))) {
      throw new Fault('conflict', 'it has commits that the remote has not.', 'Rebase or push them.')
    }
    await moveTrunk(host, clone, { old: local, new: commit, message })
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    session.warnings.push(
      `It is on ${team.remote}; your own branch ${clone.trunk} stays where it is: ${thrown.message}`,
    )
  }
}

async function filesOf({ host, clone }: AtTrunk, move: Move): Promise<string[]> {
  const store = { gitDir: storeGit(clone) }
  const tip = move.new ?? move.old
  if (tip === null) return []
  const base = move.new === null ? null : move.old
  const changes = await changedFiles(host, store, { base, tip })
  return changes.map(({ path }) => path).slice(0, FILES_MAX)
}

/** The commit that is to land, by the task's owner, committed by whoever lands it. */
export async function commitToLand(
  { session, host, clone, slot, trunk }: AtTrunk,
  tree: TreeId,
): Promise<CommitId> {
  const person = await gitPerson(host, clone)
  const { actor } = await session.tools.caller()
  const named = (name: string): Person =>
    person !== null && person.name === name ? person : { name, email: NO_ADDRESS }
  return landingCommit(host, clone, {
    ...{ tree, parent: trunk, message: slot.message },
    author: named(slot.author),
    committer: person ?? named(actor),
    at: new Date(session.tools.world.now()),
  })
}

/** Of agents, who have none. */
const NO_ADDRESS = 'av@localhost'
