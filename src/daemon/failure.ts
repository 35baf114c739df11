import { Fault } from '../domain/fault.ts'

/** What the log says of a defect: kind, first line and place of it and of its causes. */
export function describeThrown(thrown: unknown): string {
  const parts: string[] = []
  let error: unknown = thrown
  for (let depth = 0; depth < CAUSES_MAX && error !== undefined; depth++) {
    parts.push(describeOne(error))
    error = error instanceof Error ? error.cause : undefined
  }
  return parts.join(' <- ')
}

/** What the user sees of it: a reference into the log, and nothing of the inside. */
export function internalFault(what: string, reference: string): Fault {
  return new Fault(
    'internal',
    `Something in av broke while it worked on \`${what}\` (reference ${reference}).`,
    `See \`av daemon logs\` for ${reference}, and report the lines that name it.`,
    { detail: { reason: 'defect', reference } },
  )
}

const CAUSES_MAX = 4
const FRAMES_MAX = 8

/** Of the message the first line only: a query's error goes on with the values it was given. */
function describeOne(error: unknown): string {
  if (!(error instanceof Error)) return `thrown ${typeof error}`
  const [first = ''] = error.message.split('\n')
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const places = frames.slice(0, FRAMES_MAX).map((line) => line.trim())
  return `${error.name}${code}: ${first.slice(0, 300)} ${places.join(' ')}`.trim()
}
