import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { BlobId, FileIndex, Link } from '../../src/domain/code.ts'
import { type CodeGraph, damped, graphOf } from '../../src/domain/graph.ts'
import { HOPS, nearby } from '../../src/domain/graph-walk.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import { indexesOf, type Texts, viewOf } from './code-of.ts'

/** `path confidence` of what a file uses, by path. */
function uses(graph: CodeGraph, path: string): string[] {
  const found = graph.uses(graph.number(path)!)
  return found.map(({ file, confidence }) => `${graph.path(file)} ${confidence}`).sort()
}

async function graphOfTexts(texts: Texts): Promise<CodeGraph> {
  return graphOf(viewOf(await indexesOf(texts)).view)
}

describe('what a name means', () => {
  test('is what it is imported from, through what hands it on', async () => {
    const graph = await graphOfTexts({
      'src/page.ts': "import { render } from './lib'\nexport const page = render()\n",
      'src/lib/index.ts': "export * from './draw'\n",
      'src/lib/draw.ts': 'export function render() {}\n',
      'src/other.ts': 'export function render() {}\n',
    })
    expect(uses(graph, 'src/page.ts')).toEqual(['src/lib/draw.ts 4', 'src/lib/index.ts 3'])
  })

  test('is nothing here when it is imported from outside', async () => {
    const graph = await graphOfTexts({
      'src/page.ts': "import { takeUntil } from 'rxjs'\nexport const page = takeUntil()\n",
      'src/plain.ts': 'export const plain = takeUntil()\n',
      'src/ours.ts': 'export function takeUntil() {}\n',
    })
    expect(uses(graph, 'src/page.ts')).toEqual([])
    expect(uses(graph, 'src/plain.ts')).toEqual(['src/ours.ts 2'])
  })

  test('is never in another family of languages', async () => {
    const graph = await graphOfTexts({
      'a.py': 'def f():\n    return build_table()\n',
      'b.ts': 'export function build_table() {}\n',
      'c.js': 'build_table()\n',
    })
    expect(uses(graph, 'a.py')).toEqual([])
    expect(uses(graph, 'c.js')).toEqual(['b.ts 2'])
  })

  test('is of the own file when that defines it, and no word of prose is a name', async () => {
    const graph = await graphOfTexts({
      'src/a.ts': 'function parseUrl() {}\nexport const a = parseUrl() // compose it\n',
      'src/b.ts': 'export function parseUrl() {}\nexport function compose() {}\n',
    })
    expect(uses(graph, 'src/a.ts')).toEqual([])
  })

  test('that many define is nobody’s; of a few, that beside comes first, and no test’s', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`m/${at}.ts`, 'export function getState() {}\n']),
    )
    const graph = await graphOfTexts({
      ...many,
      'x/user.ts': 'export const u = getState() + makeRow() + onlyTests()\n',
      'x/row.ts': 'export function makeRow() {}\n',
      'y/row.ts': 'export function makeRow() {}\n',
      'test/row.test.ts': 'function onlyTests() {}\n',
    })
    expect(uses(graph, 'x/user.ts')).toEqual(['x/row.ts 2'])
  })

  test('of a module imported as a whole is that module’s', async () => {
    const graph = await graphOfTexts({
      'go.mod': 'module example.com/shop\n',
      'main.go': 'package main\nimport "example.com/shop/cart"\nfunc main() { cart.Total() }\n',
      'cart/cart.go': 'package cart\nfunc Total() int { return sum() }\n',
      'cart/sum.go': 'package cart\nfunc sum() int { return 1 }\n',
      'bill/bill.go': 'package bill\nfunc Total() int { return 1 }\n',
    })
    expect(uses(graph, 'main.go')).toEqual(['cart/cart.go 3', 'cart/sum.go 3'])
    expect(uses(graph, 'cart/cart.go')).toEqual(['cart/sum.go 3'])
  })
})

