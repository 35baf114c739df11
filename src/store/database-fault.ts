import { Fault } from '../domain/fault.ts'

/** What a driver or drizzle threw, as a fault; a bug of ours comes back as an error without the statement's values. */
export function databaseFault(thrown: unknown): Error {
  const error = innermost(thrown)
  if (error instanceof Fault) return error
  const code = sqlState(error)
  const row = code === null ? null : (STATES[code] ?? STATES[code.slice(0, 2)])
  if (row)
    return unavailable(row.reason, `${row.message}: ${error.message}`, row.remediation, error)
  if (code === '40001' || code === '40P01') return contention(error)
  if (code !== null && NOT_TEXT.includes(code)) return notText(error)
  if (code === null && isConnectionError(error)) return lostConnection(error)
  // Drizzle's own message holds every value of the statement, which belongs into no log.
  return new Error(code === null ? error.message : `${error.message} (${code})`, { cause: error })
}

/** The database gave the transaction up for a reason that passes: run it again from its start. */
export function isRetryable(thrown: unknown): boolean {
  const code = sqlState(innermost(thrown))
  return code === '40001' || code === '40P01'
}

/** The connection is of no more use, and what was under way on it undecided. */
export function isConnectionLoss(error: Error): boolean {
  if (error instanceof Fault) return false
  const code = sqlState(error)
  if (code === null) return isConnectionError(error)
  return (STATES[code] ?? STATES[code.slice(0, 2)]) === LOST
}

/** The error below drizzle's wrapping. */
export function innermost(thrown: unknown): Error {
  let error = thrown instanceof Error ? thrown : new Error(messageOf(thrown))
  while (!(error instanceof Fault) && error.name !== 'AggregateError' && isWrapper(error))
    error = error.cause
  return error
}

/** The five characters of SQLSTATE, or null when the database itself said nothing. */
export function sqlState(error: Error): string | null {
  const code = 'code' in error ? error.code : null
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)
    ? code
    : null
}

export function unavailable(
  reason: string,
  message: string,
  remediation: string,
  cause?: Error,
): Fault {
  return new Fault('store_unavailable', message, remediation, {
    ...(cause === undefined ? {} : { cause }),
    detail: { reason },
  })
}

type Row = { readonly reason: string; readonly message: string; readonly remediation: string }

const LOST: Row = {
  reason: 'connection_lost',
  message: 'The database server broke the connection off',
  remediation: 'Nothing was stored. Run the command again when the server is back.',
}

/** By SQLSTATE, or its first two characters for a whole class. */
const STATES: Readonly<Record<string, Row>> = {
  '08': LOST,
  '57P01': LOST,
  '57P02': LOST,
  '57P03': LOST,
  '28': {
    reason: 'login_refused',
    message: 'The database server refused the login',
    remediation: 'Correct user and password in AV_DATABASE_URL.',
  },
  '3D000': {
    reason: 'no_database',
    message: 'The database server has no such database',
    remediation: 'Create it, or correct AV_DATABASE_URL.',
  },
  '42501': {
    reason: 'no_rights',
    message: 'The database role lacks a right',
    remediation: 'Have the database owner grant it to the role of AV_DATABASE_URL.',
  },
  '25006': {
    reason: 'read_only',
    message: 'The database takes no writes now',
    remediation: 'Point AV_DATABASE_URL to the primary server. Nothing was stored.',
  },
  '53100': {
    reason: 'disk_full',
    message: 'The disk of the database is full',
    remediation:
      'Free some space, then run the command again. What was acknowledged before is kept.',
  },
  '53300': {
    reason: 'too_many_connections',
    message: 'The database server has no free connection',
    remediation: 'Run the command again later, or raise max_connections on the server.',
  },
  '53': {
    reason: 'out_of_resources',
    message: 'The database server is out of a resource',
    remediation: 'Run the command again later. Nothing was stored.',
  },
  '55P03': {
    reason: 'timeout',
    message: 'The database waited too long for a lock',
    remediation: 'Run the command again. Nothing was stored.',
  },
  '57014': {
    reason: 'timeout',
    message: 'The database took too long',
    remediation: 'Run the command again. Nothing was stored.',
  },
  '25P03': LOST,
}

/** Bytes that are no UTF-8, an escape that is no character: the boundary lets neither through. */
const NOT_TEXT: readonly string[] = ['22021', '22P05']

function notText(cause: Error): Fault {
  return new Fault('bad_input', 'A text cannot be stored.', 'Send it as plain UTF-8 text.', {
    cause,
    detail: { reason: 'not_text' },
  })
}

function contention(cause: Error): Fault {
  return new Fault(
    'conflict',
    'Others wrote to the same facts at the same moment, several times over.',
    'Run the command again.',
    { cause, detail: { reason: 'contention' } },
  )
}

function lostConnection(cause: Error): Fault {
  return unavailable(
    'connection_lost',
    `The connection to the database was lost: ${reasonOf(cause)}`,
    LOST.remediation,
    cause,
  )
}

/** What went wrong in one line; a failed connection to several addresses counts by its first. */
export function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return reasonOf(error.errors[0])
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return error.message.trim() || code || error.name
}

/** node-postgres says these without a code. */
const CONNECTION_TEXT =
  /^connection terminated|connection ended|not queryable|timeout exceeded when trying to connect|query read timeout/i

function isConnectionError(error: Error): boolean {
  if (error instanceof AggregateError)
    return error.errors.some((e) => e instanceof Error && isConnectionError(e))
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return /^(?:E[A-Z]{3,}|ERR_SOCKET|ERR_TLS)/.test(code) || CONNECTION_TEXT.test(error.message)
}

/** Emscripten throws objects that are no errors. */
function messageOf(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown)
    return String(thrown.message)
  return String(thrown)
}

function isWrapper(error: Error): error is Error & { readonly cause: Error } {
  return error.cause instanceof Error && sqlState(error) === null
}
