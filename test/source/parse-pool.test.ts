import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareBytes } from '../../src/domain/order.ts'
import { indexFiles } from '../../src/source/index-files.ts'
import type { SourceFile, SourceResult } from '../../src/source/parse-file.ts'
import {
  createParsePool,
  type ParsePool,
  type ParsePoolOptions,
} from '../../src/source/parse-pool.ts'
import { sourceFile } from './indexed.ts'

const FIXTURES = join(import.meta.dir, '../fixtures/languages')
const MORTAL = join(import.meta.dir, 'mortal-worker.ts')

/** Every language's golden file under several names, text, and files that have no place. */
const files: readonly SourceFile[] = [
  ...Array.from({ length: 4 }, (_, copy) =>
    readdirSync(FIXTURES).flatMap((language) =>
      readdirSync(join(FIXTURES, language))
        .filter((name) => name.endsWith('.txt'))
        .map((name) =>
          sourceFile(
            `${copy}/${language}/${name.slice(0, -'.txt'.length)}`,
            readFileSync(join(FIXTURES, language, name)),
          ),
        ),
    ),
  ).flat(),
  sourceFile('notes.txt', 'some words\n'),
  sourceFile('a.bin', 'a\0b'),
]

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) yield value
}

async function gather(results: AsyncIterable<SourceResult>): Promise<SourceResult[]> {
  const all = await Array.fromAsync(results)
  return all.sort((a, b) => compareBytes(a.path, b.path))
}

async function withPool<T>(
  options: ParsePoolOptions,
  use: (pool: ParsePool) => Promise<T>,
): Promise<T> {
  const pool = createParsePool(options)
  try {
    return await use(pool)
  } finally {
    pool.close()
  }
}

test('one worker or two, in order or not: the same results', async () => {
  const one = await withPool({ workers: 1 }, (pool) => gather(pool.index(each(files))))
  const two = await withPool({ workers: 2 }, (pool) => gather(pool.index(each(files.toReversed()))))
  const chosen = await gather(indexFiles(each(files), files.length))
  expect(one.map(({ path }) => path)).toEqual(files.map(({ path }) => path).sort(compareBytes))
  expect(two).toEqual(one)
  expect(chosen).toEqual(one)
}, 60_000)

describe('a worker that comes to grief', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'av-parse-pool-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('costs its file the symbols, and no other file anything', async () => {
    const bad = ['ends/a.py', 'hangs/a.py', 'throws/a.py'].map((path) =>
      sourceFile(path, 'def f(): pass\n'),
    )
    const once = sourceFile('ends-once/a.py', `# ${join(folder, 'seen')}\ndef f(): pass\n`)
    const good = Array.from({ length: 12 }, (_, i) =>
      sourceFile(`good/${i}.py`, `def f${i}(): pass\n`),
    )
    const mixed = [
      good[0]!,
      bad[0]!,
      ...good.slice(1, 5),
      bad[1]!,
      once,
      ...good.slice(5, 9),
      bad[2]!,
      ...good.slice(9),
    ]
    const results = await withPool({ workers: 2, entry: MORTAL, fileTimeoutMs: 1_000 }, (pool) =>
      gather(pool.index(each(mixed))),
    )
    const told = results.map((result) =>
      result.kind === 'indexed'
        ? `${result.path}: ${result.index.status} ${result.index.symbols.map(({ name }) => name)}`
        : `${result.path}: ${result.reason}`,
    )
    expect(told).toEqual(
      [
        'ends-once/a.py: parsed f',
        'ends/a.py: unparsable ',
        ...good.map(({ path }, i) => `${path}: parsed f${i}`),
        'hangs/a.py: unparsable ',
        'throws/a.py: unparsable ',
      ].sort(compareBytes),
    )
  }, 30_000)
})

describe('a worker that is of no use is told, not taken for the fault of every file', () => {
  test.each([
    ['it cannot start', join(import.meta.dir, 'no-such-worker.ts'), 'a.py', 'it did not start'],
    ['it has no grammar', MORTAL, 'grammarless/a.py', 'no such file'],
  ])('%s', async (_, entry, path, why) => {
    await withPool({ workers: 2, entry }, async (pool) => {
      const results = gather(pool.index(each([sourceFile(path, 'def f(): pass\n')])))
      await expect(results).rejects.toThrow(why)
    })
  })
})

describe('a reader that is slow or leaves', () => {
  /** Counts what is asked of it, and whether it was told to end. */
  function countedFiles(count: number) {
    const seen = { taken: 0, ended: false }
    async function* give(): AsyncGenerator<SourceFile> {
      try {
        for (let i = 0; i < count; i++) {
          seen.taken++
          yield sourceFile(`${i}.py`, `def f${i}(): pass\n`)
        }
      } finally {
        seen.ended = true
      }
    }
    return { seen, give }
  }

  test('keeps the pool from reading on', async () => {
    const { seen, give } = countedFiles(500)
    await withPool({ workers: 2 }, async (pool) => {
      for await (const _ of pool.index(give())) {
        await Bun.sleep(20)
        expect(seen.taken).toBeLessThan(60)
        if (seen.taken > 20) break
      }
    })
    expect(seen.ended).toBe(true)
  }, 30_000)

  test('leaves a pool that can be used again', async () => {
    const { give } = countedFiles(100)
    await withPool({ workers: 2 }, async (pool) => {
      for await (const _ of pool.index(give())) break
      const again = await gather(pool.index(each([sourceFile('b.py', 'def g(): pass\n')])))
      expect(again.map(({ path }) => path)).toEqual(['b.py'])
    })
  }, 30_000)

  test('is told when the files themselves fail', async () => {
    async function* failing(): AsyncGenerator<SourceFile> {
      yield sourceFile('a.py', 'def f(): pass\n')
      throw new Error('the disk is gone')
    }
    await withPool({ workers: 1 }, async (pool) => {
      await expect(gather(pool.index(failing()))).rejects.toThrow('the disk is gone')
    })
  })
})

test('a file that vanished is passed over', async () => {
  const gone = { ...sourceFile('gone.py', ''), bytes: null }
  const results = await gather(indexFiles(each([gone, sourceFile('a.py', '')]), 2))
  expect(results.map(({ path }) => path)).toEqual(['a.py'])
})
