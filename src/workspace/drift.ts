import type { CommitId } from '../domain/repo.ts'
import { isAncestor } from './ancestry.ts'
import { storedTrunk } from './attach.ts'
import { type Clone, storeGit } from './clone.ts'
import { commitId } from './commit.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import type { Revision } from './revision.ts'

export type Settled = {
  readonly base: CommitId | null
  /** What is wrong with it, for a person to look at; null when all is well. */
  readonly lost: 'base_lost' | 'several_bases' | null
}

/**
 * Where a task stands after its agent may have run jj by itself. Its own commits are `base..tip`;
 * when these now contain commits of trunk (the agent rebased, or merged trunk in), the newest of
 * them is the new base. A tip that the base no longer leads to is for a person to judge.
 */
export async function settleBase(
  host: Host,
  clone: Clone,
  base: CommitId | null,
  tip: Revision,
): Promise<Settled> {
  const [parent, ...others] = tip.parents
  // By far the most checkpoints: one commit upon its base. No process is needed to see it.
  if (!tip.immutable && others.length === 0 && (parent ?? null) === base) {
    return { base, lost: null }
  }
  const joints = await trunkJoints(host, clone, base, tip.commit)
  const [joint] = joints
  if (joints.length > 1) return { base, lost: 'several_bases' }
  if (joint !== undefined) return { base: joint, lost: null }
  const leadsOn = base === null || (await isAncestor(host, clone, base, tip.commit))
  return { base, lost: leadsOn ? null : 'base_lost' }
}

/** The heads of what tip and trunk have in common, less what base has too. */
async function trunkJoints(
  host: Host,
  clone: Clone,
  base: CommitId | null,
  tip: CommitId,
): Promise<CommitId[]> {
  const trunk = await storedTrunk(host, clone)
  if (trunk === null) return []
  const store = { gitDir: storeGit(clone) }
  const ran = await git(host, store, ['merge-base', '--all', tip, trunk], { answers: [1] })
  const common = ran.stdout.toString('utf8').split('\n').filter(Boolean).map(commitId)
  if (base === null) return common
  const own: CommitId[] = []
  for (const commit of common) {
    if (!(await isAncestor(host, clone, commit, base))) own.push(commit)
  }
  return own
}
