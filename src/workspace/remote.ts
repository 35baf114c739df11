import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { redact } from '../domain/redact.ts'
import type { CommitId } from '../domain/repo.ts'
import { codeLine, proseLine } from '../domain/sanitise.ts'
import { isRemoteName } from '../domain/team-file.ts'
import { quotedPath } from './bundle-quarantine.ts'
import { type Clone, storeGit } from './clone.ts'
import { commitId } from './commit.ts'
import { hasReason } from './diagnosis.ts'
import { type GitOptions, git, splitNul } from './git.ts'
import type { Host } from './host.ts'
import type { Ran } from './run.ts'

/**
 * A git remote as the person's repository has it configured: where it is, and by what means they
 * get there. `name` stands for it in commands, and brings no tracking branch with it.
 */
export type Remote = {
  readonly called: string
  readonly name: string
  readonly run: (args: readonly string[], options?: GitOptions) => Promise<Ran>
}

const REMOTE_MS = 600_000
/** For a question that is answered in one line. */
const ASK_MS = 30_000
const SAID_LINES_MAX = 12

/**
 * Finds the remote in the person's own configuration: repository content may name one, and never
 * says where it is. What runs then runs in the person's repository, with their credentials and
 * without hooks, and moves no ref of it: neither branches nor tracking branches.
 * Faults with `not_found`, reason `remote_unknown`.
 */
export async function findRemote(host: Host, clone: Clone, called: string): Promise<Remote> {
  const settings = await remoteSettings(host, clone, called)
  const name = `av--${called}`
  const config = settings.map(([key, value]): [string, string] => [`remote.${name}.${key}`, value])
  const fixed = { ...environment(host), ...configEnv(config), ...(await quietSsh(host, clone)) }
  const place = { gitDir: clone.gitDir }
  const options = { env: fixed, answers: ANY_FAILURE, timeoutMs: REMOTE_MS }
  return {
    called,
    name,
    // A remote's path may be relative to the root of the checkout.
    run: (args, { env, ...rest } = {}) =>
      git(host, place, ['-C', clone.root, ...args], {
        ...options,
        ...rest,
        env: { ...fixed, ...env },
      }),
  }
}

export function unreachable(remote: Remote, said: readonly string[]): Fault {
  return new Fault(
    'conflict',
    `The git remote "${remote.called}" cannot be reached: ${firstTrouble(said)}.`,
    `See what \`git ls-remote ${remote.called}\` says in the repository; then repeat the command.`,
    { detail: { reason: 'remote_unreachable', remote: remote.called, said } },
  )
}

/** git ends with advice that is the same each time; what went wrong stands before it. */
export function firstTrouble(said: readonly string[]): string {
  const trouble = said.find((line) => /^(?:fatal|error|ssh): /.test(line)) ?? said.at(-1)
  return trouble?.replace(/\.$/, '') ?? 'it did not answer'
}

/** The server's rules say no; `next` is what to do instead. */
export function pushRefused(
  remote: Remote,
  what: string,
  said: readonly string[],
  next: string,
): Fault {
  return new Fault(
    'refused_rule',
    `"${remote.called}" does not let ${what} be pushed: ${said.at(-1) ?? 'it gave no reason'}.`,
    next,
    { detail: { reason: 'push_refused', remote: remote.called, said } },
  )
}

/** The commit that a ref of the remote is at, or null. Faults with reason `remote_unreachable`. */
export async function askRef(remote: Remote, ref: string): Promise<CommitId | null> {
  const ran = await ask(remote, ['ls-remote', '--quiet', remote.name, ref], {
    timeoutMs: ASK_MS,
  })
  if (ran.exitCode !== 0) throw unreachable(remote, saidBy(ran))
  const lines = ran.stdout.toString('utf8').split('\n')
  const [id] = lines.map((line) => line.split('\t')).find(([, name]) => name === ref) ?? []
  return id === undefined ? null : commitId(id)
}

/** Git's own checks of each object, which are off where nobody asked for them. */
export const CHECKED = ['-c', 'fetch.fsckObjects=true']

/** A commit's objects into the person's repository, under no ref. `wanted` is a ref, or its id. */
export async function download(
  remote: Remote,
  wanted: string,
  settings: readonly string[] = [],
): Promise<void> {
  const quiet = ['-q', '--no-tags', '--no-prune', '--no-write-fetch-head', '--no-auto-maintenance']
  const none = ['--no-recurse-submodules', '--no-write-commit-graph', '--refmap=']
  const ran = await ask(remote, [...settings, 'fetch', ...quiet, ...none, remote.name, wanted])
  if (ran.exitCode !== 0) throw unreachable(remote, saidBy(ran))
}

