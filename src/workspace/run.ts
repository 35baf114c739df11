import { Fault } from '../domain/fault.ts'
import { childEnv, type Host } from './host.ts'

export type Call = {
  readonly argv: readonly [string, ...string[]]
  readonly cwd: string
  /** On top of `childEnv`. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array
  /** Then SIGTERM, and SIGKILL five seconds later. */
  readonly timeoutMs?: number
  /** Bytes of standard output; more is a fault `too_large`. */
  readonly stdoutMax?: number
}

export type Ran = {
  readonly argv: readonly string[]
  readonly exitCode: number
  readonly stdout: Buffer
  /** At most its first 64 KiB. */
  readonly stderr: string
}

const TIMEOUT_MS = 60_000
const KILL_AFTER_MS = 5_000
const STDOUT_MAX = 256 * 1024 * 1024
const STDERR_MAX = 64 * 1024

/**
 * Runs one program to its end and returns what it printed, whatever its exit code.
 * Faults: `tool_missing` (it cannot be started), `internal` with reason `killed` (out of time),
 * `too_large` (it printed more than the limit).
 */
export async function run(host: Host, call: Call): Promise<Ran> {
  const child = start(host, call)
  const stdoutMax = call.stdoutMax ?? STDOUT_MAX
  let end: 'killed' | 'too_large' | null = null
  let killTimer: Timer | undefined
  const stop = (why: 'killed' | 'too_large') => {
    end ??= why
    child.kill('SIGTERM')
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  }
  const timer = setTimeout(() => stop('killed'), call.timeoutMs ?? TIMEOUT_MS)
  try {
    const [stdout, stderr, exitCode] = await Promise.all([
      collect(child.stdout, stdoutMax, () => stop('too_large')),
      collect(child.stderr, STDERR_MAX, null),
      child.exited,
    ])
    if (end === 'killed') throw outOfTime(call)
    if (end === 'too_large') throw tooMuch(call, stdoutMax)
    return { argv: call.argv, exitCode, stdout, stderr: stderr.toString('utf8') }
  } finally {
    clearTimeout(timer)
    clearTimeout(killTimer)
  }
}

function start(host: Host, call: Call) {
  try {
    return Bun.spawn({
      cmd: [...call.argv],
      cwd: call.cwd,
      env: childEnv(host, call.env),
      stdio: [call.stdin ?? 'ignore', 'pipe', 'pipe', ...(host.lifelines ?? [])],
    })
  } catch (cause) {
    const program = call.argv[0]
    throw new Fault(
      'tool_missing',
      `${program} could not be started.`,
      'Run scripts/setup.sh of the av project, or set AV_JJ to a jj program; then repeat the command.',
      { cause, detail: { reason: 'not_started', program } },
    )
  }
}

/** Reads a stream to its end, keeping at most `max` bytes; `full` is told once when there is more. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  max: number,
  full: (() => void) | null,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let kept = 0
  for await (const chunk of stream) {
    const room = max - kept
    if (chunk.length > room && full !== null) full()
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    kept += Math.min(chunk.length, Math.max(room, 0))
  }
  return Buffer.concat(chunks)
}

function outOfTime(call: Call): Fault {
  return new Fault(
    'internal',
    `${call.argv[0]} did not finish in ${(call.timeoutMs ?? TIMEOUT_MS) / 1000} s and was stopped.`,
    'Repeat the command when the machine is less busy; what was recorded before is intact.',
    { detail: { reason: 'killed', argv: call.argv } },
  )
}

function tooMuch(call: Call, max: number): Fault {
  return new Fault(
    'too_large',
    `${call.argv[0]} printed more than ${max} bytes.`,
    'Ask for less: a smaller change, or single files.',
    { detail: { reason: 'output_too_large', argv: call.argv } },
  )
}
