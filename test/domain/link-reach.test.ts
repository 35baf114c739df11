import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Link } from '../../src/domain/code.ts'
import { CodeLayout, type LinkedFile, type ResolvedLink } from '../../src/domain/code-layout.ts'
import { isSameToOthers, LinkResolver } from '../../src/domain/link-resolver.ts'
import { packLinks } from '../../src/domain/packed-file.ts'

/** What files of some languages are called, what they import, and what project files say there. */
type World = {
  readonly folders: readonly string[]
  readonly names: readonly string[]
  readonly projects: readonly string[]
  readonly targets: readonly string[]
  readonly imported: readonly string[]
  readonly says: readonly Link[]
}

/** Each where one path is easily mistaken for another. */
const WORLDS: Readonly<Record<string, World>> = {
  ecmascript: {
    folders: ['', 'src/', 'src/hat/', 'lib/hat/', 'lib/hat.js/', 'dist/hat/', 'p/', 'p/src/'],
    names: [
      'hat.ts',
      'hat.d.ts',
      'hat.js.ts',
      'hat.test.ts',
      'box.ts',
      'box.js',
      'index.ts',
      'index.js',
    ],
    projects: ['package.json', 'tsconfig.json'],
    targets: ['.', '..', './', './hat', '../hat', './box.js', './index', './box?raw', '../src/hat'],
    imported: ['Thing', '*'],
    says: [
      ['root', 'src'],
      ['package', 'p'],
    ],
  },
  aliases: {
    folders: ['', 'src/', 'src/hat/', 'p/', 'p/src/', 'p/dist/'],
    names: ['hat.ts', 'hat.d.ts', 'pre-hat.ts', 'pre-.ts', 'box.js', 'index.ts', 'main.js'],
    projects: ['package.json', 'p/package.json', 'tsconfig.json', 'p/tsconfig.json', 'base.json'],
    targets: [
      ...[
        'x',
        'x/hat',
        'x/',
        'x/k',
        'k',
        'p',
        'p/',
        'p/hat',
        'p/.',
        'p/..',
        'p/../..',
        'hat',
        'k/..',
      ],
      ...['~hat', '#k', '#hat', 'react', 'src/hat', './hat', 'box', 'index'],
    ],
    imported: ['Thing', '*'],
    says: [
      ['alias', 'x', './src/hat'],
      ['alias', 'x', './dist/hat.js', './hat'],
      ['alias', 'x/*', './src/*'],
      ['alias', 'x/*', './src/pre-*', './*/box'],
      ['alias', 'x/*', './p/*.js'],
      ['alias', '~*', './src/*'],
      ['alias', '#*', './src/*/index.js'],
      ['alias', '#k', './src'],
      ['alias', 'p/hat', './dist/box.js'],
      ...(['.', 'src', 'hat', '..'] as const).map((root): Link => ['root', root]),
      ...(['p', 'x', 'react'] as const).map((name): Link => ['package', name]),
      ...(['./base', '../base.json'] as const).map((base): Link => ['import', base]),
    ],
  },
  python: {
    folders: ['', 'a/', 'a/b/', 'src/', 'src/a/', 'src/a/b/', 'tests/'],
    names: ['a.py', 'b.py', 'a.pyi', '__init__.py', 'b.txt', 'a/c.py', '__init__.pyi'],
    projects: ['pyproject.toml', 'src/pyproject.toml'],
    targets: ['.', '..', '.a', '..a', '.a.b', 'a', 'b', 'a.b', 'a.b.c', 'c', 'os', 'src.a', '...'],
    imported: ['*', 'a', 'b', 'c', 'Thing'],
    says: [
      ['root', 'src'],
      ['root', 'tests/a'],
    ],
  },
  rust: {
    folders: ['', 'src/', 'src/a/', 'src/a/b/', 'p/', 'p/src/', 'p/a/'],
    names: ['a.rs', 'b.rs', 'mod.rs', 'lib.rs', 'main.rs', 'a.b.rs', 'src.rs', 'p.rs'],
    projects: ['Cargo.toml', 'p/Cargo.toml'],
    targets: [
      ...[
        'crate',
        'self',
        'super',
        'crate::a',
        'crate::a::b',
        'self::a',
        'super::a',
        'super::super',
      ],
      ...[
        'a',
        'b',
        'a::b',
        'p',
        'p::a',
        'p::a::super',
        'p::super',
        'q',
        'crate::super',
        'mod',
        'serde',
      ],
    ],
    imported: ['*', 'a', 'b', 'c', 'Thing'],
    says: [
      ['package', 'p'],
      ['package', 'q'],
      ['root', 'a/b.rs'],
      ['root', 'src/b.rs'],
    ],
  },
  packages: {
    folders: ['', 'a/', 'a/b/', 'b/'],
    names: [
      'a.go',
      'b.go',
      'a_test.go',
      'A.java',
      'B.java',
      'A.kt',
      'a.scala',
      'A.php',
      'B.cs',
      'A.cs',
    ],
    projects: ['go.mod', 'a/go.mod'],
    targets: [
      ...['m', 'm/a', 'm/a/b', 'm/a/..', 'm/..', 'n', 'n/b', 'a', 'a.b', 'a.b.A', 'a.B', 'b', 'A'],
      ...['a\\b', 'a\\b\\A', 'a.b.A.of', ''],
    ],
    imported: ['*', 'a', 'b', 'c', 'Thing'],
    says: [
      ['package', 'm'],
      ['package', 'n'],
      ['package', 'm/a'],
    ],
  },
  included: {
    folders: ['', 'a/', 'a/b/', 'src/', 'src/a/'],
    names: ['a.c', 'a.h', 'a.hpp', 'a.cc', 'b.cpp', 'b.h', 'a.rb', 'b.rb', 'a.sh', 'b.sh', 'a'],
    projects: [],
    targets: [
      ...[
        'a.h',
        'b.h',
        'a/a.h',
        '../a.h',
        'a.hpp',
        './a',
        'a',
        'b',
        'a/b',
        '../b',
        './b.rb',
        'a.sh',
      ],
      ...['../a.sh', './b.sh', 'none.h', 'src/a.h', './x/../a.h', '..'],
    ],
    imported: ['*', 'a', 'b', 'c', 'Thing'],
    says: [],
  },
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ ts: 'typescript', tsx: 'tsx', js: 'javascript', py: 'python', pyi: 'python', rs: 'rust' },
  ...{
    go: 'go',
    java: 'java',
    kt: 'kotlin',
    scala: 'scala',
    php: 'php',
    cs: 'c-sharp',
    rb: 'ruby',
  },
  ...{ c: 'c', h: 'c', hpp: 'cpp', cc: 'cpp', cpp: 'cpp', sh: 'bash' },
}
const PACKAGES = ['a', 'a.b', 'b', 'a\\b', '']

