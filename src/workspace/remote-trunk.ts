import { Fault } from '../domain/fault.ts'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import { adoptCommit, fetchObjects } from './attach.ts'
import { type Clone, storeGit } from './clone.ts'
import { hasReason } from './diagnosis.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import {
  askRef,
  download,
  findRemote,
  firstTrouble,
  pushRefused,
  type Remote,
  saidBy,
  upload,
} from './remote.ts'
import { resolveCommit } from './tree.ts'

/** A step of the team's trunk: from `old` (null: there is none yet) to `commit`, of the store. */
export type TrunkMove = { readonly old: CommitId | null; readonly commit: CommitId }

/**
 * Brings the remote's branch of trunk's name into the store, where jj then knows it, and returns
 * the commit it is at; null when the remote has no such branch. Nothing new costs one question to
 * the remote. The person's own trunk, and what `storedTrunk` says of it, stay where they are; in
 * their repository nothing changes but that it has the objects.
 * Faults: `not_found`, reason `remote_unknown`; `conflict`, reason `remote_unreachable`;
 * `unsupported`, reason `non_utf8_trunk`.
 */
export async function fetchRemoteTrunk(
  host: Host,
  clone: Clone,
  remote: string,
): Promise<CommitId | null> {
  const found = await findRemote(host, clone, remote)
  const commit = await askTrunk(found, clone.trunk)
  const ref = seenRef(clone, remote)
  if (commit === null) return null
  if ((await resolveCommit(host, { gitDir: storeGit(clone) }, ref)) === commit) return commit
  await download(found, commit)
  await fetchObjects(host, clone, commit)
  await adoptCommit(host, clone, commit, ref)
  return commit
}

/**
 * Moves the remote's trunk, if it still is where `move.old` says: the compare and swap of a team.
 * What became of a push is asked of the remote, not read from git's words, so that a lost answer
 * is no failure. History is never rewound: `move.commit` must stand on `move.old`.
 * Faults: `conflict`, reason `trunk_moved`; `refused_rule`, reason `push_refused` (rules of the
 * server; `detail.said` has its words); `conflict`, reason `remote_unreachable`: `detail.pushed` is
 * then `unknown`; `not_found`, reason `remote_unknown`.
 */
export async function pushTrunk(
  host: Host,
  clone: Clone,
  remote: string,
  move: TrunkMove,
): Promise<void> {
  const found = await findRemote(host, clone, remote)
  await refuseRewind(host, clone, move)
  const failure = await push(found, clone, move)
  if (failure !== null) await judge(found, clone, move, failure)
  try {
    await adoptCommit(host, clone, move.commit, seenRef(clone, remote))
  } catch {
    // The trunk has moved, and that is what was asked; the next fetch makes up for this.
  }
}

/**
 * The remotes that have `commit` on their branch of trunk's name, as far as the person's repository
 * and the store have seen: what was pushed cannot be undone. By name.
 */
export async function pushedTo(host: Host, clone: Clone, commit: CommitId): Promise<string[]> {
  const listed = await git(host, clone, ['remote'])
  const remotes = listed.stdout.toString('utf8').split('\n').filter(Boolean)
  const theirs = (remote: string) => `refs/remotes/${remote}/${clone.trunk}`
  const ours = (remote: string) => seenRef(clone, remote)
  const store = { gitDir: storeGit(clone) }
  const [inPerson, inStore] = await Promise.all([
    containing(host, clone, commit, remotes.map(theirs)),
    containing(host, store, commit, remotes.map(ours)),
  ])
  const has = (remote: string) => inPerson.has(theirs(remote)) || inStore.has(ours(remote))
  return remotes.filter(has).sort(compareBytes)
}

/** What the store has seen of a remote's trunk: jj imports it, under a name no remote of jj's has. */
function seenRef(clone: Clone, remote: string): string {
  return `refs/remotes/av--${remote}/${clone.trunk}`
}

function askTrunk(remote: Remote, trunk: string): Promise<CommitId | null> {
  return askRef(remote, `refs/heads/${trunk}`)
}

