import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Allocation,
  allocate,
  type BudgetSection,
  byScore,
  caps,
  SECTIONS,
  type SectionName,
  SHARES,
} from '../../src/domain/budget.ts'
import { type BudgetItem, tierValue } from '../../src/domain/section-fill.ts'
import { floorOf, optimum } from '../support/knapsack.ts'
import { sectionItems } from '../support/random-section.ts'

const HEADING = 4

const sections: fc.Arbitrary<readonly BudgetSection[]> = fc
  .tuple(...SECTIONS.map((name) => sectionOf(name)))
  .map((all) => all)

function sectionOf(name: SectionName): fc.Arbitrary<BudgetSection> {
  const named = (items: readonly BudgetItem[], required: number) =>
    items.map((item, at) => ({
      ...item,
      id: `${name}/${item.id}`,
      parent: item.parent === null ? null : `${name}/${item.parent}`,
      required: name === 'conventions' && item.parent === null && at < required,
    }))
  return fc
    .tuple(sectionItems(12), fc.oneof(fc.constant(0), fc.nat(3)))
    .map(([items, required]) => ({ name, headingCost: HEADING, items: named(items, required) }))
}

const budget = fc.integer({ min: 50, max: 1_200 })
const reserved = fc.integer({ min: 20, max: 60 })

describe('the shares of a budget', () => {
  test.each([
    [100, [10, 10, 20, 50, 10]],
    [737, [74, 74, 147, 368, 74]],
    // 0.9, 0.9, 1.8, 4.5, 0.9: four tokens are left for five remainders, of which .5 is the least.
    [9, [1, 1, 2, 4, 1]],
    [1, [0, 0, 0, 1, 0]],
    [0, [0, 0, 0, 0, 0]],
  ])('of %p tokens are whole, by largest remainder', (tokens, expected) => {
    expect(caps(tokens).map(({ cap }) => cap)).toEqual(expected)
  })

  test('are of what is left, where the share of Task is less than it has in any case', () => {
    const shares = caps(100, 30).map(({ names, cap }) => [names[0], cap])
    expect(Object.fromEntries(shares)).toEqual({
      ...{ task: 30, map: 8, history: 15, code: 39, conventions: 8 },
    })
    expect(caps(100, 10)).toEqual(caps(100))
    expect(caps(100, 101)).toEqual(caps(100))
  })

  test('always add up to all of it, and none is off by a token', () => {
    fc.assert(
      fc.property(fc.nat(200_000), (tokens) => {
        const all = caps(tokens)
        expect(all.reduce((sum, { cap }) => sum + cap, 0)).toBe(tokens)
        for (const [at, { cap }] of all.entries()) {
          expect(Math.abs(cap - (tokens * SHARES[at]!.share) / 100)).toBeLessThan(1)
        }
      }),
      { seed: 21, numRuns: 500 },
    )
  })

  test('are those of the contract, and cover each section once', () => {
    const shares = SHARES.map(({ sections: names, share }) => [names.join('+'), share])
    expect(Object.fromEntries(shares)).toEqual({
      ...{ map: 10, task: 10, history: 20, code: 50, 'conventions+live': 10 },
    })
  })
})

describe('an allocation', () => {
  test('is within the budget and costs what it says, unless what is required is over', () => {
    fc.assert(
      fc.property(budget, reserved, sections, (tokens, frame, all) => {
        const allocation = allocate(tokens, frame, all)
        expect(allocation.used).toBe(frame + costOf(all, allocation))
        expect(allocation.over).toBe(Math.max(0, allocation.used - tokens))
        if (allocation.over > 0) {
          const shown = all
            .flatMap(({ items }) => items)
            .filter(({ id }) => allocation.tiers.has(id))
          expect(shown.every((item) => item.required)).toBe(true)
        }
      }),
      { seed: 22, numRuns: 500 },
    )
  })

  test('has what is required at its richest, whatever the budget', () => {
    fc.assert(
      fc.property(budget, reserved, sections, (tokens, frame, all) => {
        const { tiers } = allocate(tokens, frame, all)
        for (const { id, required, costs } of all.flatMap(({ items }) => items)) {
          if (required) expect(tiers.get(id)).toBe(costs.at(-1)!.tier)
        }
      }),
      { seed: 23, numRuns: 300 },
    )
  })

  test('is the same in whatever order sections and items come', () => {
    fc.assert(
      fc.property(budget, sections, (tokens, all) => {
        const turned = all.toReversed().map((section) => ({
          ...section,
          items: section.items.toReversed(),
        }))
        const [a, b] = [allocate(tokens, 30, all), allocate(tokens, 30, turned)]
        expect(new Map([...b.tiers].sort())).toEqual(new Map([...a.tiers].sort()))
        expect(b.used).toBe(a.used)
      }),
      { seed: 24, numRuns: 300 },
    )
  })

  test('gives a section at least 95 % of the most its share can be worth', () => {
    // The oracle has that share alone, and has to hold the floor that the section holds.
    let judged = 0
    fc.assert(
      fc.property(budget, sections, (tokens, all) => {
        const free = all.map((section) => ({
          ...section,
          items: section.items.map((item) => ({ ...item, required: false })),
        }))
        const { tiers } = allocate(tokens, 30, free)
        for (const { names, cap } of caps(Math.max(0, tokens - 30))) {
          // Live work has what conventions leave: its share is not its own.
          const section = free.find(({ name }) => name === names[0])!
          const ranked = section.items.toSorted(byScore)
          const floor = floorOf(ranked, cap - HEADING)
          if (floor.size < 3 || ![...floor].every((id) => tiers.has(id))) continue
          judged++
          const most = optimum(ranked, cap - HEADING, floor)
          expect(worthOf(ranked, tiers)).toBeGreaterThanOrEqual(most * 0.95)
        }
      }),
      { seed: 25, numRuns: 300 },
    )
    expect(judged).toBeGreaterThan(500)
  })
})