/** Pushes a commit of the store; the person's repository need not have it. Exit codes are answers. */
export function upload(
  remote: Remote,
  clone: Clone,
  options: readonly string[],
  refspec: string,
): Promise<Ran> {
  const quiet = ['--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no']
  return ask(remote, ['push', ...quiet, ...options, remote.name, refspec], {
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(join(storeGit(clone), 'objects')) },
  })
}

/** A run out of time is a remote that does not answer. */
async function ask(remote: Remote, args: readonly string[], options?: GitOptions): Promise<Ran> {
  try {
    return await remote.run(args, options)
  } catch (thrown) {
    if (!hasReason(thrown, 'killed', 'output_too_large')) throw thrown
    throw unreachable(remote, [thrown.message.replace(/\.$/, '')])
  }
}

/** The last lines of what the server and git said, for a person to read: no secrets, no frames. */
export function saidBy(ran: Ran): string[] {
  const status = ran.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  const lines = [...ran.stderr.split('\n'), ...status.map((line) => line.split('\t')[2] ?? '')]
  return lines
    .map((line) => proseLine(redact(withoutUser(line)).text.replace(/^remote: ?/, '')))
    .filter((line) => line !== '')
    .slice(-SAID_LINES_MAX)
}

const ANY_FAILURE = [1, 2, 128, 129]

/** What says where a remote is and how to speak to it; refspecs, mirrors and tags are left behind. */
const KEYS = /^(?:url|pushurl|proxy|proxyauthmethod|uploadpack|receivepack|vcs|serveroption)$/

async function remoteSettings(
  host: Host,
  clone: Clone,
  called: string,
): Promise<[string, string][]> {
  if (!isRemoteName(called)) throw unknown(called)
  const pattern = `^remote\\.${called.replaceAll('.', '\\.')}\\.[a-z]+$`
  const ran = await git(host, place(clone), ['config', '-z', '--get-regexp', pattern], {
    answers: [1],
    env: environment(host),
  })
  const settings = splitNul(ran.stdout).flatMap((entry): [string, string][] => {
    const [key = '', ...value] = entry.toString('utf8').split('\n')
    const last = key.slice(key.lastIndexOf('.') + 1)
    return KEYS.test(last) ? [[last, value.join('\n')]] : []
  })
  if (settings.some(([key]) => key === 'url')) return firstUrls(settings)
  throw unknown(called)
}

function unknown(called: string): Fault {
  return new Fault(
    'not_found',
    `This repository has no git remote "${codeLine(called, 100)}", which .av.toml names.`,
    'Add it by `git remote add`, or name another one in .av.toml on trunk.',
    { detail: { reason: 'remote_unknown', remote: called } },
  )
}

/** A push goes to one place: a compare and swap on two of them is none. */
function firstUrls(settings: readonly [string, string][]): [string, string][] {
  const seen = new Set<string>()
  return settings.filter(([key]) => {
    const again = seen.has(key) && /url$/.test(key)
    seen.add(key)
    return !again
  })
}

/** By the environment, where no list of processes shows it: URLs and headers hold passwords. */
function configEnv(config: readonly [string, string][]): Record<string, string> {
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', `${config.length}`],
    ...config.flatMap(([key, value], n) => [
      [`GIT_CONFIG_KEY_${n}`, key],
      [`GIT_CONFIG_VALUE_${n}`, value],
    ]),
  ])
}

/** What the caller set on how to reach other machines; everything else of git's stays left out. */
const MEANS =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_CAINFO|SSL_CAPATH|CONFIG_GLOBAL|CONFIG_SYSTEM)$/

function environment(host: Host): Record<string, string> {
  const means = Object.entries(host.env).flatMap(([name, value]): [string, string][] =>
    MEANS.test(name) && value !== undefined ? [[name, value]] : [],
  )
  // Credential helpers are often configured for the whole machine.
  const system = { GIT_CONFIG_NOSYSTEM: host.env.GIT_CONFIG_NOSYSTEM ?? '0' }
  return { ...Object.fromEntries(means), ...system }
}

/** ssh asks its questions on the terminal, past git: where nobody set it up otherwise, it must not. */
async function quietSsh(host: Host, clone: Clone): Promise<Record<string, string>> {
  if (host.env.GIT_SSH_COMMAND !== undefined || host.env.GIT_SSH !== undefined) return {}
  const args = ['config', '--get', 'core.sshCommand']
  const ran = await git(host, place(clone), args, { answers: [1], env: environment(host) })
  return ran.exitCode === 0 ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' }
}

const place = (clone: Clone) => ({ gitDir: clone.gitDir })

function withoutUser(line: string): string {
  return line.replace(/:\/\/[^/@\s]*@/g, '://')
}
