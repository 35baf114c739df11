import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { holdsDecision } from '../../scripts/bench/bench-decisions.ts'
import { decisions } from '../../scripts/bench/decisions.ts'
import type { Commit } from '../../scripts/bench/history.ts'
import { History } from '../../scripts/bench/history.ts'
import { MadeUpHistory, moduleOf } from './made-up-history.ts'

setDefaultTimeout(120_000)

let made: MadeUpHistory

beforeAll(() => {
  made = new MadeUpHistory()
  made.write('src/cart.ts', moduleOf('cart', 1))
  made.write('src/mail.ts', moduleOf('mail', 1))
  made.commit('chore: begin with two modules')
  const change = (from: number, message: string) => {
    made.write('src/cart.ts', moduleOf('cart', from))
    made.commit(message)
  }
  change(2, `fix: count the carts from two\n\n${WHY}`)
  change(1, `Revert "fix: count the carts from two"\n\nThe shop counts from one.`)
  change(3, 'fix: let every cart count from three')
  made.write('src/mail.ts', moduleOf('mail', 2))
  made.commit('fix: let every mail count from two')
})

afterAll(() => made.remove())

const options = { tasks: 10, budget: 300, amongNotes: false, misses: 0 }

test('a later change of a definition has the newest decision on it in its pack', async () => {
  const history = await History.open(made.folder)
  const result = await decisions(history!, options)
  expect(result).toMatchObject({ records: 2, wantedPerTask: 1, misses: [] })
  expect(Object.keys(result.moments)).toEqual(['fresh', 'begun', 'checkpoint taken'])
  for (const { av } of Object.values(result.moments)) {
    // The revert undid the first change: of its definition it is the newest, and not a task itself.
    expect(av).toMatchObject({ tasks: 1, wanted: { share: 1 }, newest: { share: 1 } })
    expect(av).toMatchObject({ any: { share: 1 }, all: { share: 1 }, shown: 2 })
  }
})

test('other commits compete as notes, and are nothing that is looked for', async () => {
  const history = await History.open(made.folder)
  const { records, moments } = await decisions(history!, { ...options, amongNotes: true })
  expect(records).toBe(5)
  expect(moments.fresh!.av).toMatchObject({ tasks: 1, wanted: { share: 1 } })
})

test('a pack without room lacks what is looked for, and says what it had', async () => {
  const history = await History.open(made.folder)
  const { moments, misses } = await decisions(history!, { ...options, budget: 40, misses: 9 })
  expect(moments.fresh!.av).toMatchObject({ wanted: { share: 0 }, any: { share: 0 }, shown: 0 })
  expect(misses).toHaveLength(3)
  expect(misses[0]!.changed).toEqual(['src/cart.ts: count_cart'])
  expect(misses[0]!.lacking).toEqual([
    expect.stringMatching(/^r:[0-9a-f]{8} Revert .* \[src\/cart\.ts:count_cart\]$/),
  ])
})

describe('a commit holds a decision', () => {
  const commit = (message: string, ...paths: string[]): Commit => ({
    ...{ id: 'a', parents: [], time: 0, subject: message.split('\n')[0]!, message },
    files: paths.map((path) => ({ status: 'M', path })),
  })

  test('when its body says why', () => {
    expect(holdsDecision(commit(`fix: count from two\n\n${WHY}`))).toBe(true)
    expect(holdsDecision(commit('fix: count from two because one is wrong'))).toBe(false)
    expect(
      holdsDecision(commit('fix: count\n\n* avoid one\n* because of the carts that need it')),
    ).toBe(false)
  })

  test('when it takes something back, or writes a decision document', () => {
    expect(holdsDecision(commit('Revert "fix: count from two"'))).toBe(true)
    expect(holdsDecision(commit('docs: why two', 'docs/adr/0002-two.md'))).toBe(true)
    expect(holdsDecision(commit('docs: why two', 'docs/guide.md'))).toBe(false)
  })
})

const WHY = 'Carts are counted from two, because the first one always belongs to the shop itself.'
