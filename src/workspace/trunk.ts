import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import { commitId } from './commit.ts'
import type { Detected } from './detect.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { exportHumanJj } from './human-jj.ts'

const USUAL = ['main', 'master', 'trunk']

/**
 * The name of the repository's trunk branch: the one asked for, else what origin calls its HEAD,
 * else the only one there is of main, master and trunk, else (before the first commit) the branch
 * that the first commit will be on. Faults with `bad_input`, listing the branches, when none of
 * these tells.
 */
export async function trunkName(host: Host, repo: Detected, asked: string | null): Promise<string> {
  const branches = await listBranches(host, repo)
  if (asked !== null) {
    if (branches.length === 0 || branches.includes(asked)) return checkedName(host, repo, asked)
    throw unclear(`There is no branch "${asked}".`, branches)
  }
  const remote = await originHead(host, repo)
  if (remote !== null && branches.includes(remote)) return remote
  const usual = USUAL.filter((name) => branches.includes(name))
  if (usual.length === 1 && usual[0] !== undefined) return usual[0]
  if (branches.length === 0) return unbornBranch(repo)
  throw unclear('Which branch is trunk cannot be told.', branches)
}

/** The commit trunk is at in the person's repository, or null before the first one. */
export async function trunkCommit(
  host: Host,
  repo: Pick<Detected, 'gitDir'>,
  trunk: string,
): Promise<CommitId | null> {
  const ref = `refs/heads/${trunk}^{commit}`
  const ran = await git(host, repo, ['rev-parse', '-q', '--verify', ref], { answers: [1] })
  return ran.exitCode === 0 ? commitId(ran.stdout.toString('utf8')) : null
}

async function listBranches(host: Host, repo: Detected): Promise<string[]> {
  if (repo.kind === 'purejj') await exportHumanJj(host, repo.root)
  const ran = await git(host, repo, ['for-each-ref', '--format=%(refname)', 'refs/heads'])
  return ran.stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((ref) => ref.slice('refs/heads/'.length))
    .sort(compareBytes)
}

async function originHead(host: Host, repo: Detected): Promise<string | null> {
  const ref = 'refs/remotes/origin/HEAD'
  const ran = await git(host, repo, ['symbolic-ref', '-q', ref], { answers: [1] })
  const name = /^refs\/remotes\/origin\/(.+)$/.exec(ran.stdout.toString('utf8').trim())?.[1]
  return name ?? null
}

function unbornBranch(repo: Detected): string {
  if (repo.kind === 'purejj') return 'main'
  const head = readFileSync(join(repo.gitDir, 'HEAD'), 'utf8')
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? 'main'
}

async function checkedName(host: Host, repo: Detected, name: string): Promise<string> {
  const ran = await git(host, repo, ['check-ref-format', `refs/heads/${name}`], { answers: [1] })
  if (ran.exitCode === 0) return name
  throw new Fault(
    'bad_input',
    `"${name}" cannot name a branch.`,
    'See `git help check-ref-format`.',
    {
      detail: { reason: 'bad_branch_name' },
    },
  )
}

const SHOWN_MAX = 20

function unclear(message: string, branches: readonly string[]): Fault {
  const shown = branches.slice(0, SHOWN_MAX).join(', ')
  const more = branches.length > SHOWN_MAX ? `, and ${branches.length - SHOWN_MAX} more` : ''
  return new Fault(
    'bad_input',
    `${message} The branches here: ${shown}${more}.`,
    'Name it: `av init --trunk NAME`.',
    { detail: { reason: 'trunk_unknown', branches: branches.slice(0, 200) } },
  )
}
