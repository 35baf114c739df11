import { createHash, timingSafeEqual } from 'node:crypto'
import { Fault } from '../domain/fault.ts'

/**
 * Lets a request in, or not. The Unix socket is guarded by its file mode; TCP wants the token. A
 * browser is turned away on both: by its Origin, and by a Host that is a name of somewhere else
 * (a page whose name was pointed at 127.0.0.1).
 * @param token null on the Unix socket
 * @throws Fault `unauthorized`
 */
export function admit(request: Request, token: string | null): void {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const allowed =
    token === null ? /^(?:av|localhost)$/ : /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/
  if (!allowed.test(host)) {
    throw unauthorized('foreign_host', `The Host ${JSON.stringify(host.slice(0, 100))}`)
  }
  if (request.headers.has('origin')) throw unauthorized('foreign_origin', 'A web page')
  if (token !== null && !isBearer(request.headers.get('authorization'), token)) {
    throw unauthorized('no_token', 'A request without the token')
  }
}

/** Equal digests, compared in constant time: the time tells nothing, not even a length. */
function isBearer(header: string | null, token: string): boolean {
  return timingSafeEqual(sha256(header ?? ''), sha256(`Bearer ${token}`))
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const unauthorized = (reason: string, who: string): Fault =>
  new Fault(
    'unauthorized',
    `${who} is not let in.`,
    'Send `Authorization: Bearer …` with the token of AV_HOME to 127.0.0.1, or use the Unix socket.',
    { detail: { reason } },
  )
