import { type Health, readBody } from './wire.ts'

/**
 * What the daemon behind a socket says of itself, whatever its version; null where none answers.
 * It never starts one.
 */
export async function askHealth(socket: string, timeoutMs = 2_000): Promise<Health | null> {
  try {
    const response = await fetch('http://av/v1/health', {
      unix: socket,
      keepalive: false,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return readBody(await response.json()).data as Health
  } catch {
    // No socket, nobody behind it, or nobody in time: for the question asked they are the same.
    return null
  }
}
