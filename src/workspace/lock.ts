import { closeSync, constants, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { tryLock } from '../kernel-lock.ts'
import { diagnose } from './diagnosis.ts'
import type { Host } from './host.ts'
import { run } from './run.ts'

const WAIT_MS = 60_000
const POLL_MS = 20

/**
 * Does `work` while no other process (or other caller in this one) holds the lock `file`, and with
 * a host whose children count as holders too. Both are known to the kernel and end with the
 * processes, also by kill -9: of a client that was killed, a jj still at work is waited for. Waits
 * up to `waitMs` for either, then faults with `conflict`, reason `busy`.
 */
export async function withLock<T>(
  host: Host,
  file: string,
  work: (host: Host) => Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const lock = await poll(file, waitMs, () => tryLock(file))
  try {
    const pipe = `${file}.pipe`
    const lifeline = await poll(file, waitMs, () => tryLifeline(host, pipe))
    try {
      return await work({ ...host, lifelines: [...(host.lifelines ?? []), lifeline] })
    } finally {
      closeSync(lifeline)
    }
  } finally {
    lock.release()
  }
}

async function poll<T>(
  file: string,
  waitMs: number,
  attempt: () => T | null | Promise<T | null>,
): Promise<T> {
  for (let waited = 0; ; waited += POLL_MS) {
    const got = await attempt()
    if (got !== null) return got
    if (waited >= waitMs) {
      throw new Fault(
        'conflict',
        `Another av process has been at work on the same thing for ${waitMs / 1000} s.`,
        'Wait until it is done, then repeat the command.',
        { detail: { reason: 'busy', lock: file } },
      )
    }
    await Bun.sleep(POLL_MS)
  }
}

/**
 * The writing end of a named pipe, which children inherit and nobody writes to; null while a child
 * of an earlier holder still has it: then reading would block, where otherwise the end is reached.
 */
async function tryLifeline(host: Host, pipe: string): Promise<number | null> {
  const reader = await openPipe(host, pipe)
  try {
    readSync(reader, Buffer.alloc(1), 0, 1, null)
    return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (thrown) {
    if (codeOf(thrown) === 'EAGAIN') return null
    throw thrown
  } finally {
    closeSync(reader)
  }
}

async function openPipe(host: Host, pipe: string): Promise<number> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  try {
    return openSync(pipe, flags)
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown
    const made = await run(host, { argv: ['mkfifo', '-m', '600', pipe], cwd: dirname(pipe) })
    if (made.exitCode !== 0) throw diagnose(made)
    return openSync(pipe, flags)
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
