import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../domain/repo.ts'
import { writeAtomic } from './atomic.ts'
import { type Clone, lockFile, storeGit, storeJj } from './clone.ts'
import { diagnose } from './diagnosis.ts'
import { git } from './git.ts'
import { RAW_CONTENT } from './git-dir.ts'
import type { Host } from './host.ts'
import { exportHumanJj, refuseConflictedBookmark } from './human-jj.ts'
import { jj, trunkAlias } from './jj.ts'
import { withLock } from './lock.ts'
import { readRevision } from './revision.ts'
import { run } from './run.ts'
import { type SurveyWarning, surveyTrunk } from './survey.ts'
import { resolveCommit } from './tree.ts'
import { trunkCommit } from './trunk.ts'
import { checkTools } from './versions.ts'

const ATTACH_MS = 600_000

/**
 * Makes the clone's private store: a bare git repository and a jj repository over it, into which
 * `pull` fetches trunk. Nothing is written in the person's repository.
 * Idempotent, safe against a crash at any point and against two callers at once.
 */
export async function attach(host: Host, clone: Clone): Promise<void> {
  await checkTools(host)
  await withLock(host, lockFile(clone, '~attach'), async (held) => {
    if (!existsSync(storeJj(clone))) await makeStore(held, clone)
    await copyExclude(held, clone)
  })
}

async function makeStore(host: Host, clone: Clone): Promise<void> {
  const store = storeGit(clone)
  const making = `${storeJj(clone)}.making`
  rmSync(making, { recursive: true, force: true })
  const format = await git(host, clone, ['rev-parse', '--show-object-format'])
  await runOrFault(host, clone, [
    'git',
    'init',
    '-q',
    '--bare',
    // No template: hooks and settings of the user have no place here.
    '--template=',
    '--initial-branch=av-none',
    `--object-format=${format.stdout.toString('utf8').trim()}`,
    store,
  ])
  mkdirSync(join(store, 'info'), { recursive: true })
  writeAtomic(join(store, 'info', 'attributes'), RAW_CONTENT)
  const init = ['--no-pager', '--quiet', 'git', 'init', `--git-repo=${store}`, making]
  await runOrFault(host, clone, [host.jj, ...init])
  const inMaking = (args: readonly string[]) =>
    runOrFault(host, clone, [host.jj, '--no-pager', '--color=never', '-R', making, ...args])
  // The store has no files of its own: a workspace that nobody looks after would only go stale.
  await inMaking(['workspace', 'forget', 'default'])
  // For jj as an agent runs it: without this, its `jj squash` could rewrite trunk in the store.
  const alias = 'revset-aliases."immutable_heads()"'
  await inMaking(['config', 'set', '--repo', alias, JSON.stringify(trunkAlias(clone.trunk))])
  renameSync(making, storeJj(clone))
}

export type Pulled = {
  /** Trunk in the person's repository, and now in the store; null before its first commit. */
  readonly commit: CommitId | null
  readonly moved: boolean
  /** Looked for only when trunk moved. */
  readonly warnings: readonly SurveyWarning[]
}

/**
 * Brings trunk from the person's repository into the store. Nothing new costs two git processes
 * (a pure jj repository: two of jj more). Faults with `unsupported` when trunk holds a file name
 * that jj cannot read; the store then stays at the trunk before.
 */
export async function pull(host: Host, clone: Clone): Promise<Pulled> {
  await copyExclude(host, clone)
  if (clone.kind === 'purejj') {
    await exportHumanJj(host, clone.root)
    await refuseConflictedBookmark(host, clone.root, clone.trunk)
  }
  const [theirs, ours] = await Promise.all([
    trunkCommit(host, clone, clone.trunk),
    storedTrunk(host, clone),
  ])
  if (theirs === null || theirs === ours) return { commit: theirs, moved: false, warnings: [] }
  return withLock(host, lockFile(clone, '~pull'), (held) => fetchTrunk(held, clone, theirs))
}

/**
 * Trunk as of the last pull that came to its end. It lies outside `refs/heads`, where nothing that
 * an agent does by jj can move it.
 */
export async function storedTrunk(host: Host, clone: Clone): Promise<CommitId | null> {
  return resolveCommit(host, { gitDir: storeGit(clone) }, STORED_TRUNK)
}

const STORED_TRUNK = 'refs/av/trunk'

