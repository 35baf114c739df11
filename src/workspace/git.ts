import { diagnose } from './diagnosis.ts'
import type { Host } from './host.ts'
import { type Ran, run } from './run.ts'

/** Which repository: its git directory, or a folder that stands in one. */
export type GitPlace = { readonly gitDir: string } | { readonly folder: string }

export type GitOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array
  /** Exit codes that are an answer, not a failure; 0 always is. */
  readonly answers?: readonly number[]
  readonly timeoutMs?: number
  readonly stdoutMax?: number
}

/** Runs git so that no hook, file watcher, filter or clean-up of the repository's owner runs with it. */
export async function git(
  host: Host,
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Ran> {
  const where = 'gitDir' in place ? ['--git-dir', place.gitDir] : ['-C', place.folder]
  const ran = await run(host, {
    argv: ['git', ...QUIET, ...where, ...args],
    cwd: '/',
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(options.stdoutMax === undefined ? {} : { stdoutMax: options.stdoutMax }),
  })
  if (ran.exitCode !== 0 && !options.answers?.includes(ran.exitCode)) throw diagnose(ran)
  return ran
}

/** For processes that are driven by hand: the settings that keep git quiet. */
export const QUIET = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.attributesFile=/dev/null',
  '-c',
  'core.quotePath=true',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'submodule.recurse=false',
] as const

/** The parts of NUL-separated output, each ended by a NUL. */
export function splitNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(0, from); at >= 0; at = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, at))
    from = at + 1
  }
  if (from < bytes.length) parts.push(bytes.subarray(from))
  return parts
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a file name, or null when its bytes are not UTF-8. */
export function nameText(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}
