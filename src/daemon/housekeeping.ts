import { describeThrown } from './failure.ts'
import type { Log } from './log.ts'
import type { Traffic } from './traffic.ts'

const TICK_MS = 500
const MAINTAIN_EVERY_MS = 5 * 60_000

/**
 * Sees to the store now and then when it was used, gives memory back in a pause between two calls, and
 * ends a daemon that nobody uses, or can find any more. The store is seen to before, while the daemon
 * still answers. Gives what ends the watch.
 */
export function keepHouse(
  daemon: {
    /** 0: never idle. */
    readonly idleSecs: number
    readonly log: Log
    readonly maintain: () => Promise<void>
    readonly tidy: () => void
    /** Whether clients can still find this daemon. */
    readonly isThere: () => boolean
    readonly stop: (why: string) => void
  },
  traffic: Traffic,
): () => void {
  const { idleSecs, log, maintain, tidy, isThere, stop } = daemon
  let maintainedAtMs = performance.now()
  let maintainedUpTo = 0
  let tidiedUpTo = 0
  let underWay = false

  const isIdle = () => idleSecs > 0 && traffic.idleMs() >= idleSecs * 1000

  async function care(): Promise<void> {
    maintainedUpTo = traffic.taken
    maintainedAtMs = performance.now()
    await maintain().catch((thrown) => log(`maintenance failed: ${describeThrown(thrown)}`))
  }

  /** A pause as long as a tick: who asks for one thing after another is not kept waiting. */
  function tidyInPause(): void {
    if (traffic.taken === tidiedUpTo || traffic.idleMs() < TICK_MS) return
    tidiedUpTo = traffic.taken
    tidy()
  }

  async function tick(): Promise<void> {
    if (!isThere()) return stop('its AV_HOME was taken away')
    tidyInPause()
    const wasUsed = traffic.taken > maintainedUpTo
    const isDue = performance.now() - maintainedAtMs >= MAINTAIN_EVERY_MS
    if (wasUsed && (isDue || isIdle())) await care()
    if (isIdle()) stop(`idle for ${idleSecs} s`)
  }

  const timer = setInterval(() => {
    if (underWay) return
    underWay = true
    void tick().finally(() => {
      underWay = false
    })
  }, TICK_MS)
  return () => clearInterval(timer)
}
