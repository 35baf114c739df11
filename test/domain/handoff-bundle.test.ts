import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { Fault } from '../../src/domain/fault.ts'
import {
  HANDOFF_BUDGET,
  type HandoffBundle,
  handoffBundle,
} from '../../src/domain/handoff-bundle.ts'
import type { BundleFacts, BundleRecord } from '../../src/domain/handoff-entries.ts'
import { ANY_FACTS, file, HOSTILE_WORDS } from '../support/random-handoff.ts'
import { countTokens } from '../support/token-count.ts'

setDefaultTimeout(120_000)

const TASK: BundleFacts['task'] = {
  id: 'fix-login-ab12',
  goal: 'Fix the login race',
  kind: 'work',
  state: 'open',
  owner: 'ana',
  base: '0123456789abcdef',
  head: 'fedcba9876543210',
  flags: [],
  conflicted: [],
}
const FACTS: BundleFacts = {
  task: TASK,
  handoff: null,
  records: [],
  files: [],
  symbols: [],
  openThreads: [],
  verdict: null,
  failing: [],
}

const build = (facts: Partial<BundleFacts>, budget = HANDOFF_BUDGET): HandoffBundle =>
  handoffBundle({ ...FACTS, ...facts, budget }, countTokens)

test('tells what the next owner has to know, decisions and dead ends first', () => {
  const bundle = build({
    task: {
      ...TASK,
      goal: 'Fix the login race\nand its tests',
      flags: ['reverted', 'needs_attention'],
    },
    handoff: {
      ...{ by: 'ana', done: ['Sessions lock'], remaining: ['Tests\nof them'] },
      ...{ broken: [], open: ['Who renews?'] },
    },
    records: [
      record('r:5', 'handoff', 'Handed off', '## Done\n\n- Sessions lock\n'),
      record('r:4', 'review', 'Is this safe?', 'I doubt it.'),
      record('r:3', 'attempt', 'Retrying', 'It hid the race.'),
      record('r:2', 'note', 'Slow on CI'),
      {
        ...record('r:1', 'decision', 'Lock by session', 'Per user was\n\ntoo coarse.'),
        anchors: [
          { path: 'src/b.ts', symbol: 'Session.renew' },
          { path: 'src/a.ts', symbol: null },
        ],
      },
      record('r:0', 'intent', 'Fix the login race\nand its tests'),
    ],
    files: [
      { path: 'src/new.ts', status: 'renamed', from: 'src/old.ts' },
      { path: 'src/b.ts', status: 'modified', from: null },
    ],
    symbols: ['src/b.ts:Session.renew', 'src/b.ts:Session'],
    openThreads: [{ id: 'r:4', summary: 'Is this safe?', author: 'bob', at: 'src/b.ts:Session' }],
    verdict: 'approved by bob',
    failing: ['unit', 'lint'],
  })
  expect(bundle.text).toBe(`# Handoff of fix-login-ab12
- goal:
> Fix the login race
> and its tests
- state: open; owner ana; base 0123456789ab; head fedcba987654; flags needs_attention, reverted; approved by bob; failing lint, unit
## Last handoff, by ana
- done: Sessions lock
- remaining:
> Tests
> of them
- open: Who renews?
## Decisions & dead ends
- r:3 dead end by ana: Retrying
> It hid the race.
- r:1 decision by ana: Lock by session [src/a.ts, src/b.ts:Session.renew]
> Per user was
> too coarse.
## Other records
- r:2 note by ana: Slow on CI
## Changes
- modified src/b.ts
- renamed src/new.ts (from src/old.ts)
- symbol src/b.ts:Session
- symbol src/b.ts:Session.renew
## Open questions
- r:4 by bob at src/b.ts:Session: Is this safe?
> I doubt it.
`)
  expect(bundle.shown).toEqual(['r:5', 'r:3', 'r:1', 'r:2', 'r:4'])
  expect(bundle).toMatchObject({ omitted: 0, tokens: countTokens(bundle.text) })
})

test('all of it may need less than saying that something was left out', () => {
  const facts = { task: { ...TASK, base: null, head: null } }
  const least = leastOf(facts)
  expect(build(facts, least)).toMatchObject({ tokens: least, omitted: 0 })
  expect(build(facts, least).text).toEndWith('; owner ana; no base; no head\n')
  expect(leastOf(facts, least - 1)).toBe(least)
})

test('what has no room is counted, with the commands that show it', () => {
  const files = Array.from({ length: 30 }, (_, at) => file(`src/module-${at}.ts`))
  const records = [record('r:1', 'decision', 'Lock by session', 'why '.repeat(200))]
  const bundle = build({ files, symbols: ['src/module-1.ts:a'], records }, 140)
  const left = 30 - bundle.text.match(/^- modified/gm)!.length
  expect(bundle.text).toEndWith(
    `\nleft out: ${left} files, 1 symbol; shortened: 1 (av log --task fix-login-ab12, av diff fix-login-ab12)\n`,
  )
  expect(bundle.omitted).toBe(left + 1)
  expect(bundle.shown).toEqual(['r:1'])
  expect(bundle.tokens).toBeWithin(110, 141)
})

test('a default bundle of a long task is well filled, in a short while', () => {
  const records = Array.from({ length: 3_000 }, (_, at) =>
    record(
      `r:${at}`,
      at % 3 === 0 ? 'decision' : 'note',
      `What ${at} says`,
      'why '.repeat(at % 300),
    ),
  )
  const { tokens, shown } = build({ records })
  expect(tokens).toBeWithin(1_950, HANDOFF_BUDGET + 1)
  expect(shown.slice(0, 3)).toEqual(['r:0', 'r:3', 'r:6'])
})

