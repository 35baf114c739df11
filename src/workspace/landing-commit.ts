import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { type Clone, storeGit } from './clone.ts'
import { commitId, type TreeId } from './commit.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'

export type Person = { readonly name: string; readonly email: string }

export type LandingCommit = {
  readonly tree: TreeId
  /** Trunk; null for the first commit of a repository. */
  readonly parent: CommitId | null
  readonly message: string
  readonly author: Person
  readonly committer: Person
  /** Of author and committer alike, to the second, written in UTC. */
  readonly at: Date
}

/**
 * Makes the one commit that is to become trunk, in the store, under a ref that keeps it until
 * `dropLandingRef`. The same input gives the same commit. Names and text may hold anything: what
 * git cannot take is left out. Faults with `refused_rule`, reason `conflict_tree`, for a tree in
 * which jj keeps the sides of a conflict.
 */
export async function landingCommit(
  host: Host,
  clone: Clone,
  what: LandingCommit,
): Promise<CommitId> {
  const store = { gitDir: storeGit(clone) }
  await refuseConflictTree(host, clone, what)
  const parent = what.parent === null ? [] : ['-p', what.parent]
  const date = gitDate(what.at)
  const author = gitPerson(what.author)
  const committer = gitPerson(what.committer)
  const ran = await git(host, store, ['commit-tree', what.tree, ...parent, '-F', '-'], {
    stdin: new TextEncoder().encode(what.message.replaceAll('\0', ' ')),
    env: {
      // The person's encoding or signing is not for commits that av makes.
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: date,
    },
  })
  const commit = commitId(ran.stdout.toString('utf8'))
  await git(host, store, ['update-ref', landingRef(commit), commit])
  return commit
}

/** Lets go of a landing commit: it is part of trunk now, or did not land. Safe to repeat. */
export async function dropLandingRef(host: Host, clone: Clone, commit: CommitId): Promise<void> {
  await git(host, { gitDir: storeGit(clone) }, ['update-ref', '-d', landingRef(commit)])
}

const landingRef = (commit: CommitId) => `refs/av/landing/${commit}`

/** A conflicted commit shows git the sides of the conflict as folders, and none of the files. */
async function refuseConflictTree(host: Host, clone: Clone, what: LandingCommit): Promise<void> {
  const added = await conflictFolders(host, clone, what.tree)
  if (added.length === 0) return
  // A trunk that has such a folder already must not be stuck for ever.
  const known = what.parent === null ? [] : await conflictFolders(host, clone, what.parent)
  if (added.every((entry) => known.includes(entry))) return
  throw new Fault(
    'refused_rule',
    'The change holds conflicts that are not resolved.',
    'Resolve them in the workspace, and run `av resolve`.',
    { detail: { reason: 'conflict_tree', tree: what.tree } },
  )
}

async function conflictFolders(
  host: Host,
  clone: Clone,
  tree: TreeId | CommitId,
): Promise<string[]> {
  const ran = await git(host, { gitDir: storeGit(clone) }, ['ls-tree', '-z', '--full-tree', tree])
  return splitNul(ran.stdout)
    .map((entry) => entry.toString('latin1'))
    .filter((entry) => entry.includes('\t.jjconflict-'))
}

const NAME_CHARS_MAX = 200

/** As git writes it in a commit: on one line, and without the characters that set the parts off. */
function gitPerson({ name, email }: Person): Person {
  return { name: gitWord(name, 'unknown'), email: gitWord(email, 'unknown@localhost') }
}

function gitWord(text: string, otherwise: string): string {
  const word = text
    .slice(0, NAME_CHARS_MAX)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029<>]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  // git trims these at both ends, and refuses what has nothing else.
  return /[^\s.,:;"'\\]/u.test(word) ? word : otherwise
}

const LATEST_SECOND = 253_402_300_799

function gitDate(at: Date): string {
  const second = Math.floor(at.getTime() / 1_000)
  // Out of git's range, or no date at all: the clock of the machine is off, the work is not.
  const kept = Number.isFinite(second) ? Math.min(Math.max(second, 0), LATEST_SECOND) : 0
  return `@${kept} +0000`
}
