import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { CommitId, RepoId } from '../domain/repo.ts'
import { bringFromStore } from '../workspace/attach.ts'
import { type Bundle, hasCommit, makeBundle, takeBundle } from '../workspace/bundle.ts'
import type { Span } from '../workspace/changes.ts'
import { type Clone, listClones } from '../workspace/clone.ts'
import type { Host } from '../workspace/host.ts'
import { receiveCommit, sendCommit } from '../workspace/remote-commit.ts'
import { fetchRemoteTrunk } from '../workspace/remote-trunk.ts'
import { trunkHere } from './code-at-hand.ts'
import type { HeldTask, Session } from './session.ts'
import { remoteOf } from './trunk-slot.ts'

/** Bytes of one part on the wire; in base64 a third more, well below what a body may hold. */
const PART_BYTES = 4 * 1024 * 1024
/** Tasks that stand on tasks. */
const STACK_MAX = 20

/**
 * On a shared store, sends what others need to have a checkpoint's commits. It goes before the checkpoint itself: what
 * is told of can be fetched.
 * @param claim under which the owner sends; null: somebody else does, for a merge or a task on top
 */
export async function sendCommits(
  session: Session,
  clone: Clone,
  task: string,
  span: Span,
  claim: HeldTask | null,
): Promise<void> {
  const { repo } = clone
  const { isShared, bundle } = await session.call('bundle.state', { repo, tip: span.tip })
  if (!isShared || bundle !== null || span.base === span.tip) return
  const made = await bundleOrRemote(session, clone, span)
  if (made === null) return
  try {
    const parts = Math.ceil(made.bytes / PART_BYTES)
    const file = openSync(made.file, 'r')
    try {
      for (let ordinal = 0; ordinal < parts; ordinal++) {
        const part = Buffer.alloc(Math.min(PART_BYTES, made.bytes - ordinal * PART_BYTES))
        readSync(file, part, 0, part.length, ordinal * PART_BYTES)
        session.invocation.progress?.('sending commits', ordinal, parts)
        const { id, base, tip, bytes: size } = made
        const data = part.toString('base64')
        const args = { repo, task, id, base, tip, size, parts, ordinal, data }
        if (claim === null) await session.call('bundle.put', args)
        else await session.callFor(claim, 'bundle.put', args)
      }
    } finally {
      closeSync(file)
    }
  } finally {
    rmSync(made.file, { force: true })
  }
}

/** What is too large for the store travels by the team's remote, where there is one: then there is no bundle. */
async function bundleOrRemote({ host }: Session, clone: Clone, span: Span): Promise<Bundle | null> {
  try {
    return await makeBundle(host, clone, span)
  } catch (thrown) {
    const isLarge = thrown instanceof Fault && thrown.detail.reason === 'bundle_too_large'
    const remote = isLarge ? await remoteOf(host, clone) : null
    if (remote === null) throw thrown
    await sendCommit(host, clone, remote, span.tip)
    return null
  }
}

/**
 * Sees to it that this clone's store has a task's commits: its own, trunk's, or those another machine sent.
 * @throws Fault `not_found` reason `commit_missing`, naming what to do
 */
export async function bringCommits(
  session: Session,
  clone: Clone,
  task: string,
  commits: readonly (CommitId | null)[],
): Promise<void> {
  for (const commit of commits) {
    if (commit !== null) await bring(session, clone, task, commit, STACK_MAX)
  }
}

async function bring(
  session: Session,
  clone: Clone,
  task: string,
  commit: CommitId,
  depth: number,
): Promise<void> {
  const { host } = session
  if (await hasCommit(host, clone, commit)) return
  await trunkHere(host, clone)
  if (await hasCommit(host, clone, commit)) return
  if (await bringFromNeighbour(host, clone, commit)) return
  await fetchTeamTrunk(host, clone)
  if (await hasCommit(host, clone, commit)) return
  const { bundle } = await session.call('bundle.state', { repo: clone.repo, tip: commit })
  if (bundle === null || depth === 0) {
    const remote = await remoteOf(host, clone)
    if (remote !== null && (await receiveCommit(host, clone, remote, commit))) return
    throw missing(task, commit)
  }
  if (bundle.base !== null) {
    await bring(session, clone, task, bundle.base as CommitId, depth - 1)
  }
  const folder = mkdtempSync(join(tmpdir(), 'av-bundle-'))
  try {
    const file = join(folder, 'bundle')
    await fetchParts(session, clone.repo, bundle, file)
    await takeBundle(host, clone, { id: bundle.id, tip: commit, file })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Of several clones of a repo on one machine each has a store of its own: what one has, the others can have. */
async function bringFromNeighbour(host: Host, clone: Clone, commit: CommitId): Promise<boolean> {
  for (const other of listClones(host)) {
    if (other.repo !== clone.repo || other.dir === clone.dir) continue
    if (!(await hasCommit(host, other, commit))) continue
    await bringFromStore(host, clone, other, commit)
    return true
  }
  return false
}

/** Where its remote does not answer, what is missing is missing: that is said by who asks. */
async function fetchTeamTrunk(host: Host, clone: Clone): Promise<void> {
  const remote = await remoteOf(host, clone)
  if (remote === null) return
  try {
    await fetchRemoteTrunk(host, clone, remote)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
  }
}

async function fetchParts(
  session: Session,
  repo: RepoId,
  { id, parts }: { readonly id: string; readonly parts: number },
  file: string,
): Promise<void> {
  const out = openSync(file, 'wx', 0o600)
  try {
    for (let ordinal = 0; ordinal < parts; ordinal++) {
      session.invocation.progress?.('fetching commits', ordinal, parts)
      const { data } = await session.call('bundle.part', { repo, id, ordinal })
      writeSync(out, Buffer.from(data, 'base64'))
    }
  } finally {
    closeSync(out)
  }
}

function missing(task: string, commit: string): Fault {
  return new Fault(
    'not_found',
    `The commit ${commit.slice(0, 12)}, on which ${task} stands, is not in this clone.`,
    "Fetch trunk in this clone; a task's own commits come by a shared store, or stay where it was worked on.",
    { detail: { reason: 'commit_missing', commit, task } },
  )
}
