import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import {
  type BudgetItem,
  fillSection,
  type SectionFill,
  tierValue,
} from '../../src/domain/section-fill.ts'
import { floorOf, optimum, optimumByTrying } from '../support/knapsack.ts'
import { sectionItems } from '../support/random-section.ts'

setDefaultTimeout(60_000)

const HEADING = 4
const room = fc.integer({ min: 0, max: 400 })

test('the oracle finds what trying every choice finds', () => {
  fc.assert(
    fc.property(sectionItems(6), fc.integer({ min: -1, max: 160 }), (items, tokens) => {
      expect(optimum(items, tokens)).toBe(optimumByTrying(items, tokens))
      const floor = floorOf(items, tokens)
      expect(optimum(items, tokens, floor)).toBe(optimumByTrying(items, tokens, floor))
    }),
    { seed: 11, numRuns: 200 },
  )
})

describe('a section', () => {
  test('holds the first three that fit, as its floor', () => {
    fc.assert(
      fc.property(sectionItems(60), room, (items, tokens) => {
        const { tiers } = fillSection(items, HEADING, tokens + HEADING)
        for (const id of floorOf(items, tokens)) expect(tiers.has(id)).toBe(true)
        if (items.some(({ parent, costs }) => parent === null && costs[0]!.tokens <= tokens)) {
          expect(tiers.size).toBeGreaterThan(0)
        }
      }),
      { seed: 12, numRuns: 500 },
    )
  })

  test('is worth what the optimum is that has to hold that floor', () => {
    // The oracle may do anything but drop the floor or show an item without its parent.
    fc.assert(
      fc.property(sectionItems(60), room, (items, tokens) => {
        const { value } = fillSection(items, HEADING, tokens + HEADING)
        expect(value).toBe(optimum(items, tokens, floorOf(items, tokens)))
      }),
      { seed: 13, numRuns: 400 },
    )
  })

  test('is worth at least 95 % of it when it is too large to weigh each token', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 9 }), sectionItems(24), (times, drawn) => {
        const items = Array.from({ length: 40 }, () => drawn).flatMap((copy, nth) =>
          copy.map((item) => ({
            ...item,
            id: `${nth}/${item.id}`,
            parent: item.parent === null ? null : `${nth}/${item.parent}`,
          })),
        )
        items.sort((a, b) => b.score - a.score)
        const tokens = times * 800
        const { value, used } = fillSection(items, HEADING, tokens + HEADING)
        expect(used).toBeLessThanOrEqual(tokens + HEADING)
        const most = optimum(items, tokens, floorOf(items, tokens))
        expect(value).toBeGreaterThanOrEqual(most * 0.95)
      }),
      { seed: 14, numRuns: 12 },
    )
  })

  test('costs what it says, within its cap, and shows nothing without its parent', () => {
    fc.assert(
      fc.property(sectionItems(60), fc.integer({ min: -3, max: 400 }), (items, cap) => {
        const fill = fillSection(items, HEADING, cap)
        expect(fill.used).toBe(costOf(items, fill))
        expect(fill.used).toBeLessThanOrEqual(Math.max(0, cap))
        for (const { id, parent } of items) {
          if (fill.tiers.has(id) && parent !== null) expect(fill.tiers.has(parent)).toBe(true)
        }
      }),
      { seed: 15, numRuns: 500 },
    )
  })

  test('leaves no tokens that would have shown more of what it shows', () => {
    fc.assert(
      fc.property(sectionItems(40), room, (items, tokens) => {
        const { tiers, used } = fillSection(items, HEADING, tokens + HEADING)
        const left = tokens + HEADING - used
        for (const item of items) {
          const level = item.costs.findIndex(({ tier }) => tier === tiers.get(item.id))
          const next = item.costs[level + 1]
          if (level < 0 || next === undefined) continue
          expect(next.tokens - item.costs[level]!.tokens).toBeGreaterThan(left)
        }
      }),
      { seed: 16, numRuns: 300 },
    )
  })

  test('is worth no less with a larger cap, or with one more candidate that ranks last', () => {
    // Which items are shown may change with either: a cheaper pair may be worth more than one dear
    // item. What is promised is the worth, and the floor while three items make it.
    fc.assert(
      fc.property(sectionItems(40), room, fc.nat(80), (items, tokens, more) => {
        const before = fillSection(items, HEADING, tokens + HEADING)
        const floor = floorOf(items, tokens)
        const roomier = fillSection(items, HEADING, tokens + more + HEADING)
        if (same(floor, floorOf(items, tokens + more))) {
          expect(roomier.value).toBeGreaterThanOrEqual(before.value)
        }
        const last: BudgetItem = {
          ...{ id: 'last', score: 0, order: '~', required: false, parent: null },
          costs: [{ tier: 'handle', tokens: 1 + (more % 20) }],
        }
        const extended = [...items, last]
        const after = fillSection(extended, HEADING, tokens + HEADING)
        if (!same(floor, floorOf(extended, tokens))) return
        expect(after.value).toBeGreaterThanOrEqual(before.value)
        for (const id of floor) expect(after.tiers.has(id)).toBe(true)
      }),
      { seed: 17, numRuns: 500 },
    )
  })

  test('is the same in any less room that it says it holds in', () => {
    fc.assert(
      fc.property(sectionItems(40), room, fc.nat(400), (items, tokens, less) => {
        const wide = fillSection(items, HEADING, tokens + HEADING)
        const cap = Math.max(wide.holdsDownTo, tokens + HEADING - less)
        expect(wide.holdsDownTo).toBe(wide.used)
        expect(fillSection(items, HEADING, cap)).toEqual(wide)
      }),
      { seed: 18, numRuns: 500 },
    )
  })

  test('spends on breadth what the richest tier of the first would cost', () => {
    const costs = (...tokens: number[]) =>
      tokens.map((cost, level) => ({
        tier: (['handle', 'summary', 'full'] as const)[level]!,
        tokens: cost,
      }))
    const items = [40, 39, 38].map(
      (millions, at): BudgetItem => ({
        ...{ id: `i${at}`, score: millions * 1_000_000, order: `${at}`, required: false },
        ...{ parent: null, costs: costs(10, 20, 60) },
      }),
    )
    const { tiers, used } = fillSection(items, HEADING, 64)
    expect([...tiers]).toEqual([
      ['i0', 'summary'],
      ['i1', 'summary'],
      ['i2', 'summary'],
    ])
    expect(used).toBe(64)
  })
})

function costOf(items: readonly BudgetItem[], { tiers }: SectionFill): number {
  let tokens = tiers.size === 0 ? 0 : HEADING
  for (const { id, costs } of items) {
    tokens += costs.find(({ tier }) => tier === tiers.get(id))?.tokens ?? 0
  }
  return tokens
}

function same(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id))
}

test('a richer tier is worth more, and so is a better score', () => {
  const item = (score: number): BudgetItem => ({
    ...{ id: 'i', score, order: '', required: false, parent: null },
    costs: (['handle', 'summary', 'full'] as const).map((tier) => ({ tier, tokens: 1 })),
  })
  const values = [0, 1, 2].map((level) => tierValue(item(30_000_000), level))
  expect(values.toSorted((a, b) => a - b)).toEqual(values)
  expect(new Set(values).size).toBe(3)
  expect(tierValue(item(31_000_000), 0)).toBeGreaterThan(tierValue(item(30_000_000), 0))
})
