import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import { nameText, splitNul } from './git.ts'
import type { Ran } from './run.ts'
import { notUtf8 } from './tree.ts'

/** Git, in the repository whose objects are looked at. */
type RunGit = (args: readonly string[], stdin?: Uint8Array) => Promise<Ran>

/**
 * Looks through the commits that `tip` has and `less` (revisions with `^`, or options of rev-list)
 * leaves, for what would stop jj when it reads or rebases them; returns their ids. Git has checked
 * the objects themselves. Faults with `internal`, reason `bundle_corrupt`.
 */
export async function inspectCommits(
  run: RunGit,
  tip: CommitId,
  less: readonly string[],
): Promise<string[]> {
  const listed = await run(['rev-list', tip, ...less])
  await inspectNames(run, listed.stdout)
  const raw = await run(['rev-list', '--header', tip, ...less])
  for (const commit of splitNul(raw.stdout)) await inspectConflict(run, commit)
  return listed.stdout.toString('latin1').split('\n').filter(Boolean)
}

async function inspectNames(run: RunGit, commits: Buffer): Promise<void> {
  const args = ['diff-tree', '--stdin', '--root', '-m', '-r', '-z', '--name-only', '--no-renames']
  const ran = await run([...args, '--no-commit-id'], commits)
  const bad = splitNul(ran.stdout).filter((name) => nameText(name) === null)
  if (bad.length > 0) throw bundleCorrupt('it holds file names that are not UTF-8', notUtf8(bad))
}

/**
 * jj writes the sides of a conflict in headers, which git does not follow: the trees they name must
 * be among those that git did look at, and what jj counts must add up (it stops where it does not).
 * `commit` is its id, a line end, and its raw text.
 */
async function inspectConflict(run: RunGit, commit: Buffer): Promise<void> {
  const end = commit.indexOf('\n\n')
  const headers = commit.subarray(0, end < 0 ? commit.length : end).toString('latin1')
  const sides = [...headers.matchAll(/^jj:trees (.*)$/gm)].map(([, trees = '']) => trees.split(' '))
  const labels = [...headers.matchAll(/^jj:conflict-labels .*(?:\n .*)*$/gm)]
  const counts = labels.map(([text]) => text.split('\n').length)
  if (sides.length === 0 && labels.length === 0) return
  const root = await run(['ls-tree', '-z', headers.slice(0, headers.indexOf('\n'))])
  const there = splitNul(root.stdout).map((entry) => entry.toString('latin1').split(/[ \t]/)[2])
  const isWhole = (trees: string[]) =>
    trees.length % 2 === 1 &&
    trees.every((tree) => there.includes(tree)) &&
    counts.every((count) => count === 1 || count === trees.length)
  if (sides.length === 1 && sides.every(isWhole)) return
  throw bundleCorrupt('it holds a conflict whose sides are not in it')
}

export function bundleCorrupt(why: string, cause?: unknown): Fault {
  return new Fault(
    'internal',
    `A task's commits came in a form that cannot be taken in: ${why}.`,
    'Take a checkpoint where the task was worked on, so that they are sent again, and repeat the command.',
    { cause, detail: { reason: 'bundle_corrupt', why } },
  )
}
