import { Fault, type FaultCode } from '../domain/fault.ts'
import type { Ran } from './run.ts'

type Symptom = {
  readonly reason: string
  /** Against standard error, where git and jj say what went wrong; the first row that fits wins. */
  readonly when: RegExp
  readonly code: FaultCode
  readonly message: string
  readonly next: string
}

const REPAIR = 'Run the command again: av mends the workspace when it enters it.'
const DOCTOR = 'Report it, with the versions of jj and git in use.'

/** Every failure of jj and git that has been met, and what a person can do about it. */
const SYMPTOMS: readonly Symptom[] = [
  {
    reason: 'not_a_repo',
    when: /^Error: There is no jj repo in /m,
    code: 'not_found',
    message: 'The folder is no jj workspace (any more).',
    next: REPAIR,
  },
  {
    reason: 'cwd_gone',
    when: /^Error: Could not determine current directory/m,
    code: 'bad_input',
    message: 'The current folder was deleted.',
    next: 'Change to a folder that exists.',
  },
  {
    reason: 'link_broken',
    when: /^Error: Cannot access .*\.jj\/repo/m,
    code: 'not_found',
    message: "The workspace's link to its store is broken.",
    next: REPAIR,
  },
  {
    reason: 'store_broken',
    when: /^Internal error: The repository appears broken or inaccessible/m,
    code: 'internal',
    message: "This clone's jj store cannot be read.",
    next: DOCTOR,
  },
  {
    reason: 'stale',
    when: /^Error: (?:The working copy is stale|Could not read working copy's operation)/m,
    code: 'conflict',
    message: 'The workspace was rewritten from outside since it was last looked at.',
    next: 'Take a checkpoint: it keeps both states.',
  },
  {
    reason: 'op_sibling',
    when: /seems to be a sibling of the working copy's operation/,
    code: 'conflict',
    message: 'The workspace and its store stand at different operations.',
    next: 'Take a checkpoint: it keeps both states.',
  },
  {
    reason: 'no_wc_commit',
    when: /^Error: Workspace `.*` doesn't have a working-copy commit/m,
    code: 'conflict',
    message: 'The workspace was forgotten by jj, its files are still there.',
    next: REPAIR,
  },
  {
    reason: 'workspace_exists',
    when: /^Error: Workspace named '.*' already exists/m,
    code: 'conflict',
    message: 'There is a workspace of that name already.',
    next: 'See `av task list --all`.',
  },
  {
    reason: 'dest_not_empty',
    when: /^Error: Destination path exists and is not an empty directory/m,
    code: 'bad_input',
    message: "The workspace's folder exists and is not empty.",
    next: 'Move that folder away, or choose another place by AV_WORKSPACES.',
  },
  {
    reason: 'parent_missing',
    when: /^Error: Cannot access (?:workspace '.*' directory|\/)/m,
    code: 'not_found',
    message: "The folder for the workspace, or the one above it, doesn't exist.",
    next: 'Make the folder above it, and repeat the command.',
  },
  {
    reason: 'needs_wc',
    when: /^Error: This command must be able to update the working copy/m,
    code: 'internal',
    message: 'jj was asked to leave the files alone by a command that needs them.',
    next: DOCTOR,
  },
  {
    reason: 'bad_revision',
    when: /^Error: Revision `.*` doesn't exist|unknown revision or path|bad object|Not a valid object name/im,
    code: 'not_found',
    message: 'A commit that was named is not in this clone.',
    next: 'Run `av sync`, then repeat the command.',
  },
  {
    reason: 'bookmark_conflicted',
    when: /^Error: Name `.*` is conflicted/m,
    code: 'conflict',
    message: 'A jj bookmark of that name points to more than one commit.',
    next: 'Run `jj bookmark list`, and set the bookmark to the commit that is right.',
  },
  {
    reason: 'immutable',
    when: /^Error: Commit [0-9a-f]+ is immutable/m,
    code: 'refused_rule',
    message: 'A commit of trunk would have been rewritten.',
    next: 'Take a checkpoint to see where the task stands now.',
  },
  {
    reason: 'git_too_old',
    when: /Jujutsu requires git >= /,
    code: 'tool_missing',
    message: 'git is too old for this jj command.',
    next: 'Install a newer git.',
  },
  {
    reason: 'bad_path',
    when: /^Error: (?:No such path: |Failed to parse fileset)/m,
    code: 'not_found',
    message: 'The path is not in that commit.',
    next: 'See `av diff` for the paths of the task.',
  },
  {
    reason: 'non_utf8_trunk',
    when: /Invalid UTF-8 for object [0-9a-f]+ of type tree/,
    code: 'unsupported',
    message: 'A file name in the repository is not UTF-8; jj cannot read such a commit.',
    next: 'Rename the file on trunk by git, and commit.',
  },
  {
    reason: 'disk_full',
    when: /No space left on device|File too large \(os error|Disk quota exceeded/i,
    code: 'store_unavailable',
    message: 'The disk is full (or a quota is); nothing new was recorded.',
    next: 'Free some space, then repeat the command; what was recorded before is intact.',
  },
  {
    reason: 'snapshot_failed',
    when: /^Internal error: Failed to snapshot the working copy/m,
    code: 'conflict',
    message: 'jj could not read a file of the workspace.',
    next: 'See the cause in the detail, make the file readable, and repeat the command.',
  },
  {
    reason: 'checkout_failed',
    when: /^Internal error: Failed to check out commit/m,
    code: 'conflict',
    message: "jj could not write the workspace's files.",
    next: 'See the cause in the detail, then repeat the command.',
  },
  {
    reason: 'trunk_moved',
    when: /is at [0-9a-f]+ but expected|reference already exists|unable to resolve reference|\[rejected\]/,
    code: 'conflict',
    message: 'Trunk moved in the meantime.',
    next: 'Repeat the command.',
  },
  {
    reason: 'ref_locked',
    when: /Unable to create '.*\.lock': File exists/,
    code: 'conflict',
    message: 'Another git process is at work in the repository.',
    next: 'Let it finish (or look why it hangs), then repeat the command.',
  },
  {
    reason: 'checked_out_elsewhere',
    when: /refusing to fetch into (?:current )?branch/,
    code: 'refused_rule',
    message: 'The branch is checked out, or being rebased or bisected, in another worktree.',
    next: 'See `git worktree list`; finish there, or switch that one to another branch, then repeat the command.',
  },
  {
    reason: 'checkout_busy',
    when: /^(?:error|fatal): (?:Entry '.*' (?:not uptodate|would be overwritten)|Untracked working tree file|Updating '.*' would lose|you need to resolve your current index)/im,
    code: 'refused_rule',
    message: 'git would not take the change into the checkout: something there is in the way.',
    next: 'See `git status` in the checkout, commit or move what it shows, then repeat the command.',
  },
  {
    reason: 'no_trunk',
    when: /couldn't find remote ref/,
    code: 'not_found',
    message: 'The trunk branch is not there.',
    next: 'See `git branch`, and name the right one: `av init --trunk NAME`.',
  },
  {
    reason: 'shallow',
    when: /shallow roots are not allowed to be updated/,
    code: 'unsupported',
    message: 'The clone is shallow, and git refused to take its history over.',
    next: 'Run `git fetch --unshallow`, then repeat the command.',
  },
  {
    reason: 'owner',
    when: /detected dubious ownership/,
    code: 'refused_rule',
    message: 'The repository belongs to another user, and git refuses to work on it.',
    next: 'See whose it is; git explains `safe.directory` in `git help config`.',
  },
  {
    reason: 'not_git',
    when: /not a git repository/i,
    code: 'not_found',
    message: 'git finds no repository there.',
    next: 'Check the folder with `git status`.',
  },
]

const EXCERPT_CHARS = 2_048

/** The fault that a failed run of jj or git stands for; `internal`, reason `unknown`, when never met. */
export function diagnose(ran: Ran): Fault {
  const detail = {
    argv: ran.argv,
    exitCode: ran.exitCode,
    stderr: ran.stderr.slice(0, EXCERPT_CHARS),
  }
  const symptom = SYMPTOMS.find((row) => row.when.test(ran.stderr))
  if (symptom === undefined) {
    return new Fault('internal', `${programOf(ran)} failed: ${firstError(ran)}`, DOCTOR, {
      detail: { reason: 'unknown', ...detail },
    })
  }
  return new Fault(symptom.code, symptom.message, symptom.next, {
    detail: { reason: symptom.reason, ...detail },
  })
}

export function hasReason(thrown: unknown, ...reasons: readonly string[]): thrown is Fault {
  return thrown instanceof Fault && reasons.includes(thrown.detail.reason ?? '')
}

function programOf(ran: Ran): string {
  return (ran.argv[0] ?? '').split('/').at(-1) ?? ''
}

function firstError(ran: Ran): string {
  const line = /^(?:Error|Internal error|Config error|fatal|error): .*/m.exec(ran.stderr)?.[0]
  return (line ?? `exit code ${ran.exitCode}`).slice(0, 200)
}
