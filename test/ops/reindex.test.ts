import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BlobId } from '../../src/domain/code.ts'
import type { TreeKey } from '../../src/domain/code-view.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Store } from '../../src/store/store.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'
import { type File, keyOf, send, TREE, VERSION } from './small-shop.ts'

setDefaultTimeout(60_000)

const FILES: readonly File[] = Array.from({ length: 12 }, (_, n) => ({
  path: `src/part-${n}.ts`,
  text: `export function endSession${n}(user: string) {\n  return user\n}\n`,
}))
const VIEW = { tree: TREE, overlay: [] }

describe('an index built anew', () => {
  let office: Office
  let store: Store
  let task: string
  beforeAll(async () => {
    store = (await freshStore()).store
    office = await Office.open(store)
    const made = await office.task('End the session', agent('ada'))
    task = made.task
    await office.record(task, made.owner, 'Sessions end at once')
    await send(office, FILES, FILES)
  })
  const input = () => ({ repo: office.repo, view: VIEW })
  const pack = () =>
    office.call('pack', {
      ...{ ...input(), task, focus: [], budget: 800, explain: false },
      ...{ changed: [], indexing: false },
    })

  test('gives the same pack as before, whatever order it comes in', async () => {
    const before = await pack()
    expect(before.degraded).toEqual([])
    expect((await office.call('index.drop', { repo: office.repo })).left).toBe(0)
    const without = await office.call('index.state', input())
    expect(without.treeKnown).toBe(false)
    await send(office, FILES, FILES.slice(0, 5))
    const partly = await pack()
    expect(partly.degraded).toEqual(['index'])
    await send(office, FILES, FILES.toReversed())
    expect(await office.call('index.load', input())).toEqual({ files: 12, symbols: 12, records: 1 })
    expect(await pack()).toEqual(before)
  })

  test('is asked for in full: nothing dropped is taken for stored', async () => {
    await pack()
    await office.call('index.drop', { repo: office.repo })
    await send(office, FILES, [])
    expect(await office.call('index.state', input())).toMatchObject({ total: 12, missing: 12 })
    await send(office, FILES, FILES)
  })

  test('what another daemon dropped is asked for again', async () => {
    office.restart()
    expect(await office.call('index.state', input())).toMatchObject({ missing: 0 })
    const other = await Office.open(store, 2)
    expect(other.repo).toBe(office.repo)
    await other.call('index.drop', { repo: office.repo })
    expect((await pack()).degraded).toEqual(['index'])
    expect(await office.call('index.state', input())).toMatchObject({ missing: 12 })
    await send(office, FILES, FILES)
    expect((await pack()).degraded).toEqual([])
  })

  test('what memory holds is the same as what the store makes', async () => {
    await office.call('index.load', input())
    expect(await office.call('index.compare', input())).toEqual({
      ...{ symbols: 12, records: 1, difference: null },
    })
  })

  test('memory that lost or kept something is told', async () => {
    const [lost] = FILES
    if (lost === undefined) throw new Error('no files')
    await office.call('index.load', input())
    // Behind the daemon's back.
    const blobs = FILES.map((file) => keyOf(file) as BlobId)
    const kept = await store.files(office.repo as RepoId, VERSION, blobs)
    await store.dropCodeIndex(office.repo as RepoId, 5_000)
    await store.putFiles(
      office.repo as RepoId,
      VERSION,
      kept.filter(({ blob }) => blob !== keyOf(lost)),
    )
    await store.putTree(
      office.repo as RepoId,
      TREE as TreeKey,
      FILES.map((file) => ({ path: file.path, blob: keyOf(file) as BlobId })),
    )
    const { difference } = await office.call('index.compare', input())
    expect(difference).toEqual({
      ...{ part: 'memory', missing: 0, different: 0, leftOver: 1, examples: [lost.path] },
    })
    await store.putFiles(office.repo as RepoId, VERSION, kept)
    expect((await office.call('index.compare', input())).difference).toBeNull()
  })

  test('rows are told by version and a hash of their content', async () => {
    const { items, more } = await office.call('index.rows', { repo: office.repo, after: null })
    expect([items.length, more, new Set(items.map(({ print }) => print)).size]).toEqual([
      12,
      false,
      12,
    ])
    expect(items.every(({ version }) => version === VERSION)).toBe(true)
    const listings = await office.call('index.listings', { repo: office.repo, after: null })
    expect(listings.items.map(({ key }) => key)).toEqual([TREE])
  })
})
