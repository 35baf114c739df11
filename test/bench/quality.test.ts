import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { goalOf, isHard } from '../../scripts/bench/bench-tasks.ts'
import { History } from '../../scripts/bench/history.ts'
import { ledgerFigures } from '../../scripts/bench/ledger.ts'
import { compare, type Marks } from '../../scripts/bench/metrics.ts'
import { quality } from '../../scripts/bench/quality.ts'
import { MadeUpHistory, moduleOf } from './made-up-history.ts'

setDefaultTimeout(120_000)

const BUDGET = 300
let made: MadeUpHistory

beforeAll(() => {
  made = new MadeUpHistory()
  for (const subject of SUBJECTS) made.write(`src/${subject}.ts`, moduleOf(subject, 1))
  made.commit('chore: begin with a few modules')
  for (const [at, subject] of SUBJECTS.entries()) {
    made.write(`src/${subject}.ts`, moduleOf(subject, at + 2))
    made.commit(`fix(${subject}): let ${subject} count from the right number (#${at})`)
  }
})

afterAll(() => made.remove())

test('a session of ten packs sends less twice, and tells more, with a ledger', async () => {
  const history = await History.open(made.folder)
  const figures = await ledgerFigures(history!, { tasks: 10, budget: BUDGET })
  expect(figures.map(({ way, sessions }) => [way, sessions])).toEqual([
    ['the same task moving on', 4],
    ['ten different focuses', 4],
  ])
  for (const { savedShare, itemsRatio, without, with: kept } of figures) {
    expect(savedShare).toBeGreaterThan(0.3)
    expect(itemsRatio).toBeGreaterThanOrEqual(1)
    expect(kept.files).toBeGreaterThanOrEqual(without.files)
    expect([without.line, kept.line > 0]).toEqual([0, true])
  }
})

test('a synthetic history gives the tasks, and av finds what they changed', async () => {
  const history = await History.open(made.folder)
  const result = await quality(history!, 'made-up', { tasks: 10, budget: BUDGET, ablate: true })
  expect(result).toMatchObject({
    ...{ repo: 'made-up', tasks: 4, fileRecall: 1, fileRecallAt5: 1, symbolRecall: 1 },
    ...{ overBudget: 0, repeatsDiffer: 0, hard: { tasks: 0 } },
  })
  expect(result.tokens).toBeLessThanOrEqual(BUDGET)
  expect(Object.keys(result.baselines)).toEqual([
    'grep -n',
    'BM25 chunks with bodies',
    'BM25 paths',
    'BM25 symbols',
    'Aider-style map',
    'line M',
  ])
  for (const { tokens } of Object.values(result.baselines)) {
    expect(tokens).toBeGreaterThan(0)
    expect(tokens).toBeLessThanOrEqual(BUDGET)
  }
  expect(result.overLineM.fileRecall.points).toBe(0)
  expect(Object.keys(result.ablations)).toContain('av without records')
})

test('what is no repository is said to be none', async () => {
  expect(await History.open(join(made.folder, 'src'))).toBeNull()
})

test('a goal is a message without what only the finished change could know', () => {
  const message = 'Fix it (#12)\n\nSee https://x.test/y\nCloses #3\nSigned-off-by: A <a@b.test>\n'
  expect(goalOf(message)).toBe('Fix it\nSee')
})

test('a task is hard when its goal names neither a file nor a symbol', () => {
  expect(isHard('speed up login', ['src/login.ts'], [])).toBe(false)
  expect(isHard('speed up Verify', ['src/login.ts'], ['Login.verify'])).toBe(false)
  expect(isHard('speed it up', ['src/login.ts'], ['Login.verify'])).toBe(true)
  expect(isHard('speed up auth', ['src/auth/index.ts'], [])).toBe(false)
})

test('the interval of a difference is the same each time, and holds the difference', () => {
  const marks = (files: number): Marks => ({
    ...{ files, filesAt5: 0, symbols: null, anyFile: 0, tokens: 0, over: false },
  })
  const ours = Array.from({ length: 100 }, (_, at) => marks(at % 2))
  const theirs = ours.map(() => marks(0))
  const difference = compare(ours, theirs, ({ files }) => files)
  expect(difference).toEqual(compare(ours, theirs, ({ files }) => files))
  expect(difference.points).toBe(50)
  expect(difference.low).toBeGreaterThan(35)
  expect(difference.low).toBeLessThan(50)
  expect(difference.high).toBeGreaterThan(50)
  expect(difference.high).toBeLessThan(65)
})

const SUBJECTS = ['login', 'cart', 'invoice', 'mail'] as const
