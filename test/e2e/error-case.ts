import { expect } from 'bun:test'
import { FAULTS, type FaultCode } from '../../src/domain/fault.ts'
import { ADA, Machine, makeRepo, type RunOptions } from '../support/machine.ts'
import { SHOP } from './shop.ts'

/** A shop that av was set up for, with one task of Ada's: where most errors are met. */
export type Bench = {
  readonly machine: Machine
  readonly root: string
  readonly task: string
  readonly workspace: string
}

/** A command that must be refused, and the machine it is typed on. */
export type Attempt = {
  readonly machine: Machine
  readonly words: readonly string[]
  readonly options?: RunOptions
  /** Ids that were acknowledged before, newest first. */
  readonly kept?: readonly string[]
}

/** What was provoked and made for it is disposed of after the case. */
export type Provoke = (bench: Bench, made: AsyncDisposableStack) => Promise<Attempt>

export type Case = {
  /** Why it cannot be brought about here, or null. */
  readonly missing?: () => string | null
} & (
  | {
      readonly is: 'refused'
      readonly code: FaultCode
      /** What the message names: the expected and the found. */
      readonly says: readonly (string | RegExp)[]
      /** The next safe step. */
      readonly next: string | RegExp
      readonly provoke: Provoke
      /** What holds afterwards, beyond that nothing was lost. */
      readonly after?: (bench: Bench, attempt: Attempt) => Promise<void>
    }
  | {
      /** It stops nobody. */
      readonly is: 'survived'
      readonly prove: (bench: Bench, made: AsyncDisposableStack) => Promise<void>
    }
)

export type Cases = Readonly<Record<string, Case>>

export async function setUpBench(made: AsyncDisposableStack): Promise<Bench> {
  const machine = made.use(new Machine())
  const root = makeRepo(machine.box, 'plain', SHOP)
  await machine.data('init', [], { cwd: root })
  const { id, workspace } = await machine.data('task.start', ['Refresh sessions'], {
    ...{ cwd: root, as: ADA },
  })
  const bench = { machine, root, task: id, workspace: workspace ?? '' }
  await machine.data('record', ['decision', 'Refresh 30 s early'], {
    cwd: bench.workspace,
    as: ADA,
  })
  return bench
}

/** Everything that was acknowledged: records, tasks, rules. */
export async function factsOf(machine: Machine, cwd: string): Promise<string> {
  const [records, tasks, rules] = await Promise.all([
    machine.data('log', ['--all'], { cwd }),
    machine.data('task.list', ['--all'], { cwd }),
    machine.data('convention.list', ['--all'], { cwd }),
  ])
  // A lease that was prolonged, and the instant of it, are no facts of the log.
  const lasting = tasks.items.map(({ leaseExpiresAt: _, updatedAt: __, ...task }) => task)
  return JSON.stringify([records.items, lasting, rules.items], null, 1)
}

/** Refused as JSON and in words alike, with the right code, naming what it should, and a way on. */
export async function expectRefusal(
  { code, says, next }: Extract<Case, { readonly is: 'refused' }>,
  { machine, words, options }: Attempt,
): Promise<void> {
  const refused = await machine.refusal(words, options)
  expect(refused).toMatchObject({ code, exit: FAULTS[code].exit })
  for (const part of says) expect(refused.message).toMatch(part)
  expect(refused.remediation).toMatch(next)
  expect(refused.remediation).not.toMatch(DESTRUCTIVE)
  expect(refused.message).not.toMatch(DESTRUCTIVE)
  const { code: exit, out, err } = await machine.run(words, options)
  expect([exit, out]).toEqual([refused.exit, ''])
  expect(err).toMatch(/^(?:Warning: .*\n)*Error: .+\nHint: .+\n$/)
  expect(err).toEndWith(`Hint: ${refused.remediation}\n`)
}

/** Commands that agents must not find ready to be pasted. */
const DESTRUCTIVE =
  /\brm\s+-|\bgit\s+(?:reset|clean|checkout|restore|push|gc|branch\s+-D)\b|--yes\b|--force\b|\bdrop\s+(?:table|database|schema|owned)\b|\bav\s+(?:abandon|forget|purge|restore|uninstall)\b|\bkill\s+-|\bpkill\b|\btruncate\b/i
