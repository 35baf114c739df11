import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { gitFileTarget, readMarker } from './marker.ts'
import { run } from './run.ts'

/** Plain git; jj beside git in one folder; jj alone, with its git store inside `.jj`. */
export type RepoKind = 'plain' | 'colocated' | 'purejj'

/** The repository around a folder, as far as the file system tells. */
export type Surroundings = {
  readonly kind: RepoKind
  /** The root of the checkout (of this worktree), a real path. */
  readonly root: string
  /** The git directory that holds the refs, shared by all worktrees; a real path. */
  readonly gitDir: string
}

export type Detected = Surroundings & {
  readonly objectFormat: 'sha1' | 'sha256'
  readonly shallow: boolean
}

/**
 * The repository that `path` stands in, checked for what av cannot work with. Faults: `not_found`
 * (no such folder, no repository around it), `bad_input` (inside a git directory, or in a workspace
 * of av), `unsupported` (bare, partial clone, a jj repo without git).
 */
export async function detect(host: Host, path: string): Promise<Detected> {
  const around = await surroundings(host, path)
  if (around === null) throw noRepository(path)
  const place = around.kind === 'purejj' ? { gitDir: around.gitDir } : { folder: around.root }
  const asked = ['--is-bare-repository', '--is-shallow-repository', '--show-object-format']
  const ran = await git(host, place, ['rev-parse', ...asked], {
    env: { GIT_CEILING_DIRECTORIES: dirname(around.root) },
  })
  const [bare, shallow, objectFormat] = ran.stdout.toString('utf8').split('\n')
  if (around.kind !== 'purejj' && bare === 'true') throw isBare(around.root)
  await refusePartial(host, around)
  return {
    ...around,
    shallow: shallow === 'true',
    objectFormat: objectFormat === 'sha256' ? 'sha256' : 'sha1',
  }
}

/**
 * The nearest repository at or above `path`, or null: reads a few small files and starts no
 * process (but for a jj repository laid out in a way not seen yet). The same faults as `detect`,
 * less those only git can tell.
 */
export async function surroundings(host: Host, path: string): Promise<Surroundings | null> {
  for (const root of foldersUp(path)) {
    const git = join(root, '.git')
    const jj = join(root, '.jj')
    refuseWorkspace(root)
    if (exists(git)) {
      return { kind: isFolder(jj) ? 'colocated' : 'plain', root, gitDir: gitDirOf(git) }
    }
    if (isFolder(jj)) return jjSurroundings(host, root)
    if (looksBare(root)) throw basename(root) === '.git' ? insideGit(root) : isBare(root)
  }
  return null
}

/** The real path of `path` and of each folder above it. Faults with `not_found` when it is gone. */
export function foldersUp(path: string): string[] {
  let folder: string
  try {
    folder = realpathSync(path)
  } catch (cause) {
    throw new Fault('not_found', `There is no folder ${path}.`, 'Change to a folder that exists.', {
      cause,
      detail: { reason: 'folder_missing', path },
    })
  }
  const folders = [folder]
  while (dirname(folder) !== folder) {
    folder = dirname(folder)
    folders.push(folder)
  }
  return folders
}

/** Where a `.git` folder or file leads: the directory that all worktrees share. */
function gitDirOf(marker: string): string {
  try {
    let gitDir = marker
    if (!isFolder(marker)) {
      const target = gitFileTarget(marker)
      if (target === null) throw new Error('no gitdir line')
      gitDir = resolve(dirname(marker), target)
    }
    const common = join(gitDir, 'commondir')
    if (existsSync(common)) gitDir = resolve(gitDir, readFileSync(common, 'utf8').trim())
    return realpathSync(gitDir)
  } catch (cause) {
    throw new Fault(
      'bad_input',
      `${marker} does not lead to a git directory.`,
      'Check the repository with `git status`; a worktree whose main folder moved is mended by `git worktree repair`.',
      { cause, detail: { reason: 'broken_git_file', path: marker } },
    )
  }
}

async function jjSurroundings(host: Host, root: string): Promise<Surroundings> {
  const gitDir = jjGitDir(join(root, '.jj')) ?? (await askJj(host, root))
  // A further workspace of a colocated repo has no .git of its own, yet trunk moves as in the first.
  const colocated = basename(gitDir) === '.git' && isFolder(join(dirname(gitDir), '.jj'))
  return { kind: colocated ? 'colocated' : 'purejj', root, gitDir }
}

/** Follows `.jj/repo` and its store's `git_target`; null when they are not as jj 0.46 writes them. */
function jjGitDir(jj: string): string | null {
  try {
    const repo = join(jj, 'repo')
    const shared = isFolder(repo) ? repo : resolve(jj, readFileSync(repo, 'utf8').trim())
    const store = join(shared, 'store')
    const gitDir = realpathSync(
      resolve(store, readFileSync(join(store, 'git_target'), 'utf8').trim()),
    )
    return existsSync(join(gitDir, 'HEAD')) ? gitDir : null
  } catch {
    return null
  }
}

async function askJj(host: Host, root: string): Promise<string> {
  const argv = ['--no-pager', '--color=never', '-R', root, '--ignore-working-copy', 'git', 'root']
  const ran = await run(host, { argv: [host.jj, ...argv], cwd: '/' })
  if (ran.exitCode === 0) return realpathSync(ran.stdout.toString('utf8').replace(/\n$/, ''))
  throw new Fault(
    'unsupported',
    `The jj repository ${root} is not backed by git.`,
    'Use a jj repository made by `jj git init` or `jj git clone`.',
    { detail: { reason: 'jj_without_git', stderr: ran.stderr.slice(0, 2_048) } },
  )
}

async function refusePartial(host: Host, around: Surroundings): Promise<void> {
  const key = '^(extensions\\.partialclone|remote\\..*\\.promisor)$'
  const ran = await git(
    host,
    { gitDir: around.gitDir },
    ['config', '--local', '--get-regexp', key],
    { answers: [1] },
  )
  if (ran.stdout.length === 0) return
  throw new Fault(
    'unsupported',
    'The repository is a partial clone: git fetches missing files only when they are asked for.',
    'Use a full clone of it (a `git clone` without `--filter`).',
    { detail: { reason: 'partial_clone', gitDir: around.gitDir } },
  )
}

/** A workspace of another AV_HOME looks like a repository, and is none to set up or to scan. */
function refuseWorkspace(root: string): void {
  if (readMarker(root) === null) return
  throw new Fault(
    'bad_input',
    `${root} is a workspace of an av task, not a repository.`,
    'Go to the repository itself for this command, or set AV_HOME to the one the task was started with.',
    { detail: { reason: 'in_workspace', path: root } },
  )
}

function noRepository(path: string): Fault {
  return new Fault(
    'not_found',
    `${path} is in no git or jj repository.`,
    'Change to a folder of the repository, or name it with -C DIR.',
    { detail: { reason: 'no_repository', path } },
  )
}

function isBare(root: string): Fault {
  return new Fault(
    'unsupported',
    `${root} is a bare repository: there are no files to work on.`,
    'Use a clone of it, or one of its worktrees.',
    { detail: { reason: 'bare', path: root } },
  )
}

function insideGit(root: string): Fault {
  return new Fault(
    'bad_input',
    `${root} is git's own folder.`,
    'Change to the repository’s files, one folder up.',
    { detail: { reason: 'inside_git_dir', path: root } },
  )
}

function looksBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => exists(join(folder, name)))
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
