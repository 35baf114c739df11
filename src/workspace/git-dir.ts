import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomic } from './atomic.ts'

/**
 * Attributes that keep git from converting contents: jj records files byte for byte, so git has to
 * look at them byte for byte as well. Filters are programs, and run nowhere.
 */
export const RAW_CONTENT = '* -text -filter -ident -working-tree-encoding\n'
/** For a person's own checkout, where git converted line ends when it wrote the files. */
export const NO_FILTERS = '* -filter\n'

export type GitDirSpec = {
  /** The content of HEAD: `ref: …` or a commit id. */
  readonly head: string
  readonly objectFormat: 'sha1' | 'sha256'
  /** Object folders read from besides its own. */
  readonly alternates: readonly string[]
  readonly exclude: string
  readonly attributes: string
  /** The folder whose files it is about, for a repository that git finds from there. */
  readonly worktree: string | null
}

/**
 * Lays down a git directory by hand: a few small files, where `git init` costs a process and brings
 * the user's template with it. Running it again renews the files, and leaves index, objects and refs.
 */
export function layGitDir(dir: string, spec: GitDirSpec): void {
  for (const part of ['refs/heads', 'objects/info', 'info']) {
    mkdirSync(join(dir, part), { recursive: true, mode: 0o700 })
  }
  writeAtomic(join(dir, 'config'), configText(spec))
  writeAtomic(join(dir, 'objects/info/alternates'), spec.alternates.map((p) => `${p}\n`).join(''))
  writeAtomic(join(dir, 'info/exclude'), spec.exclude)
  writeAtomic(join(dir, 'info/attributes'), spec.attributes)
  writeAtomic(join(dir, 'HEAD'), `${spec.head}\n`)
}

/** The hash that a git directory names its objects by. */
export function objectFormatOf(gitDir: string): 'sha1' | 'sha256' {
  const config = readFileSync(join(gitDir, 'config'), 'utf8')
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 'sha256' : 'sha1'
}

function configText(spec: GitDirSpec): string {
  const sha256 = spec.objectFormat === 'sha256'
  const lines = [
    '[core]',
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    '\tfilemode = true',
    `\tbare = ${spec.worktree === null}`,
    ...(spec.worktree === null
      ? []
      : [`\tworktree = ${quoted(spec.worktree)}`, '\tlogallrefupdates = true']),
    ...(sha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** git's own quoting of a configuration value. */
function quoted(value: string): string {
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
  return `"${escaped}"`
}
