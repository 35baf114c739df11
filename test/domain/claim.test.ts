import { describe, expect, test } from 'bun:test'
import { judgeClaim } from '../../src/domain/claim.ts'
import { Fault } from '../../src/domain/fault.ts'
import type { Instant } from '../../src/domain/repo.ts'
import { TASK_KINDS, TASK_STATES, type Task, type TaskId } from '../../src/domain/task.ts'

const until = '2026-11-30T20:00:00.000Z' as Instant

const held = {
  id: 'fix-login-abcd' as TaskId,
  kind: 'work',
  state: 'open',
  owner: 'ada',
  ownerSession: 's-ada',
  generation: 3,
  leaseExpiresAt: until,
} as Task

const ada = { actor: 'ada', kind: 'agent', session: 's-ada', generation: 3 } as const
const CALLERS = {
  owner: ada,
  'another session': { ...ada, session: 's-2' },
  'no session': { ...ada, session: null },
  'an older generation': { ...ada, generation: 2 },
  'no generation': { ...ada, generation: null },
  'somebody else': { ...ada, actor: 'bob', generation: null },
} as const

function outcome(task: Task, who: keyof typeof CALLERS, isLapsed: boolean): string {
  try {
    return judgeClaim(task, CALLERS[who], isLapsed)
  } catch (thrown) {
    if (thrown instanceof Fault) return String(thrown.detail.reason)
    throw thrown
  }
}

describe('a claim', () => {
  test.each([
    ['open', false, 'renewal', 'grant', 'grant', 'grant', 'grant', 'lease_running'],
    ['open', true, 'renewal', 'grant', 'grant', 'grant', 'grant', 'grant'],
    ['handed_off', false, 'grant', 'grant', 'grant', 'grant', 'grant', 'grant'],
    ['handed_off', true, 'grant', 'grant', 'grant', 'grant', 'grant', 'grant'],
    ['conflicted', true, 'renewal', 'grant', 'grant', 'grant', 'grant', 'grant'],
    ['in_review', true, 'state', 'state', 'state', 'state', 'state', 'state'],
    ['merged', true, 'state', 'state', 'state', 'state', 'state', 'state'],
  ] as const)('of a task that is %s, lapsed: %p', (state, isLapsed, ...expected) => {
    const whos = Object.keys(CALLERS) as (keyof typeof CALLERS)[]
    expect<unknown>(whos.map((who) => outcome({ ...held, state }, who, isLapsed))).toEqual(expected)
  })

  test('of a conflicted task whose lease runs is its holder’s alone', () => {
    const whos = Object.keys(CALLERS) as (keyof typeof CALLERS)[]
    const outcomes = whos.map((who) => outcome({ ...held, state: 'conflicted' }, who, false))
    expect(outcomes).toEqual(['renewal', ...whos.slice(1).map(() => 'lease_running')])
  })

  test('of what nobody owns is granted in every state and kind that the table has', () => {
    const unowned = { ...held, owner: null, ownerSession: null, generation: 0 }
    const granted = TASK_STATES.flatMap((state) =>
      TASK_KINDS.filter(
        (kind) => outcome({ ...unowned, state, kind }, 'somebody else', false) === 'grant',
      ).map((kind) => `${state} ${kind}`),
    )
    expect(granted).toEqual(
      ['open work', 'open question', 'open chat'].concat(
        ['handed_off work', 'handed_off question', 'handed_off chat'],
        ['conflicted work'],
      ),
    )
  })

  test('that is refused says whose the task is, and until when', () => {
    const refusal = () => judgeClaim(held, CALLERS['somebody else'], false)
    expect(refusal).toThrow(until)
    try {
      refusal()
    } catch (thrown) {
      expect((thrown as Fault).detail).toEqual({ reason: 'lease_running', owner: 'ada', until })
    }
  })
})
