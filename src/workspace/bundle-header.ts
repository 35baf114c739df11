import type { CommitId } from '../domain/repo.ts'
import { commitId } from './commit.ts'

/** What stands in a bundle before its pack: git's own format, with one ref and nothing else in it. */
export type BundleHeader = {
  /** Commits that the receiver must have. */
  readonly prerequisites: readonly CommitId[]
  readonly tip: CommitId
}

const BYTES_MAX = 64 * 1024
const SHA256 = '@object-format=sha256'

export function formatHeader({ prerequisites, tip }: BundleHeader): Buffer {
  const lines = [
    ...(tip.length === 64 ? ['# v3 git bundle', SHA256] : ['# v2 git bundle']),
    ...prerequisites.map((commit) => `-${commit} `),
    `${tip} refs/av/${tip}`,
  ]
  return Buffer.from(`${lines.join('\n')}\n\n`, 'latin1')
}

/**
 * Takes a bundle apart into its header and its pack; null when it is none, or holds what
 * `formatHeader` never writes: another ref, a second one, a filter, a name that is not the tip's.
 */
export function parseHeader(
  bytes: Buffer,
): { readonly header: BundleHeader; readonly pack: Buffer } | null {
  const end = bytes.subarray(0, BYTES_MAX).indexOf('\n\n')
  if (end < 0) return null
  const lines = bytes.subarray(0, end).toString('latin1').split('\n')
  const first = lines.shift()
  const sha256 = first === '# v3 git bundle' && lines.shift() === SHA256
  if (!sha256 && first !== '# v2 git bundle') return null
  const id = sha256 ? '[0-9a-f]{64}' : '[0-9a-f]{40}'
  const ref = new RegExp(`^(${id}) refs/av/\\1$`).exec(lines.pop() ?? '')?.[1]
  const needed = lines.map((line) => new RegExp(`^-(${id}) $`).exec(line)?.[1])
  const prerequisites = needed.flatMap((commit) => (commit === undefined ? [] : commitId(commit)))
  if (ref === undefined || prerequisites.length < needed.length) return null
  return { header: { prerequisites, tip: commitId(ref) }, pack: bytes.subarray(end + 2) }
}
