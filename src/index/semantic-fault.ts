import { Fault, type FaultCode } from '../domain/fault.ts'

/** Why there is no semantic list just now. None of them stops a pack: it says `degraded: semantic`. */
export const SEMANTIC_REASONS = {
  embedder_unreachable: 'store_unavailable',
  embedder_refused: 'unauthorized',
  embedder_bad_answer: 'store_unavailable',
  vectors_unreachable: 'store_unavailable',
  vectors_refused: 'unauthorized',
  vectors_bad_answer: 'store_unavailable',
  vectors_gone: 'conflict',
  vectors_mismatch: 'conflict',
  vectors_full: 'too_large',
} as const satisfies Readonly<Record<string, FaultCode>>

export type SemanticReason = keyof typeof SEMANTIC_REASONS

export function semanticFault(
  reason: SemanticReason,
  message: string,
  remediation: string,
  cause?: unknown,
): Fault {
  const detail = { reason }
  return new Fault(SEMANTIC_REASONS[reason], message, remediation, { detail, cause })
}

/** Whether a pack goes on without its semantic list after this. */
export function isSemanticFault(thrown: unknown): thrown is Fault {
  return thrown instanceof Fault && Object.hasOwn(SEMANTIC_REASONS, thrown.detail.reason ?? '')
}
