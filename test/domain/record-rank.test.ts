import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anchorKey, type Moves, type Place } from '../../src/domain/anchor-moves.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { anchoredRecords } from '../../src/domain/record-rank.ts'
import { LIMITS } from '../../src/domain/weights.ts'

type Anchor = { readonly path: string; readonly symbol: string | null; readonly hash: string }

const path = fc.constantFrom(...Array.from({ length: 12 }, (_, n) => `src/${n}.ts`))
const symbol = fc.constantFrom(null, 'open', 'close')
const anchor: fc.Arbitrary<Anchor> = fc.record({ path, symbol, hash: fc.constantFrom('a', 'b') })
const world = fc.record({
  records: fc.array(fc.array(anchor, { maxLength: 3 }), { maxLength: 200, size: 'max' }),
  scores: fc.uniqueArray(fc.tuple(path, fc.integer({ min: 0, max: 5_000 })), {
    selector: ([each]) => each,
  }),
  names: fc.uniqueArray(fc.tuple(path, fc.constantFrom('open', 'close'))),
  moved: fc.array(fc.tuple(anchor, fc.record({ path, symbol })), { maxLength: 6 }),
})

test('the best anchored records are those of weighing each one', () => {
  fc.assert(
    fc.property(world, ({ records, scores, names, moved }) => {
      const index = new LexicalIndex()
      for (const [at, anchors] of records.entries()) {
        const id = `r:${at}` as RecordId
        index.addRecord({ id, position: at + 1, summary: 'x', body: '', anchors })
      }
      const fileScores = new Map(scores)
      const symbolNames = new Set(names.map(([file, name]) => `${file}:${name}`))
      const moves: Moves = new Map(moved.map(([from, to]) => [anchorKey(from), to]))
      const strengthAt = ({ path: file, symbol: name }: Place) => {
        const score = fileScores.get(file) ?? 0
        return symbolNames.has(`${file}:${name}`) ? Math.floor(score * 1.5) : score
      }
      const strengths = records.map((anchors) =>
        Math.max(0, ...anchors.map((each) => strengthAt(moves.get(anchorKey(each)) ?? each))),
      )
      const wanted = [...records.keys()]
        .filter((at) => strengths[at]! > 0)
        .sort((a, b) => strengths[b]! - strengths[a]! || b - a)
        .slice(0, LIMITS.anchoredRecords)
      const found = anchoredRecords(index, index.recordView(), fileScores, symbolNames, moves)
      expect(found.map(({ position }) => position - 1)).toEqual(wanted)
    }),
  )
})
