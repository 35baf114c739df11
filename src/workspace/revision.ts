import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Clone } from './clone.ts'
import { commitId, isRoot } from './commit.ts'
import type { Host } from './host.ts'
import { type JjOptions, jj } from './jj.ts'
import type { Ran } from './run.ts'

/** A commit as jj sees it. */
export type Revision = {
  readonly commit: CommitId
  /** jj's change id: stays the same while the change is rewritten. */
  readonly change: string
  /** Empty for a commit that stands on nothing. */
  readonly parents: readonly CommitId[]
  readonly empty: boolean
  readonly conflict: boolean
  readonly divergent: boolean
  readonly immutable: boolean
  readonly conflictedFiles: readonly string[]
}

const TEMPLATE =
  'json({"commit_id"=>commit_id,"change_id"=>change_id,"parents"=>parents.map(|p| p.commit_id()),"empty"=>empty,"conflict"=>conflict,' +
  '"divergent"=>divergent,"immutable"=>immutable,"conflicted_files"=>conflicted_files.map(|f| f.path())})++"\\n"'

const line = z.strictObject({
  commit_id: z.string(),
  change_id: z.string(),
  parents: z.array(z.string()),
  empty: z.boolean(),
  conflict: z.boolean(),
  divergent: z.boolean(),
  immutable: z.boolean(),
  conflicted_files: z.array(z.string()),
})

/**
 * The revisions a revset names, with what jj said on the side. In a workspace, unless told to
 * ignore its files, jj takes a snapshot first: this is how a checkpoint is made.
 */
export async function readRevisions(
  host: Host,
  clone: Clone,
  revset: string,
  options: JjOptions = {},
): Promise<{ readonly revisions: readonly Revision[]; readonly ran: Ran }> {
  const ran = await jj(host, clone, ['log', '--no-graph', '-r', revset, '-T', TEMPLATE], options)
  const lines = ran.stdout.toString('utf8').split('\n').filter(Boolean)
  return { revisions: lines.map(parseRevision), ran }
}

/** The one revision that a revset must name. Faults with `internal` when it names none or several. */
export async function readRevision(
  host: Host,
  clone: Clone,
  revset: string,
  options: JjOptions = {},
): Promise<{ readonly revision: Revision; readonly ran: Ran }> {
  const { revisions, ran } = await readRevisions(host, clone, revset, options)
  const [revision] = revisions
  if (revision === undefined || revisions.length > 1) {
    throw new Fault(
      'internal',
      `One commit was expected, jj found ${revisions.length}.`,
      'Report it, with the version of jj in use.',
      { detail: { reason: 'revision_count', revset } },
    )
  }
  return { revision, ran }
}

function parseRevision(text: string): Revision {
  const read = line.safeParse(JSON.parse(text))
  if (!read.success) {
    throw new Fault(
      'internal',
      'jj describes a commit in a form that av does not know.',
      'Use the jj that `scripts/setup.sh` brings: `jj --version` shows the one in use.',
      { detail: { reason: 'jj_output', issues: read.error.issues.slice(0, 5) } },
    )
  }
  const { data } = read
  return {
    commit: commitId(data.commit_id),
    change: data.change_id,
    parents: data.parents.filter((parent) => !isRoot(parent)).map(commitId),
    empty: data.empty,
    conflict: data.conflict,
    divergent: data.divergent,
    immutable: data.immutable,
    conflictedFiles: data.conflicted_files,
  }
}
