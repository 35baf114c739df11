import { Fault } from '../domain/fault.ts'
import type { Parameter } from './parameters.ts'
import type { Terminal } from './terminal.ts'

const STDIN_BYTES_MAX = 1024 * 1024

/**
 * Reads standard input as text; read once, however often it is asked for.
 * @throws Fault `too_large` beyond `STDIN_BYTES_MAX`, `bad_input` for what is not UTF-8
 */
export function stdinText(terminal: Terminal): () => Promise<string> {
  let text: Promise<string> | null = null
  return () => {
    text ??= read(terminal)
    return text
  }
}

/** Puts standard input in place of `-`, for the parameters that say so. */
export async function withStdin(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
  readStdin: () => Promise<string>,
): Promise<Readonly<Record<string, unknown>>> {
  const filled: Record<string, unknown> = { ...given }
  for (const { field, readsStdin } of parameters) {
    if (readsStdin && given[field] === '-') filled[field] = await readStdin()
  }
  return filled
}

async function read(terminal: Terminal): Promise<string> {
  const bytes = await terminal.readStdin(STDIN_BYTES_MAX)
  if (bytes.length > STDIN_BYTES_MAX) {
    throw new Fault(
      'too_large',
      `Standard input holds more than ${STDIN_BYTES_MAX} bytes.`,
      'Send the part that matters, and say where the rest is kept.',
      { detail: { reason: 'stdin_too_large', bytesMax: STDIN_BYTES_MAX } },
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Fault(
      'bad_input',
      'Standard input is not UTF-8 text.',
      'Convert it to UTF-8 before it is piped in.',
      { cause, detail: { reason: 'not_text' } },
    )
  }
}