/** What git says when it says that a push did not work. */
type Failure = { readonly said: readonly string[]; readonly isRefused: boolean }

async function push(remote: Remote, clone: Clone, move: TrunkMove): Promise<Failure | null> {
  const branch = `refs/heads/${clone.trunk}`
  const lease = `--force-with-lease=${branch}:${move.old ?? ''}`
  try {
    const ran = await upload(remote, clone, [lease], `${move.commit}:${branch}`)
    if (ran.exitCode === 0) return null
    const isRefused = /^!/m.test(ran.stdout.toString('utf8')) || REFUSED.test(ran.stderr)
    return { said: saidBy(ran), isRefused }
  } catch (thrown) {
    // Out of time: it may have arrived all the same.
    if (!hasReason(thrown, 'remote_unreachable')) throw thrown
    return { said: [thrown.message], isRefused: false }
  }
}

/** Returns when the push arrived after all. */
async function judge(
  remote: Remote,
  clone: Clone,
  move: TrunkMove,
  { said, isRefused }: Failure,
): Promise<void> {
  const there = await stillAt(remote, clone, said)
  if (there === move.commit) return
  if (there !== move.old || MOVED.test(said.join('\n'))) throw moved(remote, clone, there)
  if (isRefused) throw refused(remote, clone, said)
  // The server may still be at work on it.
  throw lostTouch(remote, said)
}

const MOVED = /stale info|cannot lock ref|failed to update ref|incorrect old value|but expected/
const REFUSED = /denied|forbidden|\b403\b|read.only|not (?:permitted|allowed)|protected/i

async function stillAt(
  remote: Remote,
  clone: Clone,
  said: readonly string[],
): Promise<CommitId | null> {
  try {
    return await askTrunk(remote, clone.trunk)
  } catch (thrown) {
    if (!hasReason(thrown, 'remote_unreachable')) throw thrown
    throw lostTouch(remote, said, thrown)
  }
}

/** A commit that does not stand on what it replaces would take other people's work away. */
async function refuseRewind(host: Host, clone: Clone, { old, commit }: TrunkMove): Promise<void> {
  if (old === null) return
  const args = ['merge-base', '--is-ancestor', old, commit]
  const ran = await git(host, { gitDir: storeGit(clone) }, args, { answers: [1] })
  if (ran.exitCode === 0) return
  throw new Fault(
    'refused_rule',
    `${commit} does not stand on ${old}: pushing it would take commits off the team's trunk.`,
    'To take a merged task back, use `av revert`.',
    { detail: { reason: 'not_fast_forward', old, commit } },
  )
}

async function containing(
  host: Host,
  { gitDir }: { readonly gitDir: string },
  commit: CommitId,
  refs: readonly string[],
): Promise<ReadonlySet<string>> {
  if (refs.length === 0) return new Set()
  const args = ['for-each-ref', '--format=%(refname)', `--contains=${commit}`, '--', ...refs]
  // 129: the commit is not there at all.
  const ran = await git(host, { gitDir }, args, { answers: [128, 129] })
  return new Set(ran.exitCode === 0 ? ran.stdout.toString('utf8').split('\n').filter(Boolean) : [])
}

function moved(remote: Remote, clone: Clone, there: CommitId | null): Fault {
  return new Fault(
    'conflict',
    `${clone.trunk} of "${remote.called}" moved in the meantime.`,
    'Repeat the command.',
    { detail: { reason: 'trunk_moved', remote: remote.called, there } },
  )
}

function refused(remote: Remote, clone: Clone, said: readonly string[]): Fault {
  const next = 'Merge by a pull request there, then run `av sync`, which recognises the result.'
  return pushRefused(remote, clone.trunk, said, next)
}

function lostTouch(remote: Remote, said: readonly string[], cause?: unknown): Fault {
  return new Fault(
    'conflict',
    `The connection to "${remote.called}" was lost during the push (${firstTrouble(said)}); whether it arrived is not known.`,
    'Run `av sync` when the remote answers again: it sees whether trunk moved.',
    {
      cause,
      detail: { reason: 'remote_unreachable', remote: remote.called, said, pushed: 'unknown' },
    },
  )
}
