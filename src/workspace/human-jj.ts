import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import { diagnose } from './diagnosis.ts'
import type { Host } from './host.ts'
import { type Ran, run } from './run.ts'

/**
 * A person's own pure jj repository: the only one in which av runs jj at all. Bookmarks live in
 * jj's view there; this writes them to its git refs, as jj does by itself in a colocated one.
 * No file and no commit changes.
 */
export async function exportHumanJj(host: Host, root: string): Promise<void> {
  await humanJj(host, root, ['git', 'export'])
}

const bookmark = z.object({ target: z.array(z.string().nullable()), remote: z.string().optional() })

/** Faults with `conflict` when the bookmark points to more than one commit: whose is right, a person decides. */
export async function refuseConflictedBookmark(
  host: Host,
  root: string,
  trunk: string,
): Promise<void> {
  const pattern = `exact:${JSON.stringify(trunk)}`
  const ran = await humanJj(host, root, ['bookmark', 'list', pattern, '-T', 'json(self)++"\\n"'])
  for (const line of ran.stdout.toString('utf8').split('\n').filter(Boolean)) {
    const found = bookmark.parse(JSON.parse(line))
    if (found.remote !== undefined || found.target.length === 1) continue
    throw new Fault(
      'conflict',
      `The bookmark ${trunk} is conflicted: it points to more than one commit.`,
      'Run `jj bookmark list`, and set the bookmark to the commit that is right.',
      { detail: { reason: 'bookmark_conflicted', targets: found.target } },
    )
  }
}

async function humanJj(host: Host, root: string, args: readonly string[]): Promise<Ran> {
  const argv = ['--no-pager', '--color=never', '-R', root, '--ignore-working-copy', ...args]
  const ran = await run(host, { argv: [host.jj, ...argv], cwd: '/' })
  if (ran.exitCode !== 0) throw diagnose(ran)
  return ran
}
