import type { Caller } from '../domain/actor.ts'
import type { Attestation } from '../domain/attestation.ts'
import type { Claim } from '../domain/claim.ts'
import type { LifecycleEvent } from '../domain/lifecycle.ts'
import type { RecordId, TaskRecord } from '../domain/record.ts'
import type { CommitId, RepoId } from '../domain/repo.ts'
import type { Task, TaskId } from '../domain/task.ts'
import type { Reviewed, Verdict, VerdictResult } from '../domain/verdict.ts'
import type { NewRecord } from './new-fact.ts'

/** The part of the store that moves tasks through their life; what `Store` promises holds here too. */
export interface TaskLife {
  /**
   * Makes the caller the owner, under a generation of one more; who holds the task already has the lease prolonged
   * and nothing else. State, owner and lease are judged by the database's clock, in the statement that takes it:
   * of two at the same moment, one wins. Throws `refused_transition`, `refused_rule` reason `lease_running`,
   * `conflict` reason `landing`.
   */
  claimTask(repo: RepoId, claim: NewClaim, by: Caller): Promise<Claimed>

  /** A step of the owner, fenced like a checkpoint, with what is recorded in the same breath. */
  moveTask(
    repo: RepoId,
    step: OwnerStep,
    by: Caller,
  ): Promise<{ readonly task: Task; readonly record: TaskRecord | null }>

  /**
   * Keeps a verdict on exactly what was looked at. Throws, in this order: `not_found`; `refused_transition`;
   * `refused_rule` reason `own_task` (it owns or owned the task, and somebody else ever wrote to the repo),
   * `changed` (the task is not at `tip` on `base` any more, or its last checkpoint has another tree or patch);
   * `conflict` reason `landing`.
   */
  addVerdict(
    repo: RepoId,
    verdict: NewVerdict,
    by: Caller,
  ): Promise<{
    readonly task: Task
    readonly verdict: Verdict
    readonly record: TaskRecord | null
  }>
  /** Oldest first. */
  verdicts(repo: RepoId, task: TaskId): Promise<readonly Verdict[]>

  /**
   * Closes a thread; to close it again changes nothing. Throws `not_found`; `refused_rule` reason `not_a_thread`,
   * or `not_yours` for who neither began it nor owns the task (in whatever session).
   */
  resolveThread(repo: RepoId, root: RecordId, by: Caller): Promise<TaskRecord>
  /** The roots that were closed. */
  resolvedThreads(repo: RepoId, task: TaskId): Promise<ReadonlySet<RecordId>>

  /** Throws `not_found` for the task, or for a commit that is none of its checkpoints. */
  addAttestation(repo: RepoId, attestation: NewAttestation, by: Caller): Promise<Attestation>
  /** Newest first, at most 1,000. */
  attestations(repo: RepoId, task: TaskId): Promise<readonly Attestation[]>
  /** Newest first, of all tasks that are live. */
  liveAttestations(repo: RepoId): Promise<readonly Attestation[]>

  // --- a task's commits on their way to other machines
  /** The whole bundle that brings `tip`, or null. */
  bundleOf(repo: RepoId, tip: CommitId): Promise<BundleHead | null>
  /**
   * Keeps one part; the bundle counts when all are there. Parts may come again. Who names a generation is judged by it
   * (`claim_lost`); from the owner, what the task needs no more (neither its head, nor a reviewed tip, nor the new one)
   * goes when a bundle is complete.
   */
  putBundlePart(
    repo: RepoId,
    bundle: BundleHead,
    part: { readonly ordinal: number; readonly data: Uint8Array },
    by: Caller,
  ): Promise<{ readonly isComplete: boolean }>
  bundlePart(repo: RepoId, bundle: string, ordinal: number): Promise<Uint8Array | null>
}

export type NewClaim = {
  readonly task: TaskId
  readonly leaseSecs: number
  /** Where the work begins, for a task that has neither base nor head yet. */
  readonly base: CommitId | null
}

export type Claimed = {
  readonly task: Task
  readonly isRenewal: boolean
  /** Who held it before; null: nobody did. */
  readonly previous: Claim | null
}

/** `submit`, `handoff`, `resolve`, `abandon`: what only the owner may do. */
export type OwnerStep = {
  readonly task: TaskId
  readonly event: Extract<LifecycleEvent, 'submit' | 'handoff' | 'resolve' | 'abandon'>
  /** The checkpoint it is about: `conflict` reason `head_moved` when the task's is another by now. */
  readonly head: CommitId | null
  readonly record: Omit<NewRecord, 'task' | 'states' | 'leaseSecs'> | null
  readonly leaseSecs: number
}

export type NewVerdict = Reviewed & {
  readonly task: TaskId
  readonly result: VerdictResult
  readonly trunk: CommitId | null
  readonly record: Omit<NewRecord, 'task' | 'states' | 'leaseSecs'> | null
  /** From which the owner goes on when changes are asked for. */
  readonly leaseSecs: number
}

export type NewAttestation = Pick<
  Attestation,
  'task' | 'commit' | 'name' | 'command' | 'exitCode' | 'log' | 'dirty'
>

export type BundleHead = {
  /** SHA-256 of its bytes, in hex. */
  readonly id: string
  readonly task: TaskId
  readonly base: CommitId | null
  readonly tip: CommitId
  /** Bytes. */
  readonly size: number
  readonly parts: number
}
