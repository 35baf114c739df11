import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import type { TreeEntry, TreeKey } from '../../src/domain/code-view.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Store } from '../../src/store/store.ts'
import { ada, newRepo } from '../support/store-facts.ts'
import { BACKENDS, onEach, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('the code index', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  beforeAll(async () => {
    opened = await open()
    store = opened.store
    repo = (await store.createRepo(newRepo(), ada)).id
  })
  afterAll(() => opened.close())

  const blob = (n: number) => `${n.toString(16).padStart(40, '0')}.typescript` as BlobId
  const file = (n: number, given: Partial<FileIndex> = {}): FileIndex => ({
    blob: blob(n),
    language: 'typescript',
    status: 'parsed',
    bytes: 120,
    lines: 4,
    hash: n.toString(16).padStart(32, '0'),
    words: ['#parseurl', 'pars', 'url', '"\\\0\ud800', '\u{1f600}'],
    counts: [1, 2, 3, 4, 5],
    symbols: [
      {
        name: 'parseUrl',
        kind: 'function',
        line: 1,
        endLine: 4,
        signature: 'function parseUrl(text: string): URL',
        doc: '',
        hash: 'f'.repeat(32),
        words: [0, 1],
      },
    ],
    ...given,
  })

  test('gives back what was put, once by content and version', async () => {
    await store.putFiles(repo, 'v1', [file(1), file(2), file(1)])
    await store.putFiles(repo, 'v1', [file(2, { lines: 9 })])
    const found = await store.files(repo, 'v1', [blob(2), blob(3), blob(1), blob(1)])
    expect(found.toSorted((a, b) => (a.blob < b.blob ? -1 : 1))).toEqual([file(1), file(2)])
    expect(await store.files(repo, 'v2', [blob(1)])).toEqual([])
    const other = await store.createRepo(newRepo(), ada)
    expect(await store.files(other.id, 'v1', [blob(1)])).toEqual([])
  })

  test('says what is missing, in the order asked', async () => {
    await store.putFiles(repo, 'm', [file(5), file(7)])
    const asked = [blob(9), blob(7), blob(6), blob(5), blob(9), blob(1)]
    expect(await store.missingFiles(repo, 'm', asked)).toEqual([blob(9), blob(6), blob(1)])
    expect(await store.missingFiles(repo, 'm', [])).toEqual([])
  })

  test('takes thousands at a time', async () => {
    const blobs = Array.from({ length: 2_600 }, (_, n) => blob(n))
    await store.putFiles(
      repo,
      'many',
      blobs.map((_, n) => file(n)),
    )
    expect(await store.missingFiles(repo, 'many', [...blobs, blob(9_999)])).toEqual([blob(9_999)])
    expect((await store.files(repo, 'many', blobs)).length).toBe(2_600)
  })

  test('counts what did not parse, and names fifty of it', async () => {
    const files = Array.from({ length: 60 }, (_, n) =>
      file(100 - n, { status: n < 55 ? 'unparsable' : n < 58 ? 'left_out' : 'text' }),
    )
    await store.putFiles(repo, 'bad', files)
    const { count, blobs } = await store.unparsable(repo, 'bad')
    expect([count, blobs.length, blobs[0], blobs[49]]).toEqual([55, 50, blob(46), blob(95)])
    expect(await store.unparsable(repo, 'none')).toEqual({ count: 0, blobs: [] })
  })

  test('keeps the listing of a tree', async () => {
    const key = 'a/v1' as TreeKey
    const entries: TreeEntry[] = [
      { path: 'ü/"\\\n\ud800', blob: blob(1) },
      { path: 'logo.png', blob: null },
    ]
    expect([await store.hasTree(repo, key), await store.tree(repo, key)]).toEqual([false, null])
    await store.putTree(repo, key, entries)
    expect([await store.hasTree(repo, key), await store.tree(repo, key)]).toEqual([true, entries])
    await store.putTree(repo, key, entries.slice(1))
    expect(await store.tree(repo, key)).toEqual(entries.slice(1))
  })

  test('keeps the twenty trees that were used last', async () => {
    const { id } = await store.createRepo(newRepo(), ada)
    const key = (n: number) => `${n}/v1` as TreeKey
    const kept = async () => {
      const found: number[] = []
      for (let n = 0; n < 23; n++) if (await store.hasTree(id, key(n))) found.push(n)
      return found
    }
    const hours = (n: number) => opened.query('UPDATE clock_shift SET millis = $1', [n * 3_600_000])
    for (let n = 0; n < 20; n++) await store.putTree(id, key(n), [])
    // Used again within the hour: not worth a write. Later: it is.
    await hours(0.5)
    await store.tree(id, key(1))
    await hours(2)
    await store.tree(id, key(0))
    await store.putTree(id, key(20), [])
    await store.putTree(id, key(21), [])
    await hours(0)
    expect(await kept()).toEqual([0, ...Array.from({ length: 17 }, (_, n) => n + 3), 20, 21])
  })
})
