import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { deliveredBy, type Sent, sentAfter } from '../../src/domain/ledger.ts'
import { buildPack, type PackInput } from '../../src/domain/pack.ts'
import type { Pack } from '../../src/domain/pack-finish.ts'
import { explain, type Manifest } from '../../src/domain/receipt.ts'
import {
  candidates,
  convention,
  files,
  history,
  linesOf,
  packInput,
  record,
  symbols,
} from '../support/pack-input.ts'
import { randomPack, shuffled } from '../support/random-pack.ts'
import { ReaderModel, rank, Said } from '../support/reader-model.ts'
import { countTokens } from '../support/token-count.ts'

setDefaultTimeout(60_000)

/** The ledger as the store keeps it, without a store. */
class Reader {
  sent: ReadonlyMap<string, Sent> = new Map()

  pack(input: PackInput): Pack {
    return buildPack({ ...input, ledger: this.sent }, countTokens)
  }

  fresh(input: PackInput): Pack {
    return buildPack({ ...input, ledger: new Map() }, countTokens)
  }

  acknowledge({ manifest }: Pack): void {
    const stored: Manifest = JSON.parse(JSON.stringify(manifest))
    const sent = new Map(this.sent)
    for (const item of deliveredBy(stored)) {
      sent.set(item.id, sentAfter(sent.get(item.id) ?? null, item))
    }
    this.sent = sent
  }

  /** Packs and delivers. */
  read(input: PackInput): Pack {
    const pack = this.pack(input)
    this.acknowledge(pack)
    return pack
  }

  reset(): void {
    this.sent = new Map()
  }
}

const tierOf = ({ items }: Pack, id: string) => items.find((item) => item.id === id)?.tier ?? null
const sentLineOf = ({ text }: Pack): string | undefined =>
  text.split('\n').find((line) => line.startsWith('sent before: '))
const withoutReceipt = ({ text }: Pack) => text.replace(/^receipt: .*$/m, '')

const decision = record('r:1', { summary: 'Tokens live 15 minutes', body: 'Measured. '.repeat(40) })
const withDecision = packInput(history([decision]))

describe('what a reader has', () => {
  test('is not sent again: one line refers back to it', () => {
    const reader = new Reader()
    const first = reader.read(withDecision)
    expect(tierOf(first, 'r:1')).toBe('full')
    expect(sentLineOf(first)).toBeUndefined()
    const second = reader.pack(withDecision)
    expect(second.text).toBe(
      `# av pack refresh-session\nreceipt: ${second.receipt}\nsent before: r:1\n`,
    )
    expect(second).toMatchObject({ items: [], sentBefore: ['r:1', 'refresh-session'], omitted: 0 })
    expect(second.tokens).toBe(countTokens(second.text))
  })

  test('was acknowledged: a pack that was made and never delivered counts for nothing', () => {
    const reader = new Reader()
    reader.pack(withDecision)
    expect(sentLineOf(reader.pack(withDecision))).toBeUndefined()
  })

  test('is what this reader was sent, not another', () => {
    const [one, other] = [new Reader(), new Reader()]
    one.read(withDecision)
    expect(tierOf(other.pack(withDecision), 'r:1')).toBe('full')
    expect(tierOf(one.pack(withDecision), 'r:1')).toBeNull()
  })

  test('is lost with its context', () => {
    const reader = new Reader()
    const first = reader.read(withDecision)
    reader.reset()
    expect(reader.pack(withDecision).text).toBe(first.text)
  })

  test('is ignored for a fresh pack, and what that sends counts as sent', () => {
    const reader = new Reader()
    const first = reader.read(withDecision)
    expect(reader.fresh(withDecision).text).toBe(first.text)
    const untold = new Reader()
    untold.acknowledge(untold.fresh(withDecision))
    expect(tierOf(untold.pack(withDecision), 'r:1')).toBeNull()
  })

  test.each([
    ['its summary', { summary: 'Tokens live 5 minutes' }],
    ['its body', { body: 'Measured again.' }],
    [
      'what became of its code',
      { anchors: [{ path: 'a.ts', symbol: null, mark: 'changed since recorded' }] },
    ],
  ])('is sent again when it changed: %s', (_, change) => {
    const reader = new Reader()
    reader.read(withDecision)
    const changed = packInput(history([{ ...decision, ...change }]))
    const pack = reader.read(changed)
    expect(tierOf(pack, 'r:1')).toBe('full')
    expect(tierOf(reader.read(changed), 'r:1')).toBeNull()
    // As it was at first is not what was said last.
    expect(tierOf(reader.pack(withDecision), 'r:1')).toBe('full')
  })

  test('is sent again when it is wanted at a richer tier, and not at a poorer one', () => {
    const reader = new Reader()
    const small = reader.read({ ...withDecision, budget: 100 })
    expect(['handle', 'summary']).toContain(tierOf(small, 'r:1')!)
    expect(tierOf(reader.pack({ ...withDecision, budget: 100 }), 'r:1')).toBeNull()
    expect(tierOf(reader.read({ ...withDecision, budget: 800 }), 'r:1')).toBe('full')
    expect(tierOf(reader.pack({ ...withDecision, budget: 100 }), 'r:1')).toBeNull()
    expect(tierOf(reader.pack({ ...withDecision, budget: 2_000 }), 'r:1')).toBeNull()
  })

  test('stays at the richer tier, in whatever order two packs are acknowledged', () => {
    const both = ['small', 'large'] as const
    for (const order of [both, both.toReversed()]) {
      const reader = new Reader()
      const made = {
        small: reader.pack({ ...withDecision, budget: 100 }),
        large: reader.pack({ ...withDecision, budget: 800 }),
      }
      for (const name of order) reader.acknowledge(made[name])
      expect(tierOf(reader.pack({ ...withDecision, budget: 2_000 }), 'r:1')).toBeNull()
    }
  })
})

