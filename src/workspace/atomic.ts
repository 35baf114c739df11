import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { Fault } from '../domain/fault.ts'

/**
 * Writes a file so that a reader, or a process that dies, leaves either the old text or the new
 * one. Two writers of the same file must hold a lock: they would share the temporary name.
 */
export function writeAtomic(path: string, text: string): void {
  write(path, text, () => {})
}

/** The same, also when the power fails: for what cannot be made again from elsewhere. */
export function writeDurably(path: string, text: string): void {
  write(path, text, fsyncSync)
}

function write(path: string, text: string, settle: (file: number) => void): void {
  try {
    const temporary = `${path}.new`
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeFileSync(file, text)
      settle(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (thrown) {
    throw isFull(thrown) ? diskFull(path, thrown) : thrown
  }
}

function isFull(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && /^(?:ENOSPC|EDQUOT)$/.test(`${thrown.code}`)
}

function diskFull(path: string, cause: unknown): Fault {
  return new Fault(
    'store_unavailable',
    `The disk is full (or a quota is): ${path} could not be written.`,
    'Free some space, then repeat the command; what was recorded before is intact.',
    { cause, detail: { reason: 'disk_full', path } },
  )
}
