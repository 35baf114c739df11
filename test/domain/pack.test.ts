import { describe, expect, test } from 'bun:test'
import { buildPack, type PackInput } from '../../src/domain/pack.ts'
import type { RecordId } from '../../src/domain/record.ts'
import type { Position } from '../../src/domain/repo.ts'
import {
  candidates,
  convention,
  files,
  history,
  linesOf,
  liveTask,
  packInput,
  readPack,
  record,
  symbols,
} from '../support/pack-input.ts'
import { countTokens } from '../support/token-count.ts'

const build = (input: PackInput) => buildPack(input, countTokens)

describe('the history', () => {
  const shown = (...args: Parameters<typeof history>) =>
    linesOf(build(packInput(history(...args))).text, 'history')

  test('has a correction before what it corrects, though that ranks higher', () => {
    const old = record('old')
    const lines = shown([old, record('between'), record('new', { corrects: [old.id] })])
    expect(lines).toEqual([
      '- new decision: Summary of new',
      '> (corrects old)',
      '- old decision: Summary of old',
      '- between decision: Summary of between',
    ])
  })

  test('has a chain of corrections in its order, however it ranks', () => {
    const [fact, newer, newest] = [
      record('fact'),
      record('newer', { corrects: ['fact'] }),
      record('newest', { corrects: ['newer'] }),
    ]
    for (const ranked of [
      [fact, newer, newest],
      [fact, newest, newer],
      [newer, fact, newest],
      [newer, newest, fact],
      [newest, fact, newer],
      [newest, newer, fact],
    ]) {
      const ids = build(packInput(history(ranked))).items.map(({ id }) => id)
      expect(ids.slice(1)).toEqual(['newest', 'newer', 'fact'])
    }
  })

  test('never shows what is corrected without the best of what corrects it', () => {
    const old = record('old', { summary: 'short' })
    const long = { summary: 'A correction that is quite long. '.repeat(5), corrects: [old.id] }
    const input = history([old, record('new', long), record('later', long)])
    for (let budget = 50; budget < 200; budget++) {
      const ids = build(packInput({ ...input, budget })).items.map(({ id }) => id)
      if (ids.includes('old')) expect(ids).toContain('new')
    }
    expect(build(packInput(input)).items.map(({ id }) => id)).toContain('old')
  })

  test('leaves out a candidate without text: it was superseded or purged', () => {
    const { candidates: found, records } = history([record('gone'), record('kept')])
    const input = packInput({ candidates: found, records: records.slice(1) })
    expect(build(input).text).not.toContain('gone')
    expect(linesOf(build(input).text, 'history')).toEqual(['- kept decision: Summary of kept'])
  })

  test('says when another record supersedes the same one', () => {
    const [a, b] = ['a', 'b'].map((id) =>
      record(id, {
        supersedes: ['old' as RecordId],
        rivals: [id === 'a' ? 'b' : 'a'],
      }),
    )
    expect(shown([a!, b!])).toEqual([
      '- a decision: Summary of a',
      '> (supersedes old; so does b)',
      '- b decision: Summary of b',
      '> (supersedes old; so does a)',
    ])
  })

  test('calls an attempt a dead end at every tier', () => {
    const tried = record('t', {
      kind: 'attempt',
      summary: 'word '.repeat(30),
      body: 'why '.repeat(80),
    })
    const tiers = new Set<string>()
    for (let budget = 60; budget < 400; budget += 5) {
      const pack = build(packInput({ ...history([tried]), budget }))
      const item = pack.items.find(({ id }) => id === 't')
      if (item === undefined) continue
      tiers.add(item.tier)
      expect(linesOf(pack.text, 'history')[0]).toStartWith('- t dead end: word ')
    }
    expect([...tiers]).toEqual(['handle', 'summary', 'full'])
  })

  test('says where a record is anchored and what became of that, two places at most', () => {
    const anchors = ['changed since recorded', null, 'gone since recorded'].map((mark, at) => ({
      ...{ path: `src/${at}.ts`, symbol: at === 1 ? 'Session.end' : null, mark },
    }))
    expect(shown([record('r', { anchors })])).toEqual([
      '- r decision: Summary of r [src/0.ts (changed since recorded), src/1.ts:Session.end, 1 more]',
    ])
  })

  test('does not rank a record lower for its mark', () => {
    const anchor = { path: 'src/a.ts', symbol: null }
    const ids = (mark: string | null) =>
      build(
        packInput(history([record('first', { anchors: [{ ...anchor, mark }] }), record('second')])),
      ).items.map(({ id }) => id)
    expect(ids('gone since recorded')).toEqual(ids(null))
  })
})