describe('a pack with nothing new', () => {
  test('says why it is empty where there is no room to refer back', () => {
    const reader = new Reader()
    reader.read(withDecision)
    const pack = reader.pack({ ...withDecision, budget: 50 })
    expect(pack.text).toBe(
      `# av pack refresh-session\nreceipt: ${pack.receipt}\nnothing to show: all of it was sent before\n`,
    )
    expect(pack.tokens).toBeLessThanOrEqual(50)
  })

  test('says that there never was anything but the task', () => {
    const reader = new Reader()
    reader.read(packInput())
    const pack = reader.pack(packInput())
    expect(pack.text).toBe(
      `# av pack refresh-session\nreceipt: ${pack.receipt}\nnothing to show: nothing indexed or recorded matches the goal\n`,
    )
  })
})

describe('a required convention', () => {
  const rule = convention('c:1', {
    required: true,
    text: `Never throw.\n${'Return it. '.repeat(20)}`,
  })
  const ruled = packInput({ conventions: [rule] })

  test('that the reader has counts as included, whatever the budget', () => {
    const reader = new Reader()
    expect(tierOf(reader.read(ruled), 'c:1')).toBe('full')
    for (const budget of [50, 100, 800]) {
      const pack = reader.pack({ ...ruled, budget })
      expect(tierOf(pack, 'c:1')).toBeNull()
      expect(sentLineOf(pack)).toStartWith('sent before: c:1')
      expect(pack.tokens).toBeLessThanOrEqual(budget)
      expect(explain(pack.manifest)).toMatchObject({ agrees: true })
    }
  })

  test('is sent again when it changed', () => {
    const reader = new Reader()
    reader.read(ruled)
    const text = 'Never throw, never.'
    const pack = reader.pack(packInput({ conventions: [{ ...rule, text }] }))
    expect(linesOf(pack.text, 'conventions').join('\n')).toContain(text)
  })

  test('is sent whole when it was sent before it was required, at less', () => {
    const reader = new Reader()
    const optional = packInput({ conventions: [{ ...rule, required: false }], budget: 60 })
    const before = tierOf(reader.read(optional), 'c:1')
    expect(before).not.toBe('full')
    expect(tierOf(reader.pack(ruled), 'c:1')).toBe('full')
  })

  test('of which there are many are all named, even over the budget', () => {
    const many = Array.from({ length: 40 }, (_, at) => convention(`c:${at}`, { required: true }))
    const reader = new Reader()
    reader.read(packInput({ conventions: many }))
    const pack = reader.pack(packInput({ conventions: many, budget: 60 }))
    const named = sentLineOf(pack)!.slice('sent before: '.length).split(', ')
    expect(named.filter((name) => name.startsWith('c:'))).toHaveLength(40)
    expect(pack.text).toMatch(/\nover budget: \d+ tokens more than 60, for required conventions\n$/)
  })
})

