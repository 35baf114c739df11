/**
 * Every failure `av` expects. One row decides how a fault looks from each side: the daemon
 * answers with `status`, the command line leaves with `exit`.
 */
export const FAULTS = {
  bad_input: { status: 400, exit: 2 },
  unauthorized: { status: 401, exit: 3 },
  not_found: { status: 404, exit: 4 },
  claim_lost: { status: 409, exit: 6 },
  conflict: { status: 409, exit: 6 },
  too_large: { status: 413, exit: 2 },
  refused_transition: { status: 422, exit: 5 },
  refused_rule: { status: 422, exit: 5 },
  tool_missing: { status: 424, exit: 8 },
  scope_unconfigured: { status: 428, exit: 2 },
  internal: { status: 500, exit: 70 },
  unsupported: { status: 501, exit: 9 },
  daemon_unreachable: { status: 503, exit: 7 },
  store_unavailable: { status: 503, exit: 7 },
} as const satisfies Record<string, { readonly status: number; readonly exit: number }>

export type FaultCode = keyof typeof FAULTS

/** Machine-readable facts of a fault: `reason` narrows the code, the rest is what the reason needs. */
export type FaultDetail = { readonly reason?: string } & Readonly<Record<string, unknown>>

/**
 * A failure the user can read: what was expected and found (`message`), and the next safe step
 * (`remediation`, never a complete destructive command: agents paste what they read).
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly detail: FaultDetail

  constructor(
    readonly code: FaultCode,
    message: string,
    readonly remediation: string,
    options: ErrorOptions & { readonly detail?: FaultDetail } = {},
  ) {
    super(message, options)
    this.detail = options.detail ?? {}
  }

  get status(): number {
    return FAULTS[this.code].status
  }

  get exit(): number {
    return FAULTS[this.code].exit
  }
}

/** Anything thrown that is not a `Fault` is our bug, and is reported as one. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new Fault(
    'internal',
    `Something in av broke: ${message}`,
    'See `av daemon logs`, and report what it shows.',
    { cause: thrown },
  )
}
