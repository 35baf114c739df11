import type { CommitId } from '../domain/repo.ts'
import { clip } from '../domain/sanitise.ts'
import { type Clone, storeGit } from './clone.ts'
import { commitId } from './commit.ts'
import { hasReason } from './diagnosis.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'
import { patchIdentity, patchOf } from './patch.ts'
import { treeOf } from './tree.ts'
import { trial } from './trial.ts'

/** A step of trunk. */
export type TrunkCommit = {
  readonly commit: CommitId
  /** The first one; null for a commit that stands on nothing. */
  readonly parent: CommitId | null
  /** The author's name as it is written there, else the address: any text. */
  readonly author: string
  /** When it was committed: RFC 3339 in UTC. */
  readonly at: string
  /** Any text, of one line. */
  readonly subject: string
}

const WALK_MS = 120_000
const TEXT_CHARS_MAX = 500

/**
 * What trunk gained from `since` (exclusive; null: from its beginning) to `to`, by first parents,
 * oldest first, at most `limit`: when the last one is not `to` there is more, to be asked for from
 * there. A `since` that trunk has left counts by what it has in common with `to`.
 */
export async function trunkCommits(
  host: Host,
  clone: Clone,
  range: { readonly since: CommitId | null; readonly to: CommitId; readonly limit: number },
): Promise<readonly TrunkCommit[]> {
  const { since, to, limit } = range
  const store = { gitDir: storeGit(clone) }
  const span = since === null ? [to] : [to, `^${since}`]
  const args = ['rev-list', '--first-parent', '--topo-order', '--reverse', ...span]
  const listed = await git(host, store, args, { timeoutMs: WALK_MS })
  const ids = listed.stdout.toString('latin1').split('\n').filter(Boolean).slice(0, limit)
  if (ids.length === 0) return []
  const format = `--format=${FIELDS.join('%x00')}`
  const shown = await git(
    host,
    store,
    ['log', '--no-walk=unsorted', '--stdin', '--no-color', '--encoding=UTF-8', '-z', format],
    {
      stdin: new TextEncoder().encode(`${ids.join('\n')}\n`),
      env: { GIT_CONFIG_GLOBAL: '/dev/null' },
      timeoutMs: WALK_MS,
    },
  )
  const fields = splitNul(shown.stdout).map((field) => field.toString('utf8'))
  return ids.map((_, i) => trunkCommit(fields.slice(i * FIELDS.length, (i + 1) * FIELDS.length)))
}

const FIELDS = ['%H', '%P', '%an', '%ae', '%ct', '%s']

function trunkCommit([
  commit = '',
  parents = '',
  name = '',
  email = '',
  second = '',
  subject = '',
]: readonly string[]): TrunkCommit {
  const parent = parents.split(' ', 1)[0]
  return {
    commit: commitId(commit),
    parent: parent ? commitId(parent) : null,
    author: clip(name.trim() === '' ? email : name, TEXT_CHARS_MAX),
    at: new Date(Math.min(Number(second) || 0, LATEST_SECOND) * 1_000).toISOString(),
    subject: clip(subject, TEXT_CHARS_MAX),
  }
}

const LATEST_SECOND = 253_402_300_799

export type OwnPatch = {
  readonly base: CommitId | null
  readonly tip: CommitId
  /** Its stored identity. */
  readonly patch: string
}

/**
 * Whether the task's own patch is what `commit` brought to trunk, by whoever: the identity of the
 * two patches is the same, or the task put on the commit's parent gives the very tree of the commit
 * (a squash on a newer trunk, with other context). A change of nothing is never recognised.
 */
export async function isLandedAs(
  host: Host,
  clone: Clone,
  task: OwnPatch,
  commit: TrunkCommit,
): Promise<boolean> {
  try {
    const store = { gitDir: storeGit(clone) }
    const brought = await patchOf(host, store, { base: commit.parent, tip: commit.commit })
    if (brought.files.length === 0) return false
    if (patchIdentity(brought) === task.patch) return true
    const own = await patchOf(host, store, task)
    const paths = new Set(own.files.map(({ path }) => path))
    // A trial costs a hundred milliseconds: not for a commit that touched what the task did not.
    if (!brought.files.every(({ path }) => paths.has(path))) return false
    return await bringsTree(host, clone, task, commit)
  } catch (thrown) {
    if (hasReason(thrown, ...CANNOT_BE_TOLD)) return false
    throw thrown
  }
}

/** Not recognised is the safe answer: the task stays open, and can be merged or abandoned. */
const CANNOT_BE_TOLD = [
  'patch_unreadable',
  'output_too_large',
  'bad_revision',
  'immutable',
  'base_lost',
  'trial_no_op',
  'revision_count',
] as const

async function bringsTree(
  host: Host,
  clone: Clone,
  { base, tip }: OwnPatch,
  { commit, parent }: TrunkCommit,
): Promise<boolean> {
  const { tree } = await trial(host, clone, { base, tip, onto: parent })
  // Of a conflict it is null, which is no commit's tree.
  return tree === (await treeOf(host, { gitDir: storeGit(clone) }, commit))
}
