import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BudgetItem, fillSection } from '../../src/domain/section-fill.ts'

function item(id: string, score: number, tokens: readonly number[]): BudgetItem {
  const tiers = ['handle', 'summary', 'full'] as const
  return {
    ...{ id, score, order: id, required: false, parent: null },
    costs: tokens.map((cost, level) => ({ tier: tiers[level]!, tokens: cost })),
  }
}

const drawn = fc
  .tuple(
    fc.integer({ min: 200_000, max: 40_000_000 }),
    fc.integer({ min: 3, max: 20 }),
    fc.integer({ min: 1, max: 25 }),
  )
  .map(([score, handle, more]) => ({ score, tokens: [handle, handle + more] }))

test('an item of the lowest score that is not cheaper removes none that was shown', () => {
  fc.assert(
    fc.property(
      fc.array(drawn, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 10, max: 300 }),
      fc.nat(10),
      (all, cap, dearer) => {
        const items = all.map(({ score, tokens }, at) => item(`i${at}`, score, tokens))
        items.sort((a, b) => b.score - a.score || (a.order < b.order ? -1 : 1))
        const handle = Math.max(...items.map(({ costs }) => costs[0]!.tokens)) + dearer
        const lowest = item('z', 100_000, [handle])
        const before = [...fillSection(items, 0, cap).tiers.keys()]
        const after = new Set(fillSection([...items, lowest], 0, cap).tiers.keys())
        // With fewer items than the floor holds, the floor itself lets the new one in.
        if (items.length < 3) return
        for (const id of before) expect(after).toContain(id)
      },
    ),
    { seed: 21, numRuns: 1_500 },
  )
})

// Nothing can do both: within 95 % of the optimum, and never give up a dear item for cheap ones.
test('one that is cheaper may, where that is worth more', () => {
  const floor = ['a', 'b', 'c'].map((id) => item(id, 40_000_000, [1]))
  const dear = item('dear', 20_000_000, [100])
  const cheap = ['x', 'y'].map((id) => item(id, 19_000_000, [50]))
  const shown = (items: readonly BudgetItem[]) => [...fillSection(items, 0, 103).tiers.keys()]
  expect(shown([...floor, dear])).toContain('dear')
  expect(shown([...floor, dear, cheap[0]!])).toContain('dear')
  expect(shown([...floor, dear, ...cheap])).toEqual(['a', 'b', 'c', 'x', 'y'])
})
