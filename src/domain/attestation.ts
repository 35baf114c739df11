import { compareBytes } from './order.ts'
import type { CommitId, Instant, Position, RepoId } from './repo.ts'
import type { TaskId } from './task.ts'

export const ATTESTED_NAME_MAX = 100
/** UTF-8 bytes kept of a log: its end. */
export const ATTESTED_LOG_BYTES_MAX = 4 * 1024

/** A client's report that a check ran. The daemon runs nothing: it is somebody's word. */
export type Attestation = {
  readonly repo: RepoId
  readonly position: Position
  readonly task: TaskId
  /** The checkpoint it ran on. */
  readonly commit: CommitId
  readonly name: string
  readonly command: string
  readonly exitCode: number
  readonly log: string
  /** The folder held more than the checkpoint when it ran. */
  readonly dirty: boolean
  readonly actor: string
  readonly session: string | null
  readonly at: Instant
}

/** Names of checks whose newest report on `head` failed, by name. */
export function failingChecks(
  attestations: readonly Attestation[],
  head: CommitId | null,
): readonly string[] {
  const newest = new Map<string, Attestation>()
  for (const one of attestations) {
    if (one.commit !== head) continue
    const known = newest.get(one.name)
    if (known === undefined || known.position < one.position) newest.set(one.name, one)
  }
  return [...newest.values()]
    .filter(({ exitCode }) => exitCode !== 0)
    .map(({ name }) => name)
    .sort(compareBytes)
}
