import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { search } from '../../src/domain/bm25.ts'
import { Dictionary, type Group, Postings } from '../../src/domain/postings.ts'

type Document = { readonly key: string; readonly words: readonly string[] }

const word = fc.constantFrom('ant', 'bee', 'cat', 'dog', 'eel', 'fox')
const documents = fc.uniqueArray(
  fc.record({
    key: fc.string({ minLength: 1, maxLength: 3 }),
    words: fc.array(word, { maxLength: 12 }),
  }),
  { selector: ({ key }) => key, maxLength: 12 },
)

/** What a search among `live` gives as text, with `others` indexed around them. */
function ranked(
  order: readonly Document[],
  live: ReadonlySet<string>,
  query: readonly string[],
  dead: ReadonlySet<string> = new Set(),
): string {
  const dictionary = new Dictionary()
  const postings = new Postings()
  const groups = new Map<string, Group>()
  for (const { key, words } of order) groups.set(key, add(dictionary, postings, words))
  for (const key of dead) postings.remove(groups.get(key)!)
  const keyOf = new Map([...groups].map(([key, group]) => [group, key]))
  const at = (doc: number) => keyOf.get(postings.groupAt(doc)!)!
  const among = postings.select([...live].map((key) => groups.get(key)!))
  const terms = [...new Set(query)].map((term) => ({ term, weight: 1 }))
  const hits = search(dictionary, among, terms, { b: 0.75 }, 5, (a, b) => (at(a) < at(b) ? -1 : 1))
  return JSON.stringify(hits.map(({ doc, score }) => [at(doc), score]))
}

function add(dictionary: Dictionary, postings: Postings, words: readonly string[]): Group {
  const counts = new Map<number, number>()
  for (const text of words) {
    const id = dictionary.number(text)
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return postings.add([{ ids: [...counts.keys()], counts: [...counts.values()] }])
}

test('scores are those of BM25, in integers', () => {
  const docs = [
    { key: 'a', words: ['ant', 'ant', 'bee'] },
    { key: 'b', words: ['ant', 'cat', 'dog'] },
    { key: 'c', words: ['eel'] },
  ]
  // N 3, df 2, mean length 7/3: idf = round(1024 ln 1.6) = 481, norm 1.457; 481 × 2.2 × tf / (tf + norm).
  expect(ranked(docs, new Set('abc'), ['ant'])).toBe('[["a",612],["b",431]]')
})

test('neither the order of adding nor what else is indexed changes a byte', () => {
  fc.assert(
    fc.property(
      documents,
      documents,
      fc.array(word, { maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      (mine, extra, query, chance) => {
        const others = extra.map(({ key, words }) => ({ key: `x${key}`, words }))
        const live = new Set(mine.map(({ key }) => `m${key}`))
        const own = mine.map(({ key, words }) => ({ key: `m${key}`, words }))
        const alone = ranked(own, live, query)
        const shuffled = [...own, ...others]
          .map((doc) => ({ doc, at: chance.next().value! }))
          .sort((a, b) => a.at - b.at)
          .map(({ doc }) => doc)
        const dead = new Set(others.filter((_, i) => i % 2 === 0).map(({ key }) => key))
        expect(ranked(shuffled, live, query)).toBe(alone)
        expect(ranked(shuffled, live, query, dead)).toBe(alone)
      },
    ),
    { seed: 2, numRuns: 300 },
  )
})

test('a shorter list is the beginning of a longer one, however many score alike', () => {
  const dictionary = new Dictionary()
  const postings = new Postings()
  const groups = Array.from({ length: 1_500 }, (_, i) => {
    const words = ['all', ...(i % 3 === 0 ? ['some'] : []), ...(i % 250 === 1 ? ['few'] : [])]
    return add(dictionary, postings, [...words, ...Array((i * 7) % 60).fill('x')])
  })
  const query = ['all', 'some', 'few'].map((term, i) => ({ term, weight: i + 1 }))
  // Not the order of adding.
  const place = (doc: number) => (doc * 193) % 1_500
  // Anew each time: what was found before is not asked.
  const found = (limit: number) =>
    search(dictionary, postings.select(groups), query, { b: 0.75 }, limit, (a, b) => {
      return place(a) - place(b)
    })
  const all = found(1_500)
  expect(all).toHaveLength(1_500)
  expect(all.toSorted((a, b) => b.score - a.score || place(a.doc) - place(b.doc))).toEqual(all)
  for (const limit of [0, 1, 2, 33, 167, 300, 301, 333, 499, 500, 506, 507, 1_000, 1_499]) {
    expect(found(limit)).toEqual(all.slice(0, limit))
  }
})

test('the same search again sees what came and went since, and is cut or deepened to its limit', () => {
  const dictionary = new Dictionary()
  const postings = new Postings()
  const groups = Array.from({ length: 9 }, (_, i) =>
    add(dictionary, postings, ['ant', ...Array(i).fill('x')]),
  )
  const everything = postings.everything()
  const found = (limit: number, term = 'ant') =>
    search(dictionary, everything, [{ term, weight: 1 }], { b: 0.75 }, limit, (a, b) => a - b).map(
      ({ doc }) => doc,
    )
  expect(found(3)).toEqual([0, 1, 2])
  expect(found(2)).toEqual([0, 1])
  expect(found(4)).toEqual([0, 1, 2, 3])
  expect(found(4, 'bee')).toEqual([])
  postings.remove(groups[1]!)
  expect(found(4)).toEqual([0, 2, 3, 4])
  add(dictionary, postings, ['ant'])
  expect(found(3)).toEqual([0, 9, 2])
})

test('sweeping out the dead moves documents and changes no ranking', () => {
  const dictionary = new Dictionary()
  const postings = new Postings()
  const groups = Array.from({ length: 4_000 }, (_, i) =>
    add(dictionary, postings, ['all', `n${i % 7}`, `n${i % 11}`]),
  )
  const kept = groups.filter((_, i) => i % 3 === 0)
  const among = postings.select(kept)
  const everything = postings.everything()
  const query = ['all', 'n3', 'n5'].map((term) => ({ term, weight: 1 }))
  const found = () =>
    search(dictionary, among, query, { b: 0.75 }, 50, (a, b) => a - b).map(({ doc, score }) => [
      groups.indexOf(postings.groupAt(doc)!),
      score,
    ])
  const before = found()
  expect(before).toHaveLength(50)
  for (const [i, group] of groups.entries()) if (i % 3 !== 0) postings.remove(group)
  expect(postings.numbers).toBe(2_000)
  expect(found()).toEqual(before)
  expect(everything.size).toBe(kept.length)
})

test('a removed document is found no more, though a selection names it', () => {
  const dictionary = new Dictionary()
  const postings = new Postings()
  const group = add(dictionary, postings, ['ant'])
  const among = postings.select([group])
  const query = [{ term: 'ant', weight: 1 }]
  const found = () => search(dictionary, among, query, { b: 0.75 }, 5, () => 0).length
  expect(found()).toBe(1)
  postings.remove(group)
  postings.remove(group)
  expect(found()).toBe(0)
  expect(postings.size).toBe(0)
})