async function fetchTrunk(host: Host, clone: Clone, theirs: CommitId): Promise<Pulled> {
  const store = { gitDir: storeGit(clone) }
  const branch = `refs/heads/${clone.trunk}`
  await fetchFrom(host, clone, `+${branch}:${branch}`)
  const commit = (await resolveCommit(host, store, branch)) ?? theirs
  const warnings = await surveyTrunk(host, store, commit)
  await importRefs(host, clone)
  await git(host, store, ['update-ref', STORED_TRUNK, commit])
  await packRefs(host, clone)
  return { commit, moved: true, warnings }
}

/**
 * Brings a commit that is not on trunk (a branch or tag a task is to start from) into the store.
 * It stays there under a ref of its own.
 */
export async function bringCommit(host: Host, clone: Clone, commit: CommitId): Promise<void> {
  const ref = travelRef(commit)
  if ((await resolveCommit(host, { gitDir: storeGit(clone) }, ref)) === commit) return
  await fetchObjects(host, clone, commit)
  await adoptCommit(host, clone, commit, ref)
}

/** The same from the store of another clone on this machine, which has the commit. */
export async function bringFromStore(
  host: Host,
  clone: Clone,
  other: Clone,
  commit: CommitId,
): Promise<void> {
  await fetchFrom(host, clone, commit, storeGit(other))
  await adoptCommit(host, clone, commit, travelRef(commit))
}

/** Where the store keeps a commit that trunk does not hold: what jj imports, and no fetch moves. */
export function travelRef(commit: CommitId): string {
  return `refs/remotes/av/${commit}`
}

/** A commit and what it stands on, from the person's repository into the store. No ref is written. */
export function fetchObjects(host: Host, clone: Clone, commit: CommitId): Promise<void> {
  return fetchFrom(host, clone, commit)
}

/**
 * Makes a commit whose objects are in the store known to jj, and keeps it under `ref`. When it
 * holds a file name that jj cannot read, or jj cannot read it for another reason, the ref stays
 * what it was, and the fault says why.
 */
export async function adoptCommit(
  host: Host,
  clone: Clone,
  commit: CommitId,
  ref: string,
): Promise<void> {
  const store = { gitDir: storeGit(clone) }
  await surveyTrunk(host, store, commit)
  await withLock(host, lockFile(clone, '~pull'), async (held) => {
    const before = await resolveCommit(held, store, ref)
    await git(held, store, ['update-ref', ref, commit])
    try {
      await importRefs(held, clone)
      await readRevision(held, clone, commit, { ignoreFiles: true })
    } catch (thrown) {
      // What jj chokes on once, it would choke on at each import to come.
      await git(
        held,
        store,
        before === null ? ['update-ref', '-d', ref] : ['update-ref', ref, before],
      )
      throw thrown
    }
    await packRefs(held, clone)
  })
}

async function fetchFrom(
  host: Host,
  clone: Clone,
  refspec: string,
  source = clone.gitDir,
): Promise<void> {
  const quiet = ['-q', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance']
  // Only the newer protocol hands out a commit that no ref names.
  const args = ['-c', 'protocol.version=2', 'fetch', ...quiet, '--no-recurse-submodules']
  await git(host, { gitDir: storeGit(clone) }, [...args, '--update-shallow', source, refspec], {
    timeoutMs: ATTACH_MS,
  })
}

async function importRefs(host: Host, clone: Clone): Promise<void> {
  await jj(host, clone, ['git', 'import'], { ignoreFiles: true, timeoutMs: ATTACH_MS })
}

const LOOSE_REFS_MAX = 400

/** jj keeps each snapshot by a loose ref; in their thousands they slow every import down. */
async function packRefs(host: Host, clone: Clone): Promise<void> {
  const keep = join(storeGit(clone), 'refs', 'jj', 'keep')
  if (!existsSync(keep) || readdirSync(keep).length < LOOSE_REFS_MAX) return
  await git(host, { gitDir: storeGit(clone) }, ['pack-refs', '--all'])
}

/** What the person ignores in this clone alone is ignored in the workspaces as well. */
async function copyExclude(host: Host, clone: Clone): Promise<void> {
  const wanted = `${readOr(join(clone.gitDir, 'info', 'exclude'), '')}\n/.jj\n`
  const file = join(storeGit(clone), 'info', 'exclude')
  if (readOr(file, null) === wanted) return
  await withLock(host, lockFile(clone, '~exclude'), async () => writeAtomic(file, wanted))
}

function readOr<T>(file: string, otherwise: T): string | T {
  return existsSync(file) ? readFileSync(file, 'utf8') : otherwise
}

async function runOrFault(
  host: Host,
  clone: Clone,
  argv: readonly [string, ...string[]],
): Promise<void> {
  const ran = await run(host, { argv, cwd: clone.dir, timeoutMs: ATTACH_MS })
  if (ran.exitCode !== 0) throw diagnose(ran)
}
