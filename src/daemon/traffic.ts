import { refusalOf } from '../api/wire.ts'
import { Fault } from '../domain/fault.ts'
import type { Server } from './server.ts'

const IN_FLIGHT_MAX = 256
const POLL_MS = 5

/** Counts what is under way, so that the daemon knows when it is idle and when it may end. */
export class Traffic {
  /** Set once, when the end was asked for. */
  stopping = false
  /** Calls ever taken. */
  taken = 0
  private inFlight = 0
  private lastMs = performance.now()

  /** The server with its requests counted, and refused above a number no real use reaches. */
  counting(server: Server): Server {
    return async (request) => {
      if (this.inFlight >= IN_FLIGHT_MAX) return Response.json(refusalOf(busy()), { status: 503 })
      // Who only looks whether the daemon is there does not keep it there.
      const isUse = request.method === 'POST'
      this.inFlight++
      if (isUse) this.taken++
      try {
        return await server(request)
      } finally {
        this.inFlight--
        if (isUse) this.lastMs = performance.now()
      }
    }
  }

  /** Milliseconds since the last call ended; 0 while one is under way. */
  idleMs(): number {
    return this.inFlight > 0 ? 0 : performance.now() - this.lastMs
  }

  /** Resolves once nothing is under way, not before `graceMs` and not after `maxMs`. */
  async drained(graceMs: number, maxMs: number): Promise<void> {
    const startMs = performance.now()
    for (;;) {
      const waitedMs = performance.now() - startMs
      if (waitedMs >= maxMs || (waitedMs >= graceMs && this.inFlight === 0)) return
      await Bun.sleep(POLL_MS)
    }
  }
}

const busy = (): Fault =>
  new Fault(
    'daemon_unreachable',
    `The daemon has ${IN_FLIGHT_MAX} requests under way and takes no more.`,
    'Repeat the command in a moment.',
    { detail: { reason: 'busy' } },
  )
