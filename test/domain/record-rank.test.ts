import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anchorKey, type Moves, type Place } from '../../src/domain/anchor-moves.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { anchoredRecords, placeScores } from '../../src/domain/record-rank.ts'
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
  names: fc.uniqueArray(
    fc.tuple(path, fc.constantFrom('open', 'close'), fc.integer({ min: 0, max: 3_000 })),
    { selector: ([file, name]) => `${file}:${name}` },
  ),
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
      const symbols = names
        .map(([file, name, score]) => ({ path: file, symbol: { name }, score }))
        .sort((a, b) => b.score - a.score)
      const places = placeScores(
        scores.map(([file, score]) => ({ path: file, score })),
        symbols,
      )
      const scoreOf = new Map(names.map(([file, name, score]) => [`${file}:${name}`, score]))
      const moves: Moves = new Map(moved.map(([from, to]) => [anchorKey(from), to]))
      const followed = new Map<string, number>()
      const strengthAt = (key: string, { path: file }: Place) => {
        const score = places.files.get(file) ?? 0
        if (score === 0) return 0
        let strength = score + (scoreOf.get(key) ?? 0)
        for (let n = followed.get(key) ?? 0; n > 0; n--)
          strength = Math.floor((strength * 700) / 1_000)
        followed.set(key, (followed.get(key) ?? 0) + 1)
        return strength
      }
      const strengths = records
        .map((anchors) => {
          const places = anchors.map((each) => moves.get(anchorKey(each)) ?? each)
          return new Map(places.map((place) => [`${place.path}:${place.symbol ?? ''}`, place]))
        })
        .reverse()
        .map((places) => Math.max(0, ...[...places].map(([key, place]) => strengthAt(key, place))))
        .reverse()
      const wanted = [...records.keys()]
        .filter((at) => strengths[at]! > 0)
        .sort((a, b) => strengths[b]! - strengths[a]! || b - a)
        .slice(0, LIMITS.anchoredRecords)
      const found = anchoredRecords(index, index.recordView(), places, moves)
      expect(found.map(({ position }) => position - 1)).toEqual(wanted)
    }),
  )
})
