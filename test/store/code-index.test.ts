import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import type { TreeEntry, TreeKey } from '../../src/domain/code-view.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import type { Store } from '../../src/store/store.ts'
import { ada, newRepo } from '../support/store-facts.ts'
import { BACKENDS, onEach, shiftClock, type TestStore } from '../support/stores.ts'

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
    expect(await store.tree(repo, key)).toBeNull()
    await store.putTree(repo, key, entries)
    expect(await store.tree(repo, key)).toEqual(entries)
    await store.putTree(repo, key, entries.slice(1))
    expect(await store.tree(repo, key)).toEqual(entries.slice(1))
  })

  test('keeps the twenty trees that were used last', async () => {
    const { id } = await store.createRepo(newRepo(), ada)
    const key = (n: number) => `${n}/v1` as TreeKey
    const kept = async () => {
      const found = await store.treesAfter(id, null, 30)
      return found.map((row) => Number.parseInt(row.key, 10)).sort((a, b) => a - b)
    }
    const minutes = (n: number) => shiftClock(opened.query, n * 60)
    // A minute apart: PGlite's clock ticks in milliseconds, and two in one tick were used at once.
    for (let n = 0; n < 20; n++) {
      await minutes(n)
      await store.putTree(id, key(n), [])
    }
    // Used again within the hour: not worth a write. Later: it is.
    await minutes(30)
    await store.tree(id, key(1))
    await minutes(120)
    await store.tree(id, key(0))
    await store.putTree(id, key(20), [])
    await store.putTree(id, key(21), [])
    await minutes(0)
    expect(await kept()).toEqual([0, ...Array.from({ length: 17 }, (_, n) => n + 3), 20, 21])
  })

  test('gives all of it in pages, by version and content', async () => {
    const { id } = await store.createRepo(newRepo(), ada)
    await store.putFiles(id, 'b', [file(2), file(1)])
    await store.putFiles(id, 'a', [file(3)])
    const first = await store.filesAfter(id, null, 2)
    expect(first).toEqual([
      { version: 'a', blob: blob(3), file: file(3) },
      { version: 'b', blob: blob(1), file: file(1) },
    ])
    expect(await store.filesAfter(id, { version: 'b', blob: blob(1) }, 2)).toEqual([
      { version: 'b', blob: blob(2), file: file(2) },
    ])
    const entries = [{ path: 'x', blob: blob(1) }]
    for (const key of ['2/b', '1/a']) await store.putTree(id, key as TreeKey, entries)
    expect(await store.treesAfter(id, null, 1)).toEqual([{ key: '1/a' as TreeKey, entries }])
    expect(await store.treesAfter(id, '1/a' as TreeKey, 5)).toEqual([
      { key: '2/b' as TreeKey, entries },
    ])
  })

  test('gives what was damaged without its content', async () => {
    const { id } = await store.createRepo(newRepo(), ada)
    await store.putFiles(id, 'v1', [file(1)])
    await store.putTree(id, 'a/v1' as TreeKey, [])
    for (const table of ['file_index', 'tree']) {
      await opened.query(`UPDATE ${table} SET doc = 'x' WHERE repo = $1`, [id])
    }
    expect(await store.filesAfter(id, null, 5)).toEqual([
      { version: 'v1', blob: blob(1), file: null },
    ])
    expect(await store.treesAfter(id, null, 5)).toEqual([{ key: 'a/v1' as TreeKey, entries: null }])
  })

  test('is dropped in bounded steps, of one repo', async () => {
    const { id } = await store.createRepo(newRepo(), ada)
    await store.putFiles(id, 'old', [file(1), file(2)])
    await store.putFiles(id, 'v1', [file(1)])
    await store.putTree(id, 'a/v1' as TreeKey, [])
    const before = (await store.filesAfter(repo, null, 5_000)).length
    expect(await store.dropCodeIndex(id, 3)).toEqual({ dropped: 3, left: 1 })
    expect(await store.dropCodeIndex(id, 3)).toEqual({ dropped: 1, left: 0 })
    expect(await store.dropCodeIndex(id, 3)).toEqual({ dropped: 0, left: 0 })
    expect(await store.filesAfter(id, null, 5)).toEqual([])
    expect((await store.filesAfter(repo, null, 5_000)).length).toBe(before)
  })
})
