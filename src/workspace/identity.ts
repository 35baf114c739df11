import { compareBytes } from '../domain/order.ts'
import type { CommitId, RepoIdentity } from '../domain/repo.ts'
import { commitId } from './commit.ts'
import type { Detected } from './detect.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'

const ROOTS_MAX = 100
const WALK_MS = 120_000

/**
 * What makes two clones the same repo. A shallow clone knows only where its own history was cut,
 * so it has no root commits to show. Remotes come without user names, passwords and tokens.
 */
export async function identityOf(
  host: Host,
  repo: Detected,
  trunk: CommitId | null,
): Promise<RepoIdentity> {
  const [rootCommits, remotes] = await Promise.all([
    trunk === null || repo.shallow ? [] : rootsOf(host, repo, trunk),
    remotesOf(host, repo),
  ])
  return { rootCommits, remotes }
}

async function rootsOf(host: Host, repo: Detected, trunk: CommitId): Promise<CommitId[]> {
  const args = ['rev-list', '--max-parents=0', trunk]
  const ran = await git(host, repo, args, { timeoutMs: WALK_MS })
  return ran.stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map(commitId)
    .sort(compareBytes)
    .slice(0, ROOTS_MAX)
}

async function remotesOf(host: Host, repo: Detected): Promise<Record<string, string>> {
  const args = ['config', '--local', '-z', '--get-regexp', '^remote\\..*\\.url$']
  const ran = await git(host, repo, args, { answers: [1] })
  const remotes = new Map<string, string>()
  for (const entry of splitNul(ran.stdout)) {
    const [key = '', url = ''] = entry.toString('utf8').split('\n', 2)
    const name = key.slice('remote.'.length, -'.url'.length)
    if (!remotes.has(name)) remotes.set(name, withoutCredentials(url))
  }
  return Object.fromEntries([...remotes].sort(([a], [b]) => compareBytes(a, b)))
}

/**
 * `https://user:token@host/x.git?t=1` → `https://host/x.git`; of an ssh address only a password
 * goes, since its user is part of where it leads; `user@host:path` and local paths stay as they are.
 */
export function withoutCredentials(url: string): string {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(url)
  if (parts === null) return url
  const [, scheme = '', authority = '', path = ''] = parts
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const user = at < 0 ? '' : (authority.slice(0, at).split(':')[0] ?? '')
  const kept = /^(?:git\+)?ssh$/i.test(scheme) && user !== '' ? `${user}@` : ''
  return `${scheme}://${kept}${host}${path}`
}
