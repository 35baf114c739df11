import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type BudgetItem, fillSection, TIERS, tierRank } from '../../src/domain/section-fill.ts'
import { floorOf, optimum, optimumByTrying } from '../support/knapsack.ts'
import { sectionItems } from '../support/random-section.ts'

setDefaultTimeout(60_000)

const HEADING = 4
const room = fc.integer({ min: 0, max: 400 })

/** Items of which the reader has some, at one tier or another. */
const partlySent = (max: number): fc.Arbitrary<readonly BudgetItem[]> =>
  fc
    .tuple(sectionItems(max), fc.array(fc.option(fc.constantFrom(...TIERS)), { minLength: max }))
    .map(([items, sent]) =>
      items.map((item, at) => {
        const tier = sent[at] ?? null
        return tier === null ? item : { ...item, sent: tier }
      }),
    )

describe('a section of which the reader has some', () => {
  test('is worth the most that the reader does not have', () => {
    fc.assert(
      fc.property(partlySent(60), room, (items, tokens) => {
        const { value } = fillSection(items, HEADING, tokens + HEADING)
        expect(value).toBe(optimum(items, tokens, floorOf(items, tokens)))
      }),
      { seed: 71, numRuns: 400 },
    )
    fc.assert(
      fc.property(partlySent(6), fc.integer({ min: 0, max: 160 }), (items, tokens) => {
        const floor = floorOf(items, tokens)
        expect(optimum(items, tokens, floor)).toBe(optimumByTrying(items, tokens, floor))
      }),
      { seed: 72, numRuns: 200 },
    )
  })

  test('shows what the reader has only more richly, or above what it lacks', () => {
    fc.assert(
      fc.property(partlySent(60), room, (items, tokens) => {
        const { tiers } = fillSection(items, HEADING, tokens + HEADING)
        for (const { id, sent } of items) {
          const tier = tiers.get(id)
          if (tier === undefined || sent === undefined || tierRank(tier) > tierRank(sent)) continue
          expect(tier).toBe('handle')
          expect(items.some(({ id: other, parent }) => parent === id && tiers.has(other))).toBe(
            true,
          )
        }
      }),
      { seed: 73, numRuns: 500 },
    )
  })

  test('costs what it says, within its cap, and shows nothing without its parent', () => {
    fc.assert(
      fc.property(partlySent(60), fc.integer({ min: -3, max: 400 }), (items, cap) => {
        const { tiers, used } = fillSection(items, HEADING, cap)
        const costs = items.map(
          (item) => item.costs.find(({ tier }) => tier === tiers.get(item.id))?.tokens ?? 0,
        )
        const sum = costs.reduce((total, cost) => total + cost, 0)
        expect(used).toBe(tiers.size === 0 ? 0 : sum + HEADING)
        expect(used).toBeLessThanOrEqual(Math.max(0, cap))
        for (const { id, parent } of items) {
          if (tiers.has(id) && parent !== null) expect(tiers.has(parent)).toBe(true)
        }
      }),
      { seed: 74, numRuns: 500 },
    )
  })

  test('is empty, its heading too, when the reader has all of it', () => {
    fc.assert(
      fc.property(sectionItems(40), room, (items, cap) => {
        const all = items.map((item): BudgetItem => ({ ...item, sent: 'full' }))
        const { tiers, used, value } = fillSection(all, HEADING, cap)
        expect({ tiers, used, value }).toEqual({ tiers: new Map(), used: 0, value: 0 })
      }),
      { seed: 75, numRuns: 100 },
    )
  })
})
