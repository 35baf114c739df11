import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareBuilds } from '../../src/api/version.ts'
import { callerHeaders, readBody, readCaller, refusalOf } from '../../src/api/wire.ts'
import { ACTOR_KINDS, type Caller } from '../../src/domain/actor.ts'
import { FAULTS, Fault, type FaultCode } from '../../src/domain/fault.ts'

const line = (charsMax: number) =>
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: charsMax })
    .filter((text) => text.length <= charsMax && !/\p{Cc}/u.test(text))

const callers: fc.Arbitrary<Caller> = fc.record({
  actor: line(64),
  kind: fc.constantFrom(...ACTOR_KINDS),
  session: fc.option(line(200)),
  generation: fc.option(fc.nat(999_999_999)),
})

test('a caller arrives as it was sent, whatever it is called', () => {
  fc.assert(
    fc.property(callers, (caller) => {
      const request = new Request('http://av/', { headers: callerHeaders(caller) })
      expect(readCaller(request.headers)).toEqual(caller)
    }),
    { seed: 1, numRuns: 300 },
  )
})

describe('a fault', () => {
  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    test(`${code} arrives as it was thrown`, () => {
      const fault = new Fault(code, 'Expected this.', 'Do that.', { detail: { reason: 'why' } })
      const body: unknown = JSON.parse(JSON.stringify(refusalOf(fault)))
      expect(() => readBody(body)).toThrow(
        expect.objectContaining({
          code,
          message: 'Expected this.',
          remediation: 'Do that.',
          detail: { reason: 'why' },
        }),
      )
    })
  }

  for (const body of [undefined, null, [], 'ok', {}, { ok: 'true', data: 1 }, { error: {} }]) {
    test(`is what a body like ${JSON.stringify(body)} becomes`, () => {
      expect(() => readBody(body)).toThrow(expect.objectContaining({ code: 'internal' }))
    })
  }

  test('of a code that came later is told as a defect, not guessed', () => {
    const error = { code: 'brand_new', message: 'm', remediation: 'r', detail: {} }
    expect(() => readBody({ ok: false, error })).toThrow(
      expect.objectContaining({ code: 'internal' }),
    )
  })
})

describe('of two builds', () => {
  const built = (id: string, writtenAtMs = 0) => ({ id, writtenAtMs, program: '/opt/av' })

  test('the higher version is the newer one, then the later file; a tie makes neither newer', () => {
    expect(compareBuilds(built('0.10.0+a'), built('0.9.0+b', 9))).toBeGreaterThan(0)
    expect(compareBuilds(built('1.0.0-rc.1+a', 9), built('1.0.0+b'))).toBeLessThan(0)
    expect(compareBuilds(built('1.0.0+a', 2), built('1.0.0+b', 1))).toBeGreaterThan(0)
    expect(compareBuilds(built('1.0.0+a', 1), built('1.0.0+a', 2))).toBe(0)
    expect(compareBuilds(built('1.0.0+a'), built('1.0.0+b'))).toBeLessThan(0)
    expect(compareBuilds(built('1.0.0+b'), built('1.0.0+a'))).toBeLessThan(0)
  })
})