describe('code', () => {
  const found = (names: readonly string[]) =>
    packInput({
      candidates: candidates({
        files: files(['src/session.ts']),
        symbols: symbols(names.map((name) => ({ path: 'src/session.ts', name }))),
      }),
    })

  test('is referred back to by its place', () => {
    const reader = new Reader()
    reader.read(found(['refresh']))
    expect(sentLineOf(reader.pack(found(['refresh'])))).toBe(
      'sent before: src/session.ts, src/session.ts:refresh',
    )
  })

  test('brings the line it stands under, though the reader has that', () => {
    const reader = new Reader()
    reader.read(found(['refresh']))
    const pack = reader.pack(found(['refresh', 'revoke']))
    expect(linesOf(pack.text, 'code')).toEqual(['- src/session.ts', 'L3-9 function revoke()'])
    expect(sentLineOf(pack)).toBe('sent before: src/session.ts:refresh')
  })

  test('that moved is sent again: its lines are what it says', () => {
    const reader = new Reader()
    reader.read(found(['refresh']))
    const moved = found(['refresh'])
    const [symbol] = moved.candidates.symbols
    const shifted = { ...symbol!, symbol: { ...symbol!.symbol, line: 30, endLine: 36 } }
    const pack = reader.pack({
      ...moved,
      candidates: { ...moved.candidates, symbols: [shifted] },
    })
    expect(linesOf(pack.text, 'code')).toEqual(['- src/session.ts', 'L30-36 function refresh()'])
  })

  test('that the task changed meanwhile is sent again, with its mark', () => {
    const reader = new Reader()
    reader.read(found([]))
    const pack = reader.pack({ ...found([]), changed: [{ path: 'src/session.ts', symbols: [] }] })
    expect(linesOf(pack.text, 'code')).toEqual(['- src/session.ts (changed by this task)'])
  })

  test('is the same file alone and under its folder', () => {
    const paths = Array.from({ length: 9 }, (_, at) => `src/deep/part${at}.ts`)
    const ranked = (order: readonly string[]) =>
      packInput({ candidates: candidates({ files: files(order) }) })
    const reader = new Reader()
    const first = reader.read(ranked(paths))
    expect(linesOf(first.text, 'code')).toContain('- src/deep/ also:')
    expect(linesOf(first.text, 'code')).toContain('+ part8.ts')
    expect(linesOf(reader.pack(ranked(paths.toReversed())).text, 'code')).toEqual([])
  })

  test.each(['src/a b.ts', 'src/a,b.ts', 'src/\u202eevil.ts', '-', 'r:1', 'src/x.ts\nreceipt: x'])(
    'of a path that could be read for something else is named by its id: %j',
    (path) => {
      const reader = new Reader()
      const input = packInput({ candidates: candidates({ files: files([path]) }) })
      reader.read(input)
      const line = sentLineOf(reader.pack(input))!
      if (path === '-') expect(line).toBe('sent before: -')
      else expect(line).toMatch(/^sent before: s:[0-9a-f]{8}$/)
    },
  )
})

test('what is saved goes to the next by rank', () => {
  const ranked = Array.from({ length: 60 }, (_, at) =>
    record(`r:${at}`, { summary: `Decision ${at} about the session and its token` }),
  )
  const reader = new Reader()
  const seen: string[] = []
  for (let round = 0; round < 3; round++) {
    const pack = reader.read(packInput({ ...history(ranked), budget: 400 }))
    const shown = pack.items.filter(({ section }) => section === 'history').map(({ id }) => id)
    expect(shown.length).toBeGreaterThan(10)
    seen.push(...shown.filter((id) => !seen.includes(id)))
    expect(pack.tokens).toBeLessThanOrEqual(400)
  }
  expect(seen).toEqual(ranked.slice(0, seen.length).map(({ id }) => id))
  expect(seen.length).toBeGreaterThan(40)
})

test('the first pack of a session is the pack of no session, but for its receipt', () => {
  for (let seed = 0; seed < 20; seed++) {
    const input = randomPack({ ...SIZES, required: 0, seed, budget: 100 + seed * 70 })
    const without = buildPack(input, countTokens)
    expect(withoutReceipt(new Reader().pack(input))).toBe(withoutReceipt(without))
    expect(deliveredBy(without.manifest)).toEqual([])
  }
})

const SIZES = {
  ...{ files: 30, symbols: 40, records: 25, rules: 8, required: 2, live: 4, folders: 4 },
  degraded: [],
}

