import { readFileSync } from 'node:fs'

const POLL_MS = 10

/**
 * The most memory a process held at once, in bytes, looked at until `ended` resolves: its own
 * high-water mark, as Linux keeps it. (What `wait4` tells includes the parent's memory before exec.)
 * 0 where there is no /proc.
 */
export async function peakRss(pid: number, ended: Promise<unknown>): Promise<number> {
  let isRunning = true
  let peak = 0
  const end = ended.then(() => {
    isRunning = false
  })
  while (isRunning) {
    peak = Math.max(peak, statusBytes(pid, 'VmHWM'))
    await Promise.race([Bun.sleep(POLL_MS), end])
  }
  return peak
}

/** What a process holds now, in bytes; 0 where there is no /proc. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS')
}

/** The most that a process which still runs held at once, in bytes; 0 where there is no /proc. */
export function highWaterBytes(pid: number): number {
  return statusBytes(pid, 'VmHWM')
}

function statusBytes(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
