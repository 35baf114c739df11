import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Link } from '../../src/domain/code.ts'
import { graphAfter, graphOf } from '../../src/domain/graph.ts'
import { type Edit, type Made, NAMES, PLAIN, rows, Shop } from './graph-shop.ts'

const [PUBLIC_ROW, PRIVATE_ROW] = [0, 5]
const LANGUAGES = ['typescript', 'tsx', 'python', 'rust', 'go', 'java', 'text']
/** Where one file more or less changes what others' links mean. */
const PATHS = [
  ...[
    'a.ts',
    'b.ts',
    'c.ts',
    'c/index.ts',
    'lib/a.ts',
    'lib/index.ts',
    'lib/b.tsx',
    'lib/a.test.ts',
  ],
  ...['p/__init__.py', 'p/a.py', 'p/b.py', 'q/a.py', 'src/p/a.py', 'src/lib.rs', 'src/a.rs'],
  ...[
    'src/a/mod.rs',
    'src/a/b.rs',
    'Cargo.toml',
    'go.mod',
    'cart/a.go',
    'cart/b.go',
    'cart/a_test.go',
  ],
  ...['shop/A.java', 'shop/B.java', 'tsconfig.json', 'package.json'],
]
const TARGETS = [
  ...['./a', './b', './c', '.', './lib', '../a', '../c', './index', 'c', 'a', '@x/a', 'react'],
  ...['.a', '.b', 'p', 'p.a', 'q.a', 'crate::a', 'self::b', 'super::a', 'crate::a::b', 'm/cart'],
  ...['shop', 'shop.A', 'shop.all'],
]

const name = fc.nat(NAMES.length - 1)
const names = fc.uniqueArray(name, { maxLength: 4 })
const link: fc.Arbitrary<Link> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom('import', 'export'), fc.constantFrom(...TARGETS), names),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constant('package'), fc.constantFrom('shop', 'm'), fc.constant([])),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constant('root'), fc.constantFrom('src', 'lib'), fc.constant([])),
    },
  )
  .chain(([kind, target, of]) =>
    fc.boolean().map((isStarred): Link => {
      const given = of.map((at) => NAMES[at]!)
      const isStatement = kind === 'import' || kind === 'export'
      return [kind as Link[0], target, ...(isStarred && isStatement ? ['*'] : given)]
    }),
  )
const made = fc.record({
  language: fc.constantFrom(...LANGUAGES),
  links: fc.array(link, { maxLength: 4 }),
  defines: names,
  uses: names,
})
const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.constantFrom(...PATHS),
  to: fc.option(made, { freq: 6 }),
})