/** What may happen to a reader, one after another. Few seeds: the same items come again, with other texts. */
const happenings = fc.array(
  fc.record({
    seed: fc.nat(2),
    budget: fc.integer({ min: 50, max: 1_200 }),
    required: fc.nat(2),
    end: fc.oneof(
      { weight: 6, arbitrary: fc.constant('delivered' as const) },
      { weight: 2, arbitrary: fc.constant('lost' as const) },
      { weight: 1, arbitrary: fc.constant('reset' as const) },
      { weight: 1, arbitrary: fc.constant('fresh' as const) },
      { weight: 2, arbitrary: fc.constant('late' as const) },
    ),
    who: fc.nat(1),
  }),
  { minLength: 2, maxLength: 12 },
)

test('a reader is never referred to what it lacks, and never sent what it has', () => {
  const property = fc.property(happenings, (steps) => {
    const readers = [new Reader(), new Reader()]
    const models = [new ReaderModel(), new ReaderModel()]
    for (const { seed, budget, required, end, who } of steps) {
      const [reader, model] = [readers[who]!, models[who]!]
      const input = randomPack({ ...SIZES, seed, budget, required })
      const said = new Said(input)
      const pack = end === 'fresh' ? reader.fresh(input) : reader.pack(input)
      if (end !== 'fresh') expectHonest(pack, model, said)
      expectSound(pack, () =>
        (end === 'fresh' ? reader.fresh : reader.pack).call(reader, shuffled(input, seed)),
      )
      if (end === 'reset') {
        reader.reset()
        model.forget()
      }
      if (end === 'late') {
        // Another pack of the same reader, made before this one was acknowledged.
        const other = randomPack({ ...SIZES, seed: seed + 1, budget })
        const meanwhile = reader.pack(other)
        reader.acknowledge(meanwhile)
        model.read(meanwhile.manifest, new Said(other))
      }
      if (end === 'lost' || end === 'reset') continue
      reader.acknowledge(pack)
      model.read(pack.manifest, said)
    }
  })
  fc.assert(property, { seed: 61, numRuns: 60 })
})

function expectHonest(pack: Pack, model: ReaderModel, said: Said): void {
  const { items } = pack.manifest
  const shown = items.filter(({ tier }) => tier !== null)
  for (const { id, kind, tier, sent = null } of items) {
    expect([id, sent]).toEqual([id, kind === 'group' ? null : model.has(id, said)])
    if (tier === null || sent === null || rank(tier) > rank(sent)) continue
    // Shown all the same: something that stands under it is.
    expect(shown.some(({ parent }) => parent === id)).toBe(true)
  }
  const referred = items.filter(({ tier, sent }) => tier === null && sent !== undefined)
  expect(pack.sentBefore.toSorted()).toEqual(referred.map(({ id }) => id).toSorted())
  const line = sentLineOf(pack)
  if (line === undefined) return
  expect(pack.text.match(/^sent before: /gm)).toHaveLength(1)
  const parts = line.slice('sent before: '.length).split(', ')
  const counted = /^(\d+) (?:more|items?)$/.exec(parts.at(-1)!)
  const names = counted === null ? parts : parts.slice(0, -1)
  const toTell = referred.filter(({ kind }) => kind !== 'goal')
  expect(names.length + Number(counted?.[1] ?? 0)).toBe(toTell.length)
  for (const { id, required } of referred) if (required) expect(names).toContain(id)
}

function expectSound(pack: Pack, again: () => Pack): void {
  expect(explain(JSON.parse(JSON.stringify(pack.manifest))).agrees).toBe(true)
  expect(again().text).toBe(pack.text)
  expect(pack.text.split('\n').length).toBeGreaterThan(3)
  const isOver = /\nover budget: /.test(pack.text)
  if (!isOver && pack.manifest.inputs.budget >= 100) {
    expect(pack.tokens).toBeLessThanOrEqual(pack.budget)
  }
}

test('a ledger says the same in whatever order it is read', () => {
  const reader = new Reader()
  const input = randomPack({ ...SIZES, seed: 1, budget: 600 })
  reader.read(input)
  const entries = [...reader.sent]
  const other = randomPack({ ...SIZES, seed: 1, budget: 900 })
  const forwards = buildPack({ ...other, ledger: new Map(entries) }, countTokens)
  const backwards = buildPack({ ...other, ledger: new Map(entries.toReversed()) }, countTokens)
  expect(backwards.text).toBe(forwards.text)
  expect(backwards.manifest).toEqual(forwards.manifest)
})
