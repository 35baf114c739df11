import { readFileSync, rmSync } from 'node:fs'
import type { LandingView, SlotView } from '../api/review-views.ts'
import type { TaskView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import type { LandingKind } from '../domain/landing.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TeamFile } from '../domain/team-file.ts'
import { isAncestor } from '../workspace/ancestry.ts'
import { writeAtomic } from '../workspace/atomic.ts'
import { pull } from '../workspace/attach.ts'
import { hasCommit } from '../workspace/bundle.ts'
import { type Clone, lockFile } from '../workspace/clone.ts'
import type { Host } from '../workspace/host.ts'
import { withLock } from '../workspace/lock.ts'
import { recoverTrunk } from '../workspace/recover-trunk.ts'
import { fetchRemoteTrunk } from '../workspace/remote-trunk.ts'
import { teamFileOf } from '../workspace/team-file.ts'
import { cloneName } from './clone-name.ts'
import { trunkHere } from './code-at-hand.ts'
import type { Session } from './session.ts'

/** A held merge slot, and trunk as it is now. */
export type AtTrunk = {
  readonly session: Session
  /** Its children are known to hold the slot's lock of this machine. */
  readonly host: Host
  readonly clone: Clone
  readonly slot: SlotView
  readonly trunk: CommitId | null
  /** What it was before, as far as av knew, is no part of it any more. */
  readonly forced: boolean
  /** What trunk's own `.av.toml` says. */
  readonly team: TeamFile
}

export type Want = {
  readonly kind: LandingKind | 'sync'
  readonly task: string | null
  /** What the task's workspace holds, where it is on this machine. */
  readonly tree: string | null
}

export type Settled = {
  readonly task: TaskView
  readonly kind: LandingKind
  readonly landed: boolean
}

/**
 * Does `work` under the repo's merge slot, with everything in order first: what a client that died left open is
 * finished or given up, and where others moved trunk it is followed. On one machine clients wait for each other; of
 * one on another machine the end is waited for ten seconds.
 * @param finished what to answer when the very thing wanted turns out to have been done by a client that died
 */
export async function onTrunk<T>(
  session: Session,
  clone: Clone,
  want: Want,
  work: (at: AtTrunk, settled: readonly Settled[]) => Promise<T>,
  finished: ((task: TaskView) => T) | null = null,
): Promise<T> {
  return withLock(session.host, lockFile(clone, '~slot'), async (host) => {
    const settled: Settled[] = []
    for (let attempt = 0; attempt < SETTLES_MAX; attempt++) {
      const remote = await remoteOf(host, clone)
      const slot = await takeSlot(session, clone, want, remote)
      try {
        if (slot.open === null) {
          const { trunk, forced } = await follow(session, host, clone, remote, slot)
          const team = { ...(await teamFileOf(host, clone, trunk)), remote }
          return await work({ session, host, clone, slot, trunk, forced, team }, settled)
        }
        const done = await settle(session, host, clone, remote, slot.slot, slot.open)
        settled.push(done)
        const isWanted = done.kind === want.kind && done.task.id === want.task
        if (done.landed && isWanted && finished !== null) return finished(done.task)
      } finally {
        await freeSlot(session, clone, slot.slot)
      }
    }
    throw new Fault(
      'conflict',
      'Moves of trunk that never came to an end keep turning up.',
      'Look at what else runs on this repository, then run `av sync`.',
      { detail: { reason: 'unsettled' } },
    )
  })
}

const SETTLES_MAX = 5

/** The team's remote, as the trunk of this clone names it. */
export async function remoteOf(host: Host, clone: Clone): Promise<string | null> {
  return (await teamFileOf(host, clone, await trunkHere(host, clone))).remote
}

/** Where the team's trunk is: at the remote, or in this clone. */
export async function trunkNow(
  host: Host,
  clone: Clone,
  remote: string | null,
): Promise<CommitId | null> {
  return remote === null ? (await pull(host, clone)).commit : fetchRemoteTrunk(host, clone, remote)
}

/**
 * Trunk as work begins on it and is brought up to: the team's, so that everybody has it. Where its remote cannot be
 * asked, this clone's own, and that is warned of.
 */
export async function trunkForWork(session: Session, clone: Clone): Promise<CommitId | null> {
  const { host } = session
  const remote = await remoteOf(host, clone)
  if (remote === null) return trunkHere(host, clone)
  try {
    return (await fetchRemoteTrunk(host, clone, remote)) ?? (await trunkHere(host, clone))
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    session.warnings.push(`${thrown.message} Trunk is taken as this clone has it.`)
    return trunkHere(host, clone)
  }
}

const TAKES_MAX = 40
const TAKE_AGAIN_MS = 250

async function takeSlot(
  session: Session,
  clone: Clone,
  want: Want,
  remote: string | null,
): Promise<SlotView> {
  const left = readLeft(clone)
  const args = { ...want, remote, left, repo: clone.repo, clone: cloneName(session, clone) }
  for (let takes = 1; ; takes++) {
    try {
      const slot = await session.call('slot.take', args)
      writeAtomic(leftFile(clone), `${slot.slot}\n`)
      return slot
    } catch (thrown) {
      const taken = thrown instanceof Fault && thrown.detail.reason === 'slot_taken'
      if (!taken || takes >= TAKES_MAX) throw thrown
      session.invocation.progress?.('waiting for another merge', takes, TAKES_MAX)
      await Bun.sleep(TAKE_AGAIN_MS)
    }
  }
}

/** Where this fails the slot lapses by itself: what was done stands either way. */
async function freeSlot(session: Session, clone: Clone, slot: number): Promise<void> {
  try {
    await session.call('slot.free', { repo: clone.repo, slot })
  } catch {
    return
  }
  rmSync(leftFile(clone), { force: true })
}

/**
 * The number granted last. Who reads it holds the lock of this machine, so that a process which left it is dead: its
 * slot need not be waited for. Under a later number, it could not have done anything any more.
 */
const leftFile = (clone: Clone) => lockFile(clone, '~slot').replace(/lock$/, 'number')

function readLeft(clone: Clone): number | null {
  try {
    const number = Number(readFileSync(leftFile(clone), 'utf8'))
    return Number.isSafeInteger(number) && number > 0 ? number : null
  } catch {
    return null
  }
}

/** Finds out what became of a move of trunk whose client died, and closes it. */
async function settle(
  session: Session,
  host: Host,
  clone: Clone,
  remote: string | null,
  slot: number,
  open: LandingView,
): Promise<Settled> {
  const landed = await hasLanded(host, clone, remote, open)
  const { repo } = clone
  const task = await session.call('landing.close', { repo, slot, landing: open.slot, landed })
  const what = landed ? 'was finished' : 'was given up, trunk had not moved'
  session.warnings.push(
    `The ${open.kind} of ${open.task}, left open by a client that died, ${what}.`,
  )
  return { task, kind: open.kind, landed }
}

/** Whether trunk made the move; a checkout that was left half-way is brought after it. */
export async function hasLanded(
  host: Host,
  clone: Clone,
  remote: string | null,
  open: Pick<LandingView, 'old' | 'new' | 'kind'>,
): Promise<boolean> {
  const move = { old: open.old as CommitId | null, new: open.new as CommitId | null }
  if (remote === null) return (await recoverTrunk(host, clone, move)) === 'landed'
  const trunk = await fetchRemoteTrunk(host, clone, remote)
  if (open.kind === 'undo') return trunk === move.new
  return contains(host, clone, trunk, move.new)
}

/** Whether `commit` is part of `trunk`; one that is not in the store is not. */
async function contains(
  host: Host,
  clone: Clone,
  trunk: CommitId | null,
  commit: CommitId | null,
): Promise<boolean> {
  if (trunk === null || commit === null || !(await hasCommit(host, clone, commit))) return false
  return isAncestor(host, clone, commit, trunk)
}

/** Brings what the store knows of trunk up to where it is. */
async function follow(
  session: Session,
  host: Host,
  clone: Clone,
  remote: string | null,
  { slot, trunk: known, discarded }: SlotView,
): Promise<Pick<AtTrunk, 'trunk' | 'forced'>> {
  const { repo } = clone
  const trunk = await trunkNow(host, clone, remote)
  const old = known as CommitId | null
  const forced = trunk !== old && old !== null && !(await contains(host, clone, trunk, old))
  if (trunk !== old) {
    await session.call('trunk.note', { repo, slot, old, new: trunk, forced })
    if (forced) {
      session.warnings.push(
        `Trunk was moved by force: it was at ${old.slice(0, 12)}, which is no part of it any more.`,
      )
    }
  }
  for (const { task, kind, new: commit } of discarded) {
    if (kind !== 'merge' || commit === null) continue
    if (!(await contains(host, clone, trunk, commit as CommitId))) continue
    await session.call('trunk.landed', { repo, slot, task, commit })
    session.warnings.push(`${task} is on trunk after all, and merged.`)
  }
  return { trunk, forced }
}
