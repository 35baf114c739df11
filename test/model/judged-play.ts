import { Fault } from '../../src/domain/fault.ts'
import type { Reference } from './reference.ts'
import type { Expected } from './reference-task.ts'
import type { Answer, LocalStep, Program, Request } from './request.ts'
import type { Stage } from './stage.ts'

/** What the store did and no reading of the rules allows. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** A command under way: what it asks for next. */
export type Run = {
  readonly title: string
  readonly program: Program<unknown>
  /** The daemon its client talks to. */
  readonly daemon: number
  next: Request | LocalStep
  /** Whether it was granted the slot and has not given it back. */
  isHolding: boolean
  /** What it came to its end with, where that was no success. */
  failure: Fault | null
}

/** An answer that was given and found right. */
export type Acknowledged = { readonly request: Request; readonly output: Expected }

/** Sends what clients ask for, and holds each answer against the reference. */
export class JudgedPlay {
  readonly acknowledged: Acknowledged[] = []
  readonly told: string[] = []
  /** More than one where requests were made at once, and either order explains their answers. */
  private references: readonly Reference[]

  constructor(
    private readonly stage: Stage,
    private readonly repo: string,
    reference: Reference,
  ) {
    this.references = [reference]
  }

  /** One reading of what happened. */
  get facts(): Reference['facts'] {
    return this.references[0]!.facts
  }

  passTime(secs: number): void {
    for (const { facts } of this.references) facts.now += secs
  }

  /** The command up to its first request; null when it asks for nothing. */
  begin(title: string, program: Program<unknown>, daemon: number): Run | null {
    const first = program.next({ output: undefined })
    this.told.push(`begins: ${title}`)
    return first.done === true
      ? null
      : { title, program, daemon, next: first.value, isHolding: false, failure: null }
  }

  /** One thing that it asks for; false when it came to its end. */
  async step(run: Run): Promise<boolean> {
    return (await this.together([run]))[0] ?? false
  }

  /** One thing each, at the same time. */
  async together(runs: readonly Run[]): Promise<readonly boolean[]> {
    const requests = runs.map(({ next }) => next)
    const asked = requests.filter((next): next is Request => next.name !== 'local')
    const answers = await Promise.all(
      runs.flatMap(({ next, daemon }) =>
        next.name === 'local' ? [] : [this.stage.ask(daemon, this.repo, next)],
      ),
    )
    this.tell(runs, asked, answers)
    this.references = explain(this.references, asked, answers, this.stage.size > 1)
    asked.forEach((request, index) => {
      const answer = answers[index]
      if (answer?.kind === 'ok') this.acknowledged.push({ request, output: answer.output })
    })
    let taken = 0
    return runs.map((run) =>
      resume(run, run.next.name === 'local' ? null : (answers[taken++] ?? null)),
    )
  }

  private tell(runs: readonly Run[], asked: readonly Request[], answers: readonly Answer[]): void {
    for (const { title, next } of runs) {
      if (next.name === 'local') this.told.push(`  ${title}: ${next.what}`)
    }
    asked.forEach(({ name, input, by }, index) => {
      const answer = answers[index]
      const got = answer?.kind === 'ok' ? `ok ${brief(answer.output)}` : answer?.what
      const who = `${by.actor}/${by.session}@${by.generation}`
      this.told.push(`  ${who} ${name} ${brief(input)} -> ${got}`)
    })
  }
}

function resume(run: Run, answer: Answer | null): boolean {
  if (answer?.kind === 'ok' && run.next.name === 'slot.take') run.isHolding = true
  if (run.next.name === 'slot.free') run.isHolding = false
  try {
    const result =
      answer?.kind === 'fault'
        ? run.program.throw(answer.thrown)
        : run.program.next({ output: answer?.output })
    if (result.done === true) return false
    run.next = result.value
    return true
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    run.failure = thrown
    return false
  }
}

/**
 * The references after these answers: in one order or another of what was asked at the same time, each must be the
 * right one.
 * @throws Violation when no order explains them
 */
function explain(
  before: readonly Reference[],
  asked: readonly Request[],
  answers: readonly Answer[],
  isShared: boolean,
): readonly Reference[] {
  const isAlone = asked.length <= 1 && before.length === 1
  const found = new Map<string, Reference>()
  let why = ''
  for (const reference of before) {
    for (const order of ordersOf(asked.length)) {
      const after = isAlone ? reference : reference.copy()
      const wrong = order
        .map((index) => mismatch(after, asked[index]!, answers[index]!, asked.length > 1, isShared))
        .find((each) => each !== null)
      if (wrong !== undefined) why ||= wrong
      else found.set(isAlone ? '' : after.fingerprint(), after)
    }
  }
  if (found.size === 0) throw new Violation(why)
  return [...found.values()]
}

/** Of what others do at the very same moment a client may be told, without a change. */
const AT_ONCE = new Set([
  'conflict contention',
  'conflict slot_taken',
  'conflict head_moved',
  'conflict landing',
  'conflict approval_changed',
])

function mismatch(
  reference: Reference,
  request: Request,
  answer: Answer,
  isAtOnce: boolean,
  isShared: boolean,
): string | null {
  if (isAtOnce && answer.kind === 'fault' && AT_ONCE.has(answer.what)) return null
  // A slot that was taken and given back at once leaves a number out.
  if (isShared && request.name === 'slot.take' && answer.kind === 'ok') {
    const number = Number(answer.output.slot)
    reference.facts.slot = Math.max(reference.facts.slot, number - 1)
  }
  const expected = reference.judge(request)
  const asked = `${request.name} by ${request.by.actor}`
  if (typeof expected === 'string') {
    if (answer.kind === 'fault' && answer.what === expected) return null
    return `${asked} was to be refused with ${expected}, and was: ${said(answer)}`
  }
  if (answer.kind === 'fault') return `${asked} was to be done, and was: ${said(answer)}`
  for (const [path, value] of Object.entries(expected)) {
    if (value === undefined) continue
    const found = at(answer.output, path)
    if (found !== value) return `${asked} was to tell ${path} ${value}, and told ${found}`
  }
  return null
}

function at(output: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, key) => (value as Record<string, unknown> | null)?.[key], output)
}

function said(answer: Answer): string {
  return answer.kind === 'ok' ? 'done' : `${answer.what} (${answer.thrown.message})`
}

function brief(value: object): string {
  return JSON.stringify(value, (key, field: unknown) =>
    DULL.has(key)
      ? undefined
      : typeof field === 'string' && field.length > 24
        ? field.slice(0, 8)
        : field,
  )
}

const DULL = new Set(
  'repo anchors supersedes allowMissing workspaceTask incomplete symbols files at message author task.view createdAt updatedAt leaseExpiresAt workspace flags parent goal clone remote uncovered bundle redacted change offeredTo kind.view'.split(
    ' ',
  ),
)

function ordersOf(size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]]
  return ordersOf(size - 1).flatMap((order) =>
    Array.from({ length: size }, (_, place) => [
      ...order.slice(0, place),
      size - 1,
      ...order.slice(place),
    ]),
  )
}
