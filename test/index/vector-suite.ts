import { expect, test } from 'bun:test'
import { compareBytes } from '../../src/domain/order.ts'
import { dot, quantise, type Vector } from '../../src/domain/vector.ts'
import { type VectorKey, vectorKey } from '../../src/domain/vector-key.ts'
import { isSemanticFault } from '../../src/index/semantic-fault.ts'
import type { VectorEntry, VectorHit, VectorIndex } from '../../src/index/vectors.ts'

export const SUITE_DIMS = 8

/**
 * What every vector index does.
 * @param open an index over the same vectors each time, as a second process would open it
 * @param repo names repos that nobody else uses
 */
export function vectorSuite(open: () => VectorIndex, repo: (name: string) => string): void {
  test('finds the closest first, and no more than asked for', async () => {
    const index = open()
    const entries = randomEntries(60, 1)
    await index.upsert(repo('closest'), entries, 3)
    const query = randomVector(99)
    const found = await index.search(repo('closest'), query, null, 7)
    expect(found).toEqual(expected(entries, query).slice(0, 7))
    expect(await index.search(repo('closest'), query, null, 500)).toEqual(expected(entries, query))
    expect(await index.search(repo('closest'), query, null, 0)).toEqual([])
  })

  test('texts that score alike come by key, however many tie at the end', async () => {
    const index = open()
    const [vector, query] = [randomVector(5), randomVector(6)]
    const twins = Array.from({ length: 90 }, (_, at) => ({ key: vectorKey(`twin ${at}`), vector }))
    await index.upsert(repo('ties'), twins, 1)
    expect(await index.search(repo('ties'), query, null, 5)).toEqual(
      expected(twins, query).slice(0, 5),
    )
  })

  test('searches only among the keys it is given, each once, unknown ones passed over', async () => {
    const index = open()
    const entries = randomEntries(40, 2)
    await index.upsert(repo('among'), entries, 1)
    const some = entries.slice(10, 20)
    const keys = [...some, ...some].map(({ key }) => key)
    const query = randomVector(7)
    const found = await index.search(repo('among'), query, [vectorKey('unknown'), ...keys], 30)
    expect(found).toEqual(expected(some, query))
    expect(await index.search(repo('among'), query, [], 30)).toEqual([])
  })

  test('keeps repos apart, with the same text in both', async () => {
    const index = open()
    const [shared, other] = randomEntries(2, 3) as [VectorEntry, VectorEntry]
    await index.upsert(repo('apart a'), [shared], 1)
    await index.upsert(repo('apart b'), [shared, other], 2)
    const query = randomVector(8)
    expect(await index.search(repo('apart a'), query, null, 9)).toEqual(expected([shared], query))
    await index.clear(repo('apart b'))
    expect(await index.count(repo('apart a'))).toBe(1)
    expect(await index.count(repo('apart b'))).toBe(0)
    expect(await index.position(repo('apart b'))).toBe(-1)
    expect(await index.position(repo('apart a'))).toBe(1)
    expect(await index.search(repo('apart b'), query, null, 9)).toEqual([])
  })

  test('knows up to where a repo is in; code leaves that as it is', async () => {
    const index = open()
    expect(await index.position(repo('position'))).toBe(-1)
    await index.upsert(repo('position'), randomEntries(3, 4), 17)
    await index.upsert(repo('position'), randomEntries(5, 5), null)
    expect(await index.position(repo('position'))).toBe(17)
    await index.upsert(repo('position'), [], 23)
    expect(await index.position(repo('position'))).toBe(23)
    expect(await index.count(repo('position'))).toBe(8)
  })

  test('the same batch twice changes nothing; a new vector takes the place of the old', async () => {
    const index = open()
    const entries = randomEntries(10, 6)
    for (let time = 0; time < 2; time++) await index.upsert(repo('twice'), entries, 9)
    const changed = { key: entries[4]!.key, vector: randomVector(44) }
    await index.upsert(repo('twice'), [changed], 10)
    const query = randomVector(9)
    const now = entries.map((entry, at) => (at === 4 ? changed : entry))
    expect(await index.search(repo('twice'), query, null, 20)).toEqual(expected(now, query))
    expect(await index.count(repo('twice'))).toBe(10)
  })

  test('tells what it lacks, in the order asked, and forgets what is deleted', async () => {
    const index = open()
    const entries = randomEntries(9, 7)
    const keys = entries.map(({ key }) => key)
    expect(await index.missing(repo('lacks'), keys)).toEqual(keys)
    await index.upsert(repo('lacks'), entries.slice(0, 6), 1)
    expect(await index.missing(repo('lacks'), keys.toReversed())).toEqual(
      keys.slice(6).toReversed(),
    )
    await index.delete(repo('lacks'), [keys[0]!, keys[3]!, keys[5]!, vectorKey('unknown')])
    expect(await index.missing(repo('lacks'), keys)).toEqual(
      [0, 3, 5, 6, 7, 8].map((at) => keys[at]!),
    )
    const left = [1, 2, 4].map((at) => entries[at]!)
    const query = randomVector(10)
    expect(await index.search(repo('lacks'), query, null, 9)).toEqual(expected(left, query))
  })

  test('the order in which vectors came changes no list', async () => {
    const index = open()
    const entries = randomEntries(70, 8)
    await index.upsert(repo('order a'), entries, 1)
    for (const entry of entries.toReversed()) await index.upsert(repo('order b'), [entry], 1)
    await index.delete(repo('order a'), [entries[20]!.key])
    await index.upsert(repo('order a'), [entries[20]!], 2)
    for (const seed of [11, 12, 13]) {
      const query = randomVector(seed)
      expect(await index.search(repo('order a'), query, null, 12)).toEqual(
        await index.search(repo('order b'), query, null, 12),
      )
    }
  })

  test('a vector of other dimensions is refused and nothing of it kept', async () => {
    const index = open()
    await index.upsert(repo('dims'), randomEntries(2, 9), 1)
    const key = vectorKey('wide')
    const wide = quantise(Array.from({ length: SUITE_DIMS + 1 }, () => 1))!
    for (const work of [
      () => index.upsert(repo('dims'), [{ key, vector: wide }], 2),
      () => index.search(repo('dims'), wide, null, 3),
    ]) {
      const thrown = await work().catch((error: unknown) => error)
      expect(isSemanticFault(thrown) && thrown.detail.reason).toBe('vectors_mismatch')
    }
    expect(await index.missing(repo('dims'), [key])).toEqual([key])
    expect(await index.position(repo('dims'))).toBe(1)
  })

  test('a repo nobody spoke of is empty', async () => {
    const index = open()
    expect(await index.search(repo('nothing'), randomVector(1), null, 5)).toEqual([])
    expect(await index.count(repo('nothing'))).toBe(0)
    await index.clear(repo('nothing'))
    await index.delete(repo('nothing'), [vectorKey('x')])
  })
}

/** The whole list, reckoned here in the plainest way. */
export function expected(entries: readonly VectorEntry[], query: Vector): VectorHit[] {
  return entries
    .map(({ key, vector }) => ({ key, score: dot(query, vector, 0) }))
    .sort((a, b) => b.score - a.score || compareBytes(a.key, b.key))
}

export function randomEntries(count: number, seed: number): VectorEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    key: vectorKey(`entry ${seed} ${at}`) as VectorKey,
    vector: randomVector(seed * 1_000 + at),
  }))
}

export function randomVector(seed: number, dims = SUITE_DIMS): Vector {
  let state = (seed * 2_654_435_761) >>> 0
  const values = Array.from({ length: dims }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  })
  return quantise(values)!
}
