import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Link } from '../../src/domain/code.ts'
import { graphAfter } from '../../src/domain/graph.ts'
import { NAMES, rows, Shop } from './graph-shop.ts'

type World = { readonly paths: readonly string[]; readonly targets: readonly string[] }

/** By language: paths that stand in front of others, and what may mean the one or the other. */
const WORLDS: Readonly<Record<string, World>> = {
  typescript: {
    paths: ['hat.ts', 'hat.js', 'hat.d.ts', 'hat/index.ts', 'hat/box.ts', 'box.ts', 'index.ts'],
    targets: ['./hat', './hat.js', './hat/index', './box', '.', '..', '../hat', '../box'],
  },
  python: {
    paths: [
      'hat.py',
      'hat/__init__.py',
      'hat/box.py',
      'hat.pyi',
      'src/hat.py',
      'box.py',
      'src/box.py',
    ],
    targets: ['hat', 'hat.box', 'box', '.', '.hat', '.box', '..box', 'src.hat'],
  },
  rust: {
    paths: [
      'src/lib.rs',
      'src/hat.rs',
      'src/hat/mod.rs',
      'src/hat/box.rs',
      'src/box.rs',
      'Cargo.toml',
    ],
    targets: ['crate', 'crate::hat', 'self::hat', 'super', 'super::box', 'hat::box', 'crate::box'],
  },
  go: {
    paths: [
      'go.mod',
      'main.go',
      'hat/a.go',
      'hat/b.go',
      'hat/a_test.go',
      'box/a.go',
      'hat/box/a.go',
    ],
    targets: ['m/hat', 'm/box', 'm/hat/box', 'm', 'fmt'],
  },
  java: {
    paths: ['hat/A.java', 'hat/B.java', 'box/A.java', 'box/C.java', 'D.java'],
    targets: ['m', 'm.A', 'm.B', 'box', 'box.A', 'box.C.of'],
  },
  c: {
    paths: [
      'hat.h',
      'hat.c',
      'src/hat.c',
      'src/hat.h',
      'inc/hat.h',
      'inc/hat.cc',
      'box.h',
      'src/box.c',
    ],
    targets: ['hat.h', 'src/hat.h', '../hat.h', 'box.h', 'inc/hat.h'],
  },
}

for (const [language, { paths, targets }] of Object.entries(WORLDS)) {
  test(`${language}: a graph is that from nothing after files came, went and were renamed`, () => {
    const path = fc.constantFrom(...paths)
    const names = fc.uniqueArray(fc.nat(NAMES.length - 1), { maxLength: 3 })
    const link = fc
      .tuple(fc.constantFrom('import', 'export'), fc.constantFrom(...targets), names, fc.boolean())
      .map(([kind, target, of, isStarred]): Link => {
        return [kind as Link[0], target, ...(isStarred ? ['*'] : of.map((at) => NAMES[at]!))]
      })
    const declared = fc.constantFrom('m', 'box').map((name): Link => ['package', name])
    const links = fc.tuple(fc.array(declared, { maxLength: 1 }), fc.array(link, { maxLength: 4 }))
    const made = fc.record({
      language: fc.oneof({ weight: 9, arbitrary: fc.constant(language) }, fc.constant('text')),
      links: links.map((of) => of.flat()),
      defines: names,
      uses: names,
    })
    const change = fc.array(
      fc.oneof(
        fc.record({ path, to: fc.oneof(made, fc.constant(null)) }),
        fc.record({ path, renamed: path }),
      ),
      { minLength: 1, maxLength: 3 },
    )
    const first = fc.array(fc.record({ path, to: made }), { minLength: 3, maxLength: 9 })
    const changes = fc.array(change, { minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(first, changes, (files, rest) => {
        const shop = new Shop(files)
        let graph = graphAfter(null, shop.view())
        for (const some of rest) {
          for (const each of some) {
            if ('renamed' in each) shop.rename(each.path, each.renamed)
            else shop.make([each])
          }
          const view = shop.view()
          graph = graphAfter(graph, view)
          expect(rows(graph)).toEqual(rows(graphAfter(null, view)))
        }
      }),
      { seed: 26, numRuns: 40 },
    )
  })
}