describe('the code', () => {
  test('has the symbols of a file under it, by line, and the file with any of them', () => {
    const found = candidates({
      files: files(['src/b.ts', 'src/a.ts']),
      symbols: symbols([
        { path: 'src/b.ts', name: 'late', line: 90, endLine: 90 },
        { path: 'src/a.ts', name: 'only', line: 1, endLine: 4 },
        { path: 'src/b.ts', name: 'early', line: 2, endLine: 7, doc: 'Comes first.' },
      ]),
    })
    expect(linesOf(build(packInput({ candidates: found })).text, 'code')).toEqual([
      '- src/b.ts',
      'L2-7 function early() // Comes first.',
      'L90 function late()',
      '- src/a.ts',
      'L1-4 function only()',
    ])
  })
})

describe('the conventions', () => {
  test('are the required ones first, then the oldest', () => {
    const conventions = [
      convention('late', { position: 9 as Position }),
      convention('must', { position: 8 as Position, required: true }),
      convention('early', { position: 1 as Position }),
    ]
    expect(linesOf(build(packInput({ conventions })).text, 'conventions')).toEqual([
      '- must src/**: Rule must.',
      '- early src/**: Rule early.',
      '- late src/**: Rule late.',
    ])
  })

  test('of several lines are quoted whole', () => {
    const conventions = [convention('c', { text: 'One.\n\n- two\n## three', required: true })]
    expect(linesOf(build(packInput({ conventions, budget: 60 })).text, 'conventions')).toEqual([
      '- c src/**:',
      '> One.',
      '> \\- two',
      '> \\## three',
    ])
  })
})

describe('live work', () => {
  const found = candidates({ taskFiles: ['src/a.ts', 'src/b.ts'] })

  test('is of those who change the same files, the most shared first', () => {
    const live = [
      liveTask('elsewhere', { files: ['src/c.ts'] }),
      liveTask('one', { latestIntent: 'Cut the second lookup', owner: null }),
      liveTask('two', { files: ['src/b.ts', 'src/a.ts'], silentPositions: 3 }),
    ]
    expect(linesOf(build(packInput({ candidates: found, live })).text, 'live')).toEqual([
      '- two (open, bob) also changes src/a.ts, src/b.ts: Goal of two',
      '> 3 entries in the log since it last wrote',
      '- one (open, no owner) also changes src/a.ts: Cut the second lookup',
      '> nothing was written here since its last write',
    ])
  })
})

describe('a pack without anything but its task says why', () => {
  test('nothing was found', () => {
    const { text } = build(packInput())
    expect(readPack(text).sections.map(({ name }) => name)).toEqual(['task'])
    expect(readPack(text).last).toBe(
      'nothing to show: nothing indexed or recorded matches the goal',
    )
  })

  test('nothing of what was found fits', () => {
    const path = `src/${'a-very-long-folder-name/'.repeat(9)}file.ts`
    const found = candidates({ files: files([path]), symbols: symbols([{ path, name: 'x' }]) })
    const { text, omitted } = build(packInput({ candidates: found, budget: 80 }))
    expect(readPack(text).sections.map(({ name }) => name)).toEqual(['task'])
    expect(omitted).toBe(2)
    expect(readPack(text).last).toBe(
      'nothing shown: none of 2 candidates fits 80 tokens (av pack --explain)',
    )
  })
})

describe('what is left out', () => {
  const paths = Array.from({ length: 120 }, (_, at) => `src/part${at}/file${at}.ts`)
  const found = candidates({ files: files(paths) })

  test('is counted by kind, with the command that shows it', () => {
    const { text, omitted, items } = build(packInput({ candidates: found, budget: 400 }))
    expect(readPack(text).last).toBe(`left out: ${omitted} files (av pack --explain)`)
    expect(items.length + omitted).toBe(121)
  })

  test('is one sum when the budget is small, and not said when there is nothing', () => {
    const small = build(packInput({ candidates: found, budget: 120 }))
    expect(readPack(small.text).last).toBe(`left out: ${small.omitted} (av pack --explain)`)
    const all = build(packInput({ candidates: candidates({ files: files(['src/a.ts']) }) }))
    expect(readPack(all.text).last).toBeNull()
  })
})
