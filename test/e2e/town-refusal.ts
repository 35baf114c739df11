import { expect } from 'bun:test'
import { FAULTS, type FaultCode } from '../../src/domain/fault.ts'
import type { Refused, RunOptions } from '../support/machine.ts'
import type { Town } from './town.ts'

export type Expected = {
  readonly code: FaultCode
  readonly reason: string
  readonly says: string | RegExp
  /** The next safe step. */
  readonly next: string
  /** It takes the merge slot before it is refused, and gives it back: the number of that is used up. */
  readonly takesSlot?: boolean
}

/** Refused with code, message and a way on; the store, trunk and Mei's checkout are as before. */
export async function expectRefused(
  town: Town,
  words: readonly string[],
  options: RunOptions,
  expected: Expected,
): Promise<Refused> {
  const { code, reason, says, next, takesSlot = false } = expected
  const before = await everything(town, takesSlot)
  const refused = await town.machine.refusal(words, options)
  expect(refused).toMatchObject({ code, exit: FAULTS[code].exit, detail: { reason } })
  expect(refused.message).toMatch(says)
  expect(refused.remediation).toMatch(next)
  expect(await everything(town, takesSlot)).toEqual(before)
  return refused
}

async function everything(town: Town, butSlot: boolean) {
  const { repo, ...others } = await town.rows()
  town.expectCheckoutClean()
  const refs = town.git('for-each-ref')
  return butSlot ? { others, refs } : { others, refs, repo }
}

/** A file with one definition of that name. */
export const source = (name: string) => `export function ${name}(): number {\n  return 1\n}\n`