describe('what a section leaves', () => {
  const item = (id: string, tokens: number, score = 20_000_000): BudgetItem => ({
    ...{ id, score, order: id, required: false, parent: null },
    costs: [{ tier: 'handle', tokens }],
  })
  const many = (name: SectionName, count: number): BudgetSection => ({
    ...{ name, headingCost: HEADING },
    items: Array.from({ length: count }, (_, at) => item(`${name}${100 + at}`, 10)),
  })
  const shownOf = ({ tiers }: Allocation, name: SectionName) =>
    [...tiers.keys()].filter((id) => id.startsWith(name)).length

  test('goes to code first', () => {
    const both = [many('history', 50), many('code', 50)]
    // Of 400, history has 80 by its share and uses 74; code has the other 326.
    const allocation = allocate(430, 30, both)
    expect(allocation.used).toBeGreaterThan(420)
    expect(shownOf(allocation, 'history')).toBe(7)
    expect(shownOf(allocation, 'code')).toBe(32)
  })

  test('goes to the next in order when code has no more: history, task, map, conventions, live', () => {
    const order = ['history', 'task', 'map', 'conventions', 'live'] as const
    const counts = (...names: SectionName[]) => {
      const allocation = allocate(430, 30, [
        many('code', 2),
        ...names.map((name) => many(name, 60)),
      ])
      return names.map((name) => shownOf(allocation, name))
    }
    for (const [at, first] of order.entries()) {
      for (const second of order.slice(at + 1)) {
        const [a = 0, b = 0] = counts(first, second)
        expect(a).toBeGreaterThan(20)
        expect(b).toBeLessThan(9)
      }
    }
  })

  test('is all used when one section has all the candidates', () => {
    for (const name of SECTIONS) {
      expect(allocate(1_000, 30, [many(name, 200)]).used).toBeGreaterThan(990)
    }
  })
})

test('equal scores are in the order of their bytes', () => {
  const of = (id: string, order: string, score = 1): BudgetItem => ({
    ...{ id, score, order, required: false, parent: null, costs: [{ tier: 'handle', tokens: 1 }] },
  })
  const items = [of('d', '😀'), of('c', '\uffff'), of('b', 'a'), of('a', 'a'), of('e', 'z', 2)]
  expect(items.sort(byScore).map(({ id }) => id)).toEqual(['e', 'a', 'b', 'c', 'd'])
})

function tokensOf({ id, costs }: BudgetItem, tiers: Allocation['tiers']): number {
  return costs.find(({ tier }) => tier === tiers.get(id))?.tokens ?? 0
}

function worthOf(items: readonly BudgetItem[], tiers: Allocation['tiers']): number {
  return items.reduce((sum, item) => {
    const level = item.costs.findIndex(({ tier }) => tier === tiers.get(item.id))
    return level < 0 ? sum : sum + tierValue(item, level)
  }, 0)
}

function costOf(all: readonly BudgetSection[], { tiers }: Allocation): number {
  let tokens = 0
  for (const { items } of all) {
    const inside = items.reduce((sum, item) => sum + tokensOf(item, tiers), 0)
    if (inside > 0) tokens += inside + HEADING
  }
  return tokens
}
