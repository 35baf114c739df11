/**
 * A time as people say it: `3 minutes ago`, `in 20 minutes`, the day beyond thirty days.
 * @param instant RFC 3339; what is no time comes back as it is
 * @param nowMs milliseconds since the epoch
 */
export function relativeTime(instant: string, nowMs: number): string {
  const atMs = Date.parse(instant)
  if (Number.isNaN(atMs)) return instant
  const distance = Math.abs(nowMs - atMs)
  if (distance < 10 * SECOND) return 'just now'
  if (distance >= 30 * DAY) return instant.slice(0, 10)
  const [size, unit] = UNITS.find(([size]) => distance >= size) ?? [SECOND, 'second']
  const count = Math.floor(distance / size)
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`
  return atMs > nowMs ? `in ${words}` : `${words} ago`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const
