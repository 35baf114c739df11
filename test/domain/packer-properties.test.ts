import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { buildPack, type PackInput } from '../../src/domain/pack.ts'
import type { Pack } from '../../src/domain/pack-finish.ts'
import { HEADINGS } from '../../src/domain/pack-text.ts'
import {
  candidates,
  convention,
  files,
  packInput,
  readPack,
  symbols,
} from '../support/pack-input.ts'
import { type PackSizes, packSizes, randomPack, shuffled } from '../support/random-pack.ts'
import { countTokens } from '../support/token-count.ts'

setDefaultTimeout(120_000)

const ORDER = ['task', 'map', 'history', 'code', 'conventions', 'live']
const TIERS = ['handle', 'summary', 'full']

const build = (input: PackInput): Pack => buildPack(input, countTokens)

function always(runs: number, holds: (input: PackInput, pack: Pack, sizes: PackSizes) => void) {
  const property = fc.property(packSizes, (sizes) => {
    const input = randomPack(sizes)
    holds(input, build(input), sizes)
  })
  fc.assert(property, { seed: 7, numRuns: runs })
}

describe('any pack', () => {
  test('is within its budget, or holds its required conventions alone and says how far it is over', () => {
    let packsOver = 0
    always(150, (input, pack) => {
      expect(pack.tokens).toBe(countTokens(pack.text))
      const { last, sections } = readPack(pack.text)
      if (pack.tokens <= input.budget) {
        expect(last ?? '').not.toStartWith('over budget')
        return
      }
      packsOver++
      const required = input.conventions.filter((rule) => rule.required)
      expect(pack.items.map(({ id }) => id).sort()).toEqual(required.map(({ id }) => id).sort())
      expect(sections.map(({ name }) => name)).toEqual(['conventions'])
      const over = pack.tokens - input.budget
      expect(last).toStartWith(`over budget: ${over} tokens more than ${input.budget}`)
    })
    expect(packsOver).toBeGreaterThan(3)
  })

  test('holds every required convention in full', () => {
    always(60, (input, pack) => {
      const tierOf = new Map(pack.items.map(({ id, tier }) => [id, tier]))
      for (const { id, required } of input.conventions) {
        if (!required) continue
        const { costs } = pack.manifest.items.find((item) => item.id === id)!
        const richest = TIERS.findLast((tier) => tier in costs)
        expect(tierOf.get(id)).toBe(richest as (typeof pack.items)[number]['tier'])
      }
    })
  })

  test('is the same to the byte whatever the order of its sets', () => {
    always(80, (input, pack, { seed }) => {
      const other = build(shuffled(input, seed + 1))
      expect(other.text).toBe(pack.text)
      expect(other.manifest).toEqual(pack.manifest)
    })
  })

  test('has its sections in order, each once and none empty', () => {
    always(60, (_, pack) => {
      const { head, sections } = readPack(pack.text)
      const names = sections.map(({ name }) => name)
      expect(names).toEqual(ORDER.filter((name) => names.includes(name)))
      for (const { lines } of sections) expect(lines.length).toBeGreaterThan(0)
      expect(head[0]).toStartWith('# av pack')
      expect(head[1]).toBe(`receipt: ${pack.receipt}`)
      expect(head.slice(2)).toEqual(pack.degraded.map((what) => `degraded: ${what}`))
      const shown = new Set<string>(pack.items.map(({ section }) => section))
      expect(new Set(names)).toEqual(shown)
    })
  })

  test('costs what its blocks cost, one by one', () => {
    always(60, (_, pack) => {
      const { head, last } = readPack(pack.text)
      const frame = [...head, ...(last === null ? [] : [last])]
      let sum = frame.reduce((total, line) => total + countTokens(`${line}\n`), 0)
      const open = new Set(pack.items.map(({ section }) => section))
      for (const name of open) sum += countTokens(HEADINGS[name])
      for (const { tier, costs } of pack.manifest.items) sum += tier === null ? 0 : costs[tier]!
      expect(sum).toBe(pack.tokens)
    })
  })

  test('holds what came first where it says so: parents before and with what stands under them', () => {
    always(60, (_, pack) => {
      const tierOf = new Map(pack.manifest.items.map(({ id, tier }) => [id, tier]))
      for (const { tier, parent } of pack.manifest.items) {
        if (tier !== null && parent !== undefined) expect(tierOf.get(parent)).not.toBeNull()
      }
    })
  })

  test('shows or counts as left out whatever was weighed', () => {
    always(60, (_, pack) => {
      const { items, unweighed } = pack.manifest
      const passed = Object.values(unweighed).reduce((sum, count) => sum + count, 0)
      const candidates = items.filter(({ kind }) => kind !== 'group').length + passed
      expect(pack.items.length + pack.omitted).toBe(candidates)
      const { last } = readPack(pack.text)
      const says = /^left out: (.*) \(/.exec(last ?? '')
      if (says === null) return
      const counted = says[1]!.match(/\d+/g)!.reduce((sum, count) => sum + Number(count), 0)
      expect(counted).toBe(pack.omitted)
    })
  })
})

test('a pack of little is within its budget too, and never without a reason', () => {
  const few = fc.nat(2)
  const sizes = packSizes.chain((all) =>
    fc.record({
      ...{ seed: fc.nat(1_000_000), budget: fc.integer({ min: 50, max: 250 }), files: few },
      ...{ symbols: few, records: few, rules: few, live: few, folders: few },
      ...{ required: fc.constant(0), degraded: fc.constant(all.degraded) },
    }),
  )
  fc.assert(
    fc.property(sizes, (all) => {
      const { text, tokens, items } = build(randomPack(all))
      expect(tokens).toBeLessThanOrEqual(all.budget)
      const { last } = readPack(text)
      if (items.every(({ section }) => section === 'task')) expect(last).toStartWith('nothing ')
      else expect(last ?? 'left out').toStartWith('left out')
    }),
    { seed: 8, numRuns: 2_000 },
  )
})

test('the goal is the first thing a pack has room for', () => {
  let packsTight = 0
  const sizes = packSizes.chain((all) =>
    fc.record({
      ...{ seed: fc.nat(1_000_000), budget: fc.integer({ min: 40, max: 400 }) },
      ...{ files: fc.nat(40), symbols: fc.nat(60), records: fc.nat(20), rules: fc.nat(4) },
      ...{ live: fc.nat(4), folders: fc.nat(6) },
      ...{ required: fc.constant(all.required % 2), degraded: fc.constant(all.degraded) },
    }),
  )
  fc.assert(
    fc.property(sizes, (all) => {
      const { manifest } = build(randomPack(all))
      const { items, headings, reserved } = manifest
      const goal = items.find(({ kind }) => kind === 'goal')!
      let fixed = reserved
      for (const { required, costs } of items) {
        if (required) fixed += headings.conventions + Math.max(...Object.values(costs))
      }
      const fits = fixed + headings.task + goal.costs.handle! <= all.budget
      expect(goal.tier !== null).toBe(fits)
      if (fits && (all.budget - fixed) * 0.1 < headings.task + goal.costs.handle!) packsTight++
    }),
    { seed: 9, numRuns: 1_500 },
  )
  expect(packsTight).toBeGreaterThan(300)
})

describe('a larger budget', () => {
  test('never loses a required convention', () => {
    always(60, (input, pack, { seed }) => {
      const roomier = build({ ...input, budget: input.budget + 1 + (seed % 700) })
      const ids = new Set(roomier.items.map(({ id }) => id))
      for (const { id, required } of input.conventions) if (required) expect(ids).toContain(id)
      // Nor what was the only reason for being over: it is within as soon as it can be.
      if (pack.tokens <= input.budget) expect(roomier.tokens).toBeLessThanOrEqual(roomier.budget)
    })
  })

  test('is used: what other sections leave goes to the one that has candidates', () => {
    const paths = Array.from({ length: 300 }, (_, at) => `src/part-${at % 30}/module-${at}.ts`)
    const named = paths.map((path, at) => ({ path, name: `handleRequest${at}` }))
    for (const budget of [200, 400, 800, 1_600]) {
      const found = candidates({ files: files(paths), symbols: symbols(named) })
      const pack = build(packInput({ budget, candidates: found }))
      expect(pack.tokens).toBeGreaterThan(budget * 0.9)
      expect(readPack(pack.text).sections.map(({ name }) => name)).toEqual(['task', 'code'])
    }
  })
})

describe('required conventions larger than the budget', () => {
  const rules = ['one', 'two'].map((id) =>
    convention(id, { required: true, text: `Rule ${id} says a good deal. `.repeat(12) }),
  )

  test('are in, alone, and the last line says how far the pack is over', () => {
    const input = packInput({ budget: 60, conventions: rules, candidates: candidates() })
    const pack = build({ ...input, candidates: candidates({ files: files(['src/a.ts']) }) })
    const bare = pack.text.replace(/over budget: .*\n$/, '')
    expect(pack.text).toBe(
      `${bare}over budget: ${pack.tokens - 60} tokens more than 60, for required conventions\n`,
    )
    expect(bare).toMatch(/^# av pack.*\nreceipt: rcp:[0-9a-f]{8}\n## Conventions\n- one src/)
    expect(pack.items).toEqual([
      { id: 'one', section: 'conventions', tier: 'full' },
      { id: 'two', section: 'conventions', tier: 'full' },
    ])
  })

  test('are within the first budget that holds them with their frame', () => {
    const full = build(packInput({ budget: 60, conventions: rules }))
    const least = countTokens(full.text.replace(/over budget: .*\n$/, ''))
    // The digits of a receipt take a token more or less, and those of another budget are others.
    for (let budget = least - 9; budget < least + 9; budget++) {
      const { text, tokens } = build(packInput({ budget, conventions: rules }))
      const bare = countTokens(text.replace(/over budget: .*\n$/, ''))
      expect(tokens > budget).toBe(bare > budget)
      expect(Math.abs(bare - least)).toBeLessThan(9)
    }
  })
})
