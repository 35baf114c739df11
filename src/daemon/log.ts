import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { redact } from '../domain/redact.ts'
import type { World } from '../world.ts'

export type Log = (text: string) => void

/** Of `daemon.log`, and of `daemon.log.1` that it becomes when it is full. */
export const LOG_BYTES_MAX = 1024 * 1024
const LINE_CHARS_MAX = 4_000

/**
 * A log that never takes more than twice `bytesMax`. Each entry is one line, stamped, without
 * secrets and without control characters, so nothing that is logged can pass for another entry.
 * Where the disk is full, lines are lost, and counted once there is room again.
 */
export function openLog(
  path: string,
  pid: number,
  world: World,
  bytesMax = LOG_BYTES_MAX,
): { readonly log: Log; readonly close: () => void } {
  let file = openSync(path, 'a', 0o600)
  let size = fstatSync(file).size
  let lost = 0

  function append(text: string): void {
    const bytes = Buffer.from(`${text}\n`)
    if (size > 0 && size + bytes.length > bytesMax) {
      renameSync(path, `${path}.1`)
      const fresh = openSync(path, 'a', 0o600)
      closeSync(file)
      file = fresh
      size = 0
    }
    size += writeSync(file, bytes)
  }

  function log(text: string): void {
    const stamp = `${new Date(world.now()).toISOString()} [${pid}] `
    try {
      if (lost > 0) append(`${stamp}${lost} lines were lost here`)
      append(stamp + oneLine(text))
      lost = 0
    } catch {
      lost++
    }
  }
  return { log, close: () => closeSync(file) }
}

/**
 * Logs what Postgres says of itself. Of a statement that failed it says nothing: such lines quote
 * the statement and the values it was given.
 */
export function postgresLine(line: string, log: Log): void {
  if (/ (?:LOG|WARNING|FATAL|PANIC): {2}/.test(line)) log(`postgres: ${line}`)
}

/** Redaction comes first, so that no cut and no escape hides a part of a secret from it. */
function oneLine(text: string): string {
  const clean = redact(text.slice(0, LINE_CHARS_MAX * 2)).text
  return clean.replace(/\p{Cc}/gu, escapeControl).slice(0, LINE_CHARS_MAX)
}

const escapeControl = (char: string): string =>
  char === '\n' ? ' | ' : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
