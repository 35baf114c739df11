import { type Clone, storeJj } from './clone.ts'
import { diagnose } from './diagnosis.ts'
import type { Host } from './host.ts'
import { type Ran, run } from './run.ts'
import { checkTools } from './versions.ts'

/** A new file larger than this is not recorded; a tracked one may grow without limit. */
export const NEW_FILE_BYTES_MAX = 20 * 1024 * 1024

export type JjOptions = {
  /** The workspace to act in; the clone's store when left out. */
  readonly workspace?: string
  /** Do not look at the files of the workspace first. */
  readonly ignoreFiles?: boolean
  readonly timeoutMs?: number
}

/**
 * Runs jj on a clone's store, or in one of its workspaces. A task's commits are rewritten only
 * with `workspace` set to the task's own: from anywhere else the running agent's edits would be
 * put aside. Faults as `diagnose` says, and `tool_missing` when an old jj turns out to be the cause.
 */
export async function jj(
  host: Host,
  clone: Clone,
  args: readonly string[],
  options: JjOptions = {},
): Promise<Ran> {
  for (let tried = 1; ; tried++) {
    const ran = await jjOnce(host, clone, args, options)
    if (ran.exitCode === 0) return ran
    if (tried < TRIES_MAX && TWIN.test(ran.stderr)) {
      await Bun.sleep(SECOND_MS)
      continue
    }
    const fault = diagnose(ran)
    if (fault.detail.reason === 'unknown') await checkTools(host)
    throw fault
  }
}

/**
 * Of two commits that say the same in the same second jj refuses the later one, before anything is done: a trial that
 * is repeated at once, or one that is followed by the rebase it tried. In the next second it is another commit.
 */
const TWIN = /^Caused by: (?:\d+: )?Newly-created commit [0-9a-f]+ already exists$/m
const SECOND_MS = 1_100
const TRIES_MAX = 4

function jjOnce(
  host: Host,
  clone: Clone,
  args: readonly string[],
  options: JjOptions,
): Promise<Ran> {
  const settings = jjSettings(clone.trunk)
  const target = options.workspace ?? storeJj(clone)
  return run(host, {
    argv: [
      host.jj,
      '--no-pager',
      '--color=never',
      ...settings.flatMap((setting) => ['--config', setting]),
      '-R',
      target,
      ...(options.ignoreFiles ? ['--ignore-working-copy'] : []),
      ...args,
    ],
    // jj names files relative to where it runs: in a workspace that is relative to its root.
    cwd: options.workspace ?? clone.dir,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  })
}

/**
 * Trunk is always named by the mirror of the store's git ref: a bookmark can be moved by any agent
 * that runs jj in its workspace, this only by an import.
 */
export function trunkAlias(trunk: string): string {
  return `present(${JSON.stringify(trunk)}@git)`
}

function jjSettings(trunk: string): string[] {
  const alias = JSON.stringify(trunkAlias(trunk))
  return [
    `revset-aliases."trunk()"=${alias}`,
    `revset-aliases."immutable_heads()"=${alias}`,
    // Otherwise an import after trunk went back rebases the tasks that stood on what it left.
    'git.abandon-unreachable-commits=false',
    // Files must not change under an agent by themselves.
    'snapshot.auto-update-stale=false',
    `snapshot.max-new-file-size=${NEW_FILE_BYTES_MAX}`,
    'ui.conflict-marker-style=git',
    // A watcher would outlive the command, and be one that an agent chose.
    'fsmonitor.backend="none"',
  ]
}

/** Text as one argument of jj: NUL cannot be passed to a process. */
export function jjText(text: string): string {
  return text.replaceAll('\0', ' ')
}