describe('a graph made from that of another view', () => {
  test('is the graph made from nothing, after each of twenty changes', () => {
    const changes = fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), {
      minLength: 20,
      maxLength: 20,
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 4, maxLength: 20 }), changes, (first, rest) => {
        const shop = new Shop(first)
        let graph = graphAfter(null, shop.view())
        for (const some of rest) {
          shop.make(some)
          const view = shop.view()
          graph = graphAfter(graph, view)
          expect(rows(graph)).toEqual(rows(graphAfter(null, view)))
        }
      }),
      { seed: 21, numRuns: 60 },
    )
  })

  test('is so too where only names and their uses change, in files that keep their links', () => {
    const kept = fc.array(made, { minLength: 8, maxLength: 8 })
    const change = fc.record({ at: fc.nat(7), defines: names, uses: names })
    fc.assert(
      fc.property(kept, fc.array(change, { minLength: 20, maxLength: 20 }), (files, changes) => {
        const now = files.map((each) => ({ ...each, language: 'typescript' }))
        const shop = new Shop(now.map((to, at) => ({ path: PATHS[at]!, to })))
        let graph = graphAfter(null, shop.view())
        for (const { at, ...held } of changes) {
          now[at] = { ...now[at]!, ...held }
          shop.make([{ path: PATHS[at]!, to: now[at] }])
          const view = shop.view()
          graph = graphAfter(graph, view)
          expect(rows(graph)).toEqual(rows(graphAfter(null, view)))
        }
      }),
      { seed: 22, numRuns: 60 },
    )
  })

  test('is so too where the number of a name’s definers crosses a bound', () => {
    const toggle = fc.record({ at: fc.nat(9), name: fc.nat(2) })
    fc.assert(
      fc.property(fc.array(toggle, { minLength: 20, maxLength: 20 }), (toggles) => {
        const crowd = crowded()
        const shop = new Shop([...crowd].map(([path, to]) => ({ path, to })))
        let graph = graphAfter(null, shop.view())
        for (const { at, name: of } of toggles) {
          const path = `f/${at}.ts`
          const { defines, ...file } = crowd.get(path)!
          const other = defines.includes(of) ? defines.filter((n) => n !== of) : [...defines, of]
          crowd.set(path, { ...file, defines: other })
          shop.make([{ path, to: crowd.get(path)! }])
          const view = shop.view()
          graph = graphAfter(graph, view)
          expect(rows(graph)).toEqual(rows(graphAfter(null, view)))
        }
      }),
      { seed: 23, numRuns: 8 },
    )
  })

  test('is so too where what hands names on, over several files, is all that changes', () => {
    const handing = fc.array(
      fc.tuple(
        fc.constantFrom('./b0', './b1', './b2', './d0', './d1', './d2'),
        fc.option(fc.nat(2)),
      ),
      { maxLength: 3 },
    )
    const change = fc.record({ at: fc.nat(2), links: handing })
    fc.assert(
      fc.property(fc.array(change, { minLength: 20, maxLength: 20 }), (changes) => {
        const of = [0, 1, 2]
        const shop = new Shop([
          ...of.map((at) => ({ path: `b${at}.ts`, to: PLAIN })),
          ...of.map((at) => ({ path: `d${at}.ts`, to: { ...PLAIN, defines: [at, 7] } })),
          ...of.flatMap((at) => [
            { path: `u${at}.ts`, to: using(['import', `./b${at}`, 'readRow', 'drawBox']) },
            { path: `v${at}.ts`, to: using(['import', `./b${at}`, '*']) },
          ]),
        ])
        let graph = graphAfter(null, shop.view())
        for (const { at, links } of changes) {
          const given = links.map(([target, name]): Link => {
            return ['export', target, name === null ? '*' : NAMES[name]!]
          })
          shop.make([{ path: `b${at}.ts`, to: { ...PLAIN, links: given } }])
          const view = shop.view()
          graph = graphAfter(graph, view)
          expect(rows(graph)).toEqual(rows(graphAfter(null, view)))
        }
      }),
      { seed: 24, numRuns: 40 },
    )
  })

  test('is so too where all who define a name are private but one, now and then', () => {
    const definers = Array.from({ length: 8 }, (_, at) => `f/${at}.ts`)
    const shop = new Shop([
      ...definers.map((path) => ({ path, to: { ...PLAIN, defines: [PRIVATE_ROW] } })),
      { path: 'f/8.ts', to: PLAIN },
      { path: 'use.ts', to: using(['import', './f/3', '*']) },
    ])
    let graph = graphAfter(null, shop.view())
    for (const defines of [[PUBLIC_ROW], [], [PRIVATE_ROW], [PUBLIC_ROW, PRIVATE_ROW], []]) {
      shop.make([{ path: 'f/8.ts', to: { ...PLAIN, defines } }])
      const view = shop.view()
      graph = graphAfter(graph, view)
      expect(rows(graph)).toEqual(rows(graphAfter(null, view)))
    }
  })

  test('keeps what links mean where no ground changed', () => {
    const shop = new Shop([
      { path: 'a.ts', to: { ...PLAIN, links: [['import', './b', 'readRow']], uses: [0] } },
      { path: 'b.ts', to: { ...PLAIN, defines: [0] } },
    ])
    const before = graphAfter(null, shop.view())
    shop.make([{ path: 'b.ts', to: { ...PLAIN, defines: [0, 1] } }])
    const after = graphAfter(before, shop.view())
    expect(after.resolver).toBe(before.resolver)
    expect(after.links).toBe(before.links)
    shop.make([{ path: 'c.ts', to: PLAIN }])
    expect(graphAfter(after, shop.view()).resolver).not.toBe(before.resolver)
  })
})

test('graphs of two indexes used in turn do not touch each other', () => {
  const files = (of: number): Edit[] => [
    { path: 'a.ts', to: { ...PLAIN, uses: [of] } },
    { path: 'b.ts', to: { ...PLAIN, defines: [of] } },
  ]
  const [one, two] = [new Shop(files(0)), new Shop([...files(1), { path: 'c.ts', to: PLAIN }])]
  for (let round = 0; round < 3; round++) {
    for (const shop of [one, two]) {
      shop.make([{ path: 'a.ts', to: { ...PLAIN, uses: [round] } }])
      const view = shop.view()
      expect(rows(graphOf(view))).toEqual(rows(graphAfter(null, view)))
    }
  }
})

function using(link: Link): Made {
  return { ...PLAIN, links: [link], uses: [0, 1, 2, PUBLIC_ROW] }
}

/** 64 files of which 60 define one name, four another; ten more use and import some of them. */
function crowded(): Map<string, Made> {
  const files = new Map<string, Made>()
  for (let at = 0; at < 64; at++) {
    const defines = [...(at >= 4 ? [0] : []), ...(at >= 60 ? [1, 3] : [])]
    files.set(`f/${at}.ts`, { ...PLAIN, defines })
  }
  for (let at = 0; at < 10; at++) {
    const links: Link[] =
      at < 5
        ? [
            ['import', `../f/${at}`, '*'],
            ['import', `../f/${at + 57}`],
          ]
        : []
    files.set(`use/${at}.ts`, { ...PLAIN, links, uses: [0, 1, 2, 3] })
  }
  return files
}
