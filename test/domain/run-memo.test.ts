import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RunMemo } from '../../src/domain/run-memo.ts'

test('a run means what is made of it, wherever it stands and whatever was asked between', () => {
  const memo = new RunMemo((run) => `<${run}>`)
  const few = fc.string({ unit: fc.constantFrom('a', 'b', '\ud800', 'é'), maxLength: 4 })
  fc.assert(
    fc.property(few, fc.oneof(few, fc.string({ maxLength: 300 })), few, (before, run, after) => {
      const end = before.length + run.length
      expect(memo.of(before + run + after, before.length, end)).toBe(`<${run}>`)
    }),
    { seed: 1, numRuns: 1_000 },
  )
})

test('what is asked for again is not made again; a long one is not kept', () => {
  let made = 0
  const memo = new RunMemo(() => ++made)
  expect([memo.of('a word', 2, 6), memo.of('word', 0, 4)]).toEqual([1, 1])
  const long = 'x'.repeat(257)
  expect([memo.of(long, 0, 257), memo.of(long, 0, 257)]).toEqual([2, 3])
})