describe('any graph', () => {
  const link = fc
    .record({ to: fc.nat(7), name: fc.nat(9), outside: fc.boolean() })
    .map(({ to, name, outside }): Link => {
      return ['import', outside ? 'lib' : `./f${to}`, `oneName${name}`]
    })
  const file = fc.record({
    links: fc.array(link, { maxLength: 4 }),
    defines: fc.uniqueArray(fc.nat(9), { maxLength: 4 }),
    uses: fc.uniqueArray(fc.nat(9), { maxLength: 6 }),
  })
  const repository = fc.array(file, { minLength: 2, maxLength: 8 })

  const made = (files: readonly Made[]) =>
    files.map((each, at): readonly [string, FileIndex] => [`f${at}.ts`, madeFile(at, each)])

  const table = (graph: CodeGraph) =>
    Array.from({ length: graph.size }, (_, at) => [graph.uses(at), graph.usedBy(at)])

  test('is the same whatever the order of indexing and what else is indexed', () => {
    fc.assert(
      fc.property(repository, fc.nat(), (files, turn) => {
        const all = made(files)
        const cut = turn % all.length
        const turned = [...all.slice(cut), ...all.slice(0, cut)].reverse()
        const other = new LexicalIndex()
        other.addFile('stranger.ts', madeFile(99, { links: [], defines: [1], uses: [2] }))
        const here = viewOf(all).view
        const there = other.view(viewOf(turned, other).view.byPath.values())
        expect(table(graphOf(there))).toEqual(table(graphOf(here)))
      }),
      { seed: 5, numRuns: 60 },
    )
  })

  test('is the same when what links mean is kept from the view before', () => {
    fc.assert(
      fc.property(repository, file, fc.nat(7), (files, changed, at) => {
        const before = viewOf(made(files))
        graphOf(before.view)
        const edited = files.map((each, number) => (number === at ? changed : each))
        const kept = graphOf(viewOf(made(edited), before.index).view)
        graphOf(viewOf([['z.ts', madeFile(98, changed)]]).view)
        expect(table(graphOf(viewOf(made(edited)).view))).toEqual(table(kept))
      }),
      { seed: 6, numRuns: 60 },
    )
  })

  test('has whole weights above zero, no edge to itself, and none that is not seen from both ends', () => {
    fc.assert(
      fc.property(repository, (files) => {
        const graph = graphOf(viewOf(made(files)).view)
        for (let from = 0; from < graph.size; from++) {
          for (const { file: to, weight, confidence } of graph.uses(from)) {
            expect(Number.isSafeInteger(weight) && weight > 0 && to !== from).toBe(true)
            expect([1, 2, 3, 4]).toContain(confidence)
            expect(graph.usedBy(to)).toContainEqual({ file: from, weight, confidence })
          }
        }
      }),
      { seed: 7, numRuns: 60 },
    )
  })

  test('walked, reaches nothing further than two hops, and the same in any order of the seeds', () => {
    fc.assert(
      fc.property(repository, fc.nat(7), fc.nat(7), (files, a, b) => {
        const graph = graphOf(viewOf(made(files)).view)
        const seeds = [...new Set([a % graph.size, b % graph.size])].map((at) => ({
          path: graph.path(at),
          score: 1_000_000,
        }))
        const found = nearby(graph, seeds, () => true)
        expect(nearby(graph, seeds.toReversed(), () => true)).toEqual(found)
        let front = new Set(seeds.map(({ path }) => graph.number(path)!))
        const within = new Set<number>()
        for (let hop = 0; hop < HOPS; hop++) {
          const step = [...front].flatMap((at) => [...graph.uses(at), ...graph.usedBy(at)])
          front = new Set(step.map(({ file: to }) => to))
          for (const to of front) within.add(to)
        }
        for (const path of found) expect(within.has(graph.number(path)!)).toBe(true)
      }),
      { seed: 8, numRuns: 60 },
    )
  })
})

test('of many users the heaviest sixty-four are told, then the first by path, as often as one asks', () => {
  const user = (at: number, name: number): readonly [string, FileIndex] => [
    `u/${String(at).padStart(2, '0')}.ts`,
    madeFile(at, { links: [['import', '../f', `oneName${name}`]], defines: [], uses: [name] }),
  ]
  const graph = graphOf(
    viewOf([
      ['f.ts', madeFile(99, { links: [], defines: [1], uses: [] })],
      // The first names what is not there: the import alone counts, which is less.
      ...Array.from({ length: 70 }, (_, at) => user(at, at === 0 ? 2 : 1)),
    ]).view,
  )
  const told = () => graph.usedBy(graph.number('f.ts')!).map(({ file }) => graph.path(file))
  const first = told()
  expect(first).toEqual(
    Array.from({ length: 64 }, (_, at) => `u/${String(at + 1).padStart(2, '0')}.ts`),
  )
  expect(told()).toEqual(first)
})

test('the more use a file, the less each of them says of it', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.nat(20_000), fc.nat(20_000), (weight, a, b) => {
      const [few, many] = [Math.min(a, b), Math.max(a, b)]
      expect(damped(weight, many)).toBeLessThanOrEqual(damped(weight, few))
      expect(Number.isSafeInteger(damped(weight, few))).toBe(true)
    }),
    { seed: 9, numRuns: 300 },
  )
})

describe('the gate', () => {
  let graph: CodeGraph
  beforeAll(async () => {
    graph = await graphOfTexts({
      'a.ts': "import { b } from './b'\nexport const a = b + farAway()\n",
      'b.ts': 'export const b = 1\n',
      'c.ts': 'export function farAway() {}\n',
    })
  })
  const from = [{ path: 'a.ts', score: 1_000_000 }]

  test('lets in what a seed imports', () => {
    expect(nearby(graph, from, () => false)).toEqual(['b.ts'])
  })

  test('lets in what is only likely when it is related by words', () => {
    expect(nearby(graph, from, (path) => path === 'c.ts').sort()).toEqual(['b.ts', 'c.ts'])
  })
})

type Made = {
  readonly links: readonly Link[]
  readonly defines: readonly number[]
  readonly uses: readonly number[]
}

function madeFile(at: number, { links, defines, uses: used }: Made): FileIndex {
  const words = [...new Set([...defines, ...used])].map((name) => `#onename${name}`)
  return {
    blob: `${at} ${JSON.stringify([links, defines, used])}` as BlobId,
    ...{ language: 'typescript', status: 'parsed', bytes: 1, lines: 9, hash: `h${at}` },
    ...{ words, counts: words.map(() => 1), links },
    symbols: defines.map((name) => ({
      ...{ name: `oneName${name}`, kind: 'function', line: 1, endLine: 2 },
      ...{ signature: '', doc: '', hash: 'h', words: [] },
    })),
  }
}
