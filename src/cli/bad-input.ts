import { Fault } from '../domain/fault.ts'
import { clip } from '../domain/sanitise.ts'

/** A line that cannot be read, or a value that does not fit. */
export function badInput(
  reason: string,
  message: string,
  remediation: string,
  detail: Readonly<Record<string, unknown>> = {},
): Fault {
  return new Fault('bad_input', message, remediation, { detail: { reason, ...detail } })
}

/** A word as it was typed, on one line and not too long. */
export const quoted = (text: string): string => JSON.stringify(clip(text, 80))
