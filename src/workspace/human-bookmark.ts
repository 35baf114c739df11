import { z } from 'zod'
import type { CommitId } from '../domain/repo.ts'
import type { Clone } from './clone.ts'
import { diagnose } from './diagnosis.ts'
import type { Host } from './host.ts'
import { exportHumanJj } from './human-jj.ts'
import { run } from './run.ts'
import type { CasMove } from './trunk-ref.ts'

/**
 * Makes the jj of a person's pure jj repository see that its git ref of trunk has moved. Whether it
 * did: when the person moved the bookmark in the same moment, theirs wins, and is put back. This
 * finds out afterwards; a true compare and swap of bookmarks does not exist.
 */
export async function importMove(
  host: Host,
  clone: Clone,
  move: Pick<CasMove, 'old' | 'new'>,
): Promise<boolean> {
  await humanJj(host, clone, [...(await keepAbove(host, clone, move)), 'git', 'import'])
  const targets = await bookmarkTargets(host, clone)
  if (targets.length <= 1) return (targets[0] ?? null) === move.new
  const theirs = targets.filter((target) => target !== move.new && target !== move.old)
  if (theirs.length === 1) {
    const [target = null] = theirs
    await humanJj(
      host,
      clone,
      target === null
        ? ['bookmark', 'delete', exact(clone)]
        : ['bookmark', 'set', clone.trunk, '-r', target, '--allow-backwards'],
    )
    await exportHumanJj(host, clone.root)
  }
  return false
}

/**
 * jj abandons a commit that no ref leads to any more, and rebases what stands on it. Work of the
 * person that stands on one taken back would then be stale on disk: it keeps its place instead.
 */
async function keepAbove(
  host: Host,
  clone: Clone,
  { old }: Pick<CasMove, 'old'>,
): Promise<string[]> {
  if (old === null) return []
  const above = `present(${old}):: ~ present(${old})`
  const ran = await humanJj(host, clone, ['log', '--no-graph', '-r', above, '-T', '"x"'])
  return ran.stdout.length === 0 ? [] : ['--config', 'git.abandon-unreachable-commits=false']
}

const bookmark = z.object({ target: z.array(z.string().nullable()), remote: z.string().optional() })

/** More than one when the bookmark is conflicted, null standing for its removal; none when there is no such bookmark. */
async function bookmarkTargets(host: Host, clone: Clone): Promise<readonly (CommitId | null)[]> {
  const list = ['bookmark', 'list', exact(clone), '-T', 'json(self)++"\\n"']
  const ran = await humanJj(host, clone, list)
  for (const line of ran.stdout.toString('utf8').split('\n').filter(Boolean)) {
    const found = bookmark.parse(JSON.parse(line))
    if (found.remote === undefined) return found.target as (CommitId | null)[]
  }
  return []
}

const exact = (clone: Clone) => `exact:${JSON.stringify(clone.trunk)}`

async function humanJj(host: Host, clone: Clone, args: readonly string[]) {
  const fixed = ['--no-pager', '--color=never', '-R', clone.root, '--ignore-working-copy']
  const ran = await run(host, { argv: [host.jj, ...fixed, ...args], cwd: '/' })
  if (ran.exitCode !== 0) throw diagnose(ran)
  return ran
}