type Edit = readonly [path: string, links: readonly Link[] | null]

function edits({ folders, names, projects, targets, imported, says }: World): fc.Arbitrary<Edit> {
  const given = fc.uniqueArray(fc.constantFrom(...imported), { maxLength: 2 })
  const statement = fc
    .tuple(
      fc.constantFrom('import' as const, 'export' as const),
      fc.constantFrom(...targets),
      given,
    )
    .map(([kind, target, of]): Link => [kind, target, ...of])
  const statements = fc.array(statement, { maxLength: 5 })
  const declared = fc.array(
    fc.constantFrom(...PACKAGES).map((name): Link => ['package', name]),
    { maxLength: 2 },
  )
  const code = fc.record({
    path: fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names)).map((of) => of.join('')),
    links: fc.tuple(declared, statements).map((of) => of.flat()),
  })
  const project = fc.record({
    path: fc.constantFrom(...projects, 'README.md'),
    links:
      says.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...says), { maxLength: 5 }),
  })
  return fc
    .tuple(
      fc.oneof({ weight: 8, arbitrary: code }, { weight: 2, arbitrary: project }),
      fc.integer({ min: 0, max: 2 }),
    )
    .map(([{ path, links }, chance]): Edit => [path, chance === 0 ? null : links])
}

for (const [name, world] of Object.entries(WORLDS)) {
  test(`${name}: after files came or went, links mean the same but for those reached`, () => {
    const one = edits(world)
    let [kept, files] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(one, { minLength: 5, maxLength: 40 }),
        fc.array(fc.array(one, { minLength: 1, maxLength: 3 }), { minLength: 12, maxLength: 12 }),
        (first, changes) => {
          const held = new Map<string, LinkedFile>()
          const put = (some: readonly Edit[]) => {
            for (const [path, links] of some) {
              if (links === null) held.delete(path)
              else held.set(path, fileOf(path, links))
            }
          }
          put(first)
          let resolver = LinkResolver.of(new CodeLayout(held.values()))
          for (const change of changes) {
            const before = new Map(held)
            const meant = meaningsOf(resolver)
            put(change)
            const layout = new CodeLayout(held.values())
            const went = [...before.values()].filter((old) => isAnother(old, held.get(old.path)))
            const came = layout.files.filter((file) => isAnother(file, before.get(file.path)))
            const { layout: after, numbers } = resolver.layout.after({ went, came }, held)
            expect(after.files).toEqual(layout.files)
            expect(placesOf(after)).toEqual(placesOf(layout))
            const next = resolver.after(after, { went, came }, numbers.numberNow)
            const fresh = LinkResolver.of(layout)
            resolver = next ?? fresh
            const now = meaningsOf(fresh)
            if (next === null) continue
            expect(meaningsOf(next)).toEqual(now)
            const reached = next.reachedBy({ went, came })
            for (const [number, { path, links }] of layout.files.entries()) {
              files++
              if (reached[number] === 1 || before.get(path)?.links !== links) continue
              kept++
              expect([path, now.get(path)]).toEqual([path, meant.get(path)])
            }
          }
        },
      ),
      { seed: 25, numRuns: 60 },
    )
    expect(kept).toBeGreaterThan(files / 10)
  })
}

function fileOf(path: string, links: readonly Link[]): LinkedFile {
  const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'text'
  return { path, language, links: packLinks(links) }
}

function isAnother(file: LinkedFile, other: LinkedFile | undefined): boolean {
  return other === undefined || !isSameToOthers(file, other)
}

/** By path what links mean, the files by their paths. */
function meaningsOf(resolver: LinkResolver): ReadonlyMap<string, readonly unknown[]> {
  const { files } = resolver.layout
  const named = (link: ResolvedLink) => [
    link.kind,
    link.names,
    link.files.map((at) => files[at]!.path),
  ]
  return new Map(files.map(({ path }, number) => [path, resolver.resolve(number).map(named)]))
}

/** Whether each file is a test's, and the first file that lies in the same folder. */
function placesOf(layout: CodeLayout) {
  const numbers = layout.files.map((_, number) => layout.folderNumber(number))
  return numbers.map((folder, number) => [layout.isTest(number), numbers.indexOf(folder)])
}