test('a budget below goal and state is refused with the least, and the least is enough', () => {
  const facts = {
    task: { ...TASK, goal: 'a long goal '.repeat(100) },
    records: [record('r:1', 'note', 'Slow')],
  }
  const least = leastOf(facts)
  const bundle = build(facts, least)
  expect(bundle.tokens).toBe(least)
  expect(bundle.text).toContain('- goal: a long goal')
  expect(bundle.text).toContain('- state: open; owner ana\n')
  expect(leastOf(facts, least - 1)).toBe(least)
})

test.each(HOSTILE_WORDS)('%j stands where no line of ours does', (text) => {
  const hostile: Partial<BundleFacts> = {
    task: { ...TASK, goal: text, owner: text, flags: [text], conflicted: [text] },
    handoff: { by: text, done: [text], remaining: [], broken: [], open: [text] },
    records: [
      {
        ...record(text, 'decision', text, text),
        author: text,
        anchors: [{ path: text, symbol: text }],
      },
      record('r:2', 'note', text, `${text}\n${text}`),
    ],
    files: [{ path: text, status: 'renamed', from: text }],
    symbols: [`${text}:${text}`],
    openThreads: [{ id: 'r:4', summary: text, author: text, at: text }],
    verdict: text,
    failing: [text],
  }
  const { text: bundle } = build(hostile)
  const ours = bundle.split('\n').filter((line) => !/^(?:- |> )/.test(line))
  expect(ours.map((line) => line.replace(/(?<=, by ).*/, '…'))).toEqual([
    '# Handoff of fix-login-ab12',
    '## Last handoff, by …',
    ...['## Decisions & dead ends', '## Other records', '## Changes', '## Open questions', ''],
  ])
  expect(bundle.match(/^- (?:goal|state):/gm)).toHaveLength(2)
  expect(bundle).not.toMatch(/<system|\u202e|\u2028|\r|^> (?:#|```|left out)/mu)
})

describe('any bundle', () => {
  test('is within its budget, and says what it is', () => {
    let refused = 0
    always((facts, budget) => {
      const bundle = attempt(facts, budget)
      if (bundle === null) {
        refused++
        return
      }
      expect(bundle.tokens).toBe(countTokens(bundle.text))
      expect(bundle.tokens).toBeLessThanOrEqual(budget)
      expect(bundle.text.startsWith('# Handoff of fix-login-ab12\n- goal:')).toBe(true)
      expect(bundle.text).toMatch(/^- state: /m)
      expect(/^left out: /m.test(bundle.text)).toBe(bundle.omitted > 0)
    })
    expect(refused).toBeWithin(1, 150)
  })

  test('is the same for the same facts, however their sets are ordered', () => {
    always((facts, budget) => {
      const turned: BundleFacts = {
        ...facts,
        task: { ...facts.task, conflicted: [...facts.task.conflicted].reverse() },
        records: facts.records.map((one) => ({ ...one, anchors: [...one.anchors].reverse() })),
        files: [...facts.files].reverse(),
        symbols: [...facts.symbols].reverse(),
        failing: [...facts.failing].reverse(),
      }
      expect(attempt(turned, budget)).toEqual(attempt(facts, budget))
    })
  })

  test('drops bodies before summaries, notes before decisions, symbols before files', () => {
    let dropped = 0
    always((facts, budget) => {
      const bundle = attempt(facts, budget)
      if (bundle === null) return
      const shown = new Set(bundle.shown)
      const ids = (isOne: (kind: string) => boolean) =>
        facts.records.filter(({ kind }) => isOne(kind)).map(({ id }) => id)
      const isDecision = (kind: string) => kind === 'decision' || kind === 'attempt'
      const decisions = ids(isDecision)
      const notes = ids((kind) => !isDecision(kind))
      const bodies = bundle.text.match(/^> body/gm) ?? []
      const areSomeOut = (some: readonly string[]) => some.some((id) => !shown.has(id))
      if (areSomeOut(decisions)) {
        dropped++
        expect(notes.filter((id) => shown.has(id))).toEqual([])
      }
      if (areSomeOut([...decisions, ...notes])) expect(bodies).toEqual([])
      const files = bundle.text.match(/^- (?:added|modified) /gm) ?? []
      if (files.length < facts.files.length) expect(bundle.text).not.toContain('- symbol ')
    })
    expect(dropped).toBeGreaterThan(10)
  })

  test('is within its budget by a counter whose counts do not add up', () => {
    const count = (text: string) => Math.ceil(text.length ** 1.2 / 8)
    always((facts, budget) => {
      const bundle = attempt(facts, budget * 4, count)
      if (bundle !== null) expect(count(bundle.text)).toBeLessThanOrEqual(budget * 4)
    })
  })
})

function always(holds: (facts: BundleFacts, budget: number) => void): void {
  fc.assert(fc.property(ANY_FACTS, fc.integer({ min: 20, max: 1_500 }), holds), {
    seed: 3,
    numRuns: 300,
  })
}

/** Null when the budget is refused as too small. */
function attempt(facts: BundleFacts, budget: number, count = countTokens): HandoffBundle | null {
  try {
    return handoffBundle({ ...facts, budget }, count)
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.detail.reason === 'budget_too_small') return null
    throw thrown
  }
}

/** The least budget, as a refusal states it. */
function leastOf(facts: Partial<BundleFacts>, budget = 1): number {
  try {
    build(facts, budget)
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'bad_input') return Number(thrown.detail.least)
    throw thrown
  }
  throw new Error(`a budget of ${budget} was enough`)
}

function record(id: string, kind: BundleRecord['kind'], summary: string, body = ''): BundleRecord {
  return { id, kind, summary, body, author: 'ana', anchors: [] }
}
