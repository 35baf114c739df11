import { ATTESTED_LOG_BYTES_MAX } from '../domain/attestation.ts'
import { redact } from '../domain/redact.ts'
import type { CommitId } from '../domain/repo.ts'
import { assertStorable } from '../domain/text.ts'
import type { Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { viewAttestation } from './review-views.ts'
import { givenTask } from './tasks.ts'

/** Keeps a client's word that a check ran. Nothing is run here, and nothing is believed. */
export const attest: Handler<'attest'> = async ({ store }, input, caller) => {
  assertStorable('name', input.name)
  assertStorable('command', input.command)
  const repo = await findRepo(store, input.repo)
  const { id } = await findTask(store, repo.id, givenTask(input.task))
  const name = redact(input.name)
  const command = redact(input.command)
  const log = redact(printable(input.excerpt))
  const kept = await store.addAttestation(
    repo.id,
    {
      task: id,
      commit: input.commit as CommitId,
      name: name.text,
      command: command.text,
      exitCode: input.exit,
      log: endOf(log.text, ATTESTED_LOG_BYTES_MAX),
      dirty: input.dirty,
    },
    caller,
  )
  return { ...viewAttestation(kept), redacted: name.count + command.count + log.count }
}

/** A program prints what it likes; what no store takes becomes a mark. */
function printable(output: string): string {
  return output.toWellFormed().replaceAll('\0', '\ufffd')
}

/** The last `bytesMax` bytes of UTF-8 at most, from the beginning of a character on. */
function endOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  let start = Math.max(0, bytes.length - bytesMax)
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++
  return bytes.toString('utf8', start)
}
