import type { AttestationView, LandingView, VerdictView } from '../api/review-views.ts'
import type { Attestation } from '../domain/attestation.ts'
import type { Landing } from '../domain/landing.ts'
import type { Task } from '../domain/task.ts'
import type { Verdict } from '../domain/verdict.ts'

export function viewVerdict(verdict: Verdict, { approval }: Pick<Task, 'approval'>): VerdictView {
  const { position, result, actor, at, base, tip, tree, patch, trunk, isSelf } = verdict
  return {
    ...{ position, result, by: actor, at, base, tip, tree, patch, trunk, isSelf },
    carriedOver: verdict.carriedOver,
    isCarried: verdict.carriedFrom !== null,
    counts: position === approval,
  }
}

/** How much was taken out of it is read from the marks that stand in its place. */
export function viewAttestation(attestation: Attestation): AttestationView {
  const { task, name, command, exitCode, commit, dirty, log, actor, at, position } = attestation
  return {
    ...{ task, name, command, exit: exitCode, commit, dirty, log, by: actor, at, position },
    redacted: `${command}\n${log}`.split('[redacted:').length - 1,
  }
}

export function viewLanding(landing: Landing): LandingView {
  const { slot, task, kind, old, new: moved, state } = landing
  return { slot, task, kind, old, new: moved, state }
}
