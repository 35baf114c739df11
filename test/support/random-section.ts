import fc from 'fast-check'
import { type BudgetItem, TIERS } from '../../src/domain/section-fill.ts'

/** Items of a section, best first: fused scores, one to three tiers, some under an earlier one. */
export function sectionItems(max: number): fc.Arbitrary<readonly BudgetItem[]> {
  const item = fc.record({
    score: fc.oneof(fc.integer({ min: 1_000_000, max: 40_000_000 }), fc.constant(0)),
    handle: fc.integer({ min: 3, max: 30 }),
    more: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 2 }),
    under: fc.option(fc.nat(max), { freq: 2 }),
  })
  return fc.array(item, { maxLength: max }).map((drawn) => {
    const ranked = drawn.toSorted((a, b) => b.score - a.score)
    return ranked.map(({ score, handle, more, under }, at): BudgetItem => {
      let tokens = handle
      const richer = more.map((extra) => (tokens += extra))
      const parent = under === null || at === 0 ? null : `i${under % at}`
      return {
        ...{ id: `i${at}`, score, order: String(at).padStart(6, '0'), required: false, parent },
        costs: [handle, ...richer].map((cost, level) => ({ tier: TIERS[level]!, tokens: cost })),
      }
    })
  })
}
