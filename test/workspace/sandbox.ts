import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CommitId, RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import { attach, pull } from '../../src/workspace/attach.ts'
import { type Clone, writeClone } from '../../src/workspace/clone.ts'
import { detect, type RepoKind } from '../../src/workspace/detect.ts'
import type { Host } from '../../src/workspace/host.ts'
import { type Started, startWorkspace } from '../../src/workspace/start.ts'
import { trunkName } from '../../src/workspace/trunk.ts'

/** A folder of its own with a home, an AV_HOME and a person in it; nothing of the machine's settings counts. */
export type Sandbox = {
  readonly dir: string
  readonly host: Host
  /** Runs a program as the person (or agent) would; faults when it fails. */
  readonly sh: (cwd: string, ...argv: string[]) => string
  /** The same, and its exit code and output whatever happens. */
  readonly attempt: (
    cwd: string,
    ...argv: string[]
  ) => { readonly code: number; readonly out: string; readonly err: string }
  readonly remove: () => void
}

export function sandbox(): Sandbox {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'av-workspace-')))
  const home = join(dir, 'home')
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Human\n\temail = human@example.org\n')
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: dir,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    JJ_USER: 'Human',
    JJ_EMAIL: 'human@example.org',
  }
  const attempt = (cwd: string, ...argv: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(argv, { cwd, env })
    return { code: exitCode, out: stdout.toString(), err: stderr.toString() }
  }
  return {
    dir,
    host: { env, jj: process.env.AV_JJ ?? 'jj', home: join(dir, 'av') },
    attempt,
    sh: (cwd, ...argv) => {
      const { code, out, err } = attempt(cwd, ...argv)
      if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}\n${out}${err}`)
      return out
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export const lines = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, i) => `line ${from + i}\n`).join('')

/** Files by path: text or bytes, null to remove, a link's target, a mode to set, a path to move from. */
export type Edits = Readonly<
  Record<
    string,
    | string
    | Uint8Array
    | null
    | { readonly link: string }
    | { readonly mode: number }
    | { readonly movedFrom: string }
  >
>

export function edit(root: string, edits: Edits): void {
  for (const [path, to] of Object.entries(edits)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    if (to === null) rmSync(file, { recursive: true })
    else if (typeof to === 'string' || to instanceof Uint8Array) writeFileSync(file, to)
    else if ('mode' in to) chmodSync(file, to.mode)
    else if ('link' in to) {
      rmSync(file, { force: true })
      symlinkSync(to.link, file)
    } else {
      const from = join(root, to.movedFrom)
      writeFileSync(file, readFileSync(from))
      rmSync(from)
    }
  }
}

export const append = (root: string, path: string, text: string) =>
  appendFileSync(join(root, path), text)

/** A git repository on `main` with these files committed. */
export function gitRepo(box: Sandbox, files: Edits, name = 'repo'): string {
  const root = join(box.dir, name)
  mkdirSync(root, { recursive: true })
  box.sh(root, 'git', 'init', '-q', '-b', 'main')
  edit(root, files)
  commitAll(box, root, 'init')
  return root
}

export function commitAll(box: Sandbox, root: string, message: string): CommitId {
  box.sh(root, 'git', 'add', '-A')
  box.sh(root, 'git', 'commit', '-q', '--allow-empty', '-m', message)
  return box.sh(root, 'git', 'rev-parse', 'HEAD').trim() as CommitId
}

export const REPO_ID = 'r1' as RepoId

/** What `av init` does with this module. */
export async function adopt(
  box: Sandbox,
  root: string,
  repo = REPO_ID,
): Promise<{ readonly clone: Clone; readonly trunk: CommitId | null }> {
  const detected = await detect(box.host, root)
  const trunk = await trunkName(box.host, detected, null)
  const clone = await writeClone(box.host, repo, detected, trunk)
  await attach(box.host, clone)
  return { clone, trunk: (await pull(box.host, clone)).commit }
}

/** What `av task start` does with this module. */
export function begin(
  box: Sandbox,
  clone: Clone,
  base: CommitId | null,
  name = 't1',
): Promise<Started> {
  return startWorkspace(box.host, clone, {
    task: name as TaskId,
    name,
    folder: join(box.dir, 'ws', name),
    base,
    title: `task ${name}`,
    generation: 1,
  })
}

/** Everything of a person's repository that they could notice: compared before and after. */
export function humanView(box: Sandbox, kind: RepoKind, root: string): Record<string, string> {
  const files = { files: [...walk(root)].map(([path, what]) => `${path} ${what}`).join('\n') }
  if (kind === 'purejj') return { ...files, ...jjView(box, root) }
  const git = (...args: string[]) => box.attempt(root, 'git', '--no-optional-locks', ...args).out
  return {
    ...files,
    status: git('status', '--porcelain', '--ignored', '--untracked-files=all'),
    head: git('symbolic-ref', '-q', 'HEAD') || git('rev-parse', 'HEAD'),
    refs: git('for-each-ref'),
    staged: git('diff', '--cached'),
    stash: git('stash', 'list'),
    config: readFileSync(join(root, '.git', 'config'), 'utf8'),
    index: digest(readFileSync(join(root, '.git', 'index'))),
    ...(kind === 'colocated' ? jjView(box, root) : {}),
  }
}

function jjView(box: Sandbox, root: string): Record<string, string> {
  const jj = (...args: string[]) => box.sh(root, 'jj', '--no-pager', '--color=never', ...args)
  return {
    diff: jj('diff', '-r', '@', '--git'),
    commits: jj('log', '--no-graph', '-r', 'all()', '-T', 'commit_id ++ description'),
    bookmarks: jj('bookmark', 'list'),
    workspaces: jj('workspace', 'list'),
  }
}

/** Path → kind and content of every file below `root`, `.git` and `.jj` left out. */
export function walk(root: string, under = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const name of readdirSync(join(root, under)).sort()) {
    if (name === '.git' || name === '.jj') continue
    const path = under === '' ? name : `${under}/${name}`
    const file = join(root, path)
    const stat = lstatSync(file)
    if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(file)}`)
    else if (stat.isDirectory()) for (const entry of walk(root, path)) found.set(...entry)
    else if (stat.isFile()) {
      found.set(
        path,
        `${(stat.mode & 0o111) === 0 ? 'file' : 'exec'} ${digest(readFileSync(file))}`,
      )
    }
  }
  return found
}

export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export const exists = (...parts: string[]) => existsSync(join(...parts))
