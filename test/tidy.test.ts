/**
 * The rules of this code base that no linter knows. A failure names the file and what to do about it; where a rule is
 * wrong for one file, `EXCEPTIONS` says so, with the reason.
 */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ENTRIES } from '../scripts/build.ts'

/** Who may import whom below `src`. Everything may import its own folder; `main.ts` may import anything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  'world.ts': [],
  'kernel-lock.ts': [],
  'config.ts': ['domain', 'config-file.ts', 'config-values.ts'],
  'config-values.ts': ['domain'],
  'open-daemon.ts': [
    ...['domain', 'api', 'store', 'ops', 'index', 'daemon'],
    ...['world.ts', 'config.ts'],
  ],
  'config-file.ts': ['domain'],
  api: ['domain'],
  store: ['domain'],
  workspace: ['domain', 'kernel-lock.ts'],
  source: ['domain'],
  index: ['domain'],
  ops: [
    ...['domain', 'api', 'world.ts'],
    // The store's interface; never what stands behind it.
    ...['store/store.ts', 'store/new-fact.ts', 'store/task-life.ts', 'store/trunk-slot.ts'],
    'store/session-ledger.ts',
    ...['index/embedder.ts', 'index/vectors.ts', 'index/semantic-fault.ts'],
  ],
  daemon: ['domain', 'api', 'ops', 'world.ts', 'kernel-lock.ts'],
  client: ['domain', 'api', 'workspace', 'source', 'world.ts', 'kernel-lock.ts'],
  cli: ['domain', 'api', 'client', 'workspace', 'source', 'world.ts', 'config.ts'],
}

/** What one file alone may touch; anything else below `src` takes it as an argument. */
const OWNERS = [
  {
    of: 'the process',
    pattern: /\bprocess\.\w|\bBun\.(?:env|argv)\b|\bconsole\./,
    owner: 'src/main.ts',
  },
  {
    of: 'the clock or chance',
    pattern:
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\b(?:randomUUID|getRandomValues|randomBytes)\b/,
    owner: 'src/world.ts',
  },
] as const

const CODE = /^(?:src|scripts|test(?!\/fixtures))\//

/** Explicit `any`, default exports and floating promises are biome's part; it obeys `biome.json` alone. */
const FORBIDDEN = [
  {
    in: CODE,
    text: /\bas\s+unknown\s+as\b/,
    remedy: 'parse or narrow the value',
  },
  { in: CODE, text: /@ts-(?:ignore|nocheck)/, remedy: 'make the types fit' },
  { in: /^(src|scripts)\//, text: /@ts-expect-error/, remedy: 'make the types fit' },
  { in: CODE, text: /biome-[i]gnore/, remedy: 'do as the rule says' },
  {
    in: /^test\//,
    text: /\.(?:only|skip)\(/,
    remedy: 'run it, or state its condition with skipIf',
  },
  {
    in: CODE,
    text: /\b(?:TO[D]O|FIX[M]E)\b/,
    remedy: 'do it, or file an issue',
  },
  {
    in: /^src\//,
    text: /^export (?:\*|\{[^}]*\}) from /m,
    remedy: 'import from the defining file',
  },
  { in: /^src\//, text: /^import '\./m, remedy: 'export a function and call it' },
  {
    in: /^src\//,
    text: /\.localeCompare\(|\bIntl\.|\.toLocale\w+\(/,
    remedy: 'see domain/order.ts',
  },
] as const

const VAGUE =
  /(?:^|\/)(?:utils?|helpers?|managers?|common|misc|shared|index|types)(?:\.test)?\.tsx?$/
const LINES_MAX = 320

/** A file that a rule does not hold for, and why. */
const EXCEPTIONS: readonly {
  readonly rule: Rule
  readonly file: string
  readonly reason: string
}[] = [
  {
    rule: 'the process, the clock and chance have one owner each',
    file: 'src/client/demo-repository.ts',
    reason: 'it holds the text of the repository that the demonstration makes',
  },
]

const RULES = {
  'imports follow the map': findStrayImports,
  'no import goes round in a circle': findCircles,
  'an entry reaches every source file': findUnreached,
  'the process, the clock and chance have one owner each': findTrespassers,
  'no source holds a forbidden text': findForbidden,
  'files are short': findLong,
  'files are named for what they hold': findVague,
  'bun.lock names no host': findLockedHosts,
  'no file names a folder of the machine it was written on': findMachineFolders,
} as const
type Rule = keyof typeof RULES
/** What breaks a rule: where, and what to do about it. */
type Finding = { readonly file: string; readonly what: string }

const ROOT = join(import.meta.dir, '..')
const texts = await readTexts()
const sources = [...texts.keys()].filter((file) => /^src\/.*(?<!\.d)\.tsx?$/.test(file))
const importsOf = new Map(sources.map((file) => [file, readImports(file)]))

for (const [rule, find] of Object.entries(RULES)) {
  test(rule, () => {
    const isExcepted = (file: string) => EXCEPTIONS.some((e) => e.rule === rule && e.file === file)
    const findings = find().filter(({ file }) => !isExcepted(file))
    expect(findings.map(({ file, what }) => `${file} ${what}`)).toEqual([])
  })
}

test('every exception is needed', () => {
  const idle = EXCEPTIONS.filter(
    ({ rule, file }) => !RULES[rule]().some((found) => found.file === file),
  )
  expect(idle).toEqual([])
})

test('the rules have files to look at', () => {
  expect(sources).toContain('src/domain/fault.ts')
  expect([...texts.keys()]).toContain('package.json')
})

function findStrayImports(): Finding[] {
  return sources.flatMap((file) => {
    const own = topOf(file)
    if (own === 'main.ts') return []
    const allowed = [own, ...(MAY_IMPORT[own] ?? [])]
    const strays = importsOf.get(file)!.filter((to) => {
      if (!to.startsWith('src/')) return /^(?:scripts|test)\//.test(to)
      return !allowed.includes(topOf(to)) && !allowed.includes(to.slice('src/'.length))
    })
    return strays.map((to) => ({
      file,
      what: `imports ${to}: ${own} may import only ${allowed.join(', ')}; pass it in, or move what both need down`,
    }))
  })
}

function findCircles(): Finding[] {
  const wayBack = (
    home: string,
    file: string,
    seen: Set<string>,
  ): readonly string[] | undefined => {
    if (seen.has(file)) return undefined
    seen.add(file)
    for (const next of importsOf.get(file) ?? []) {
      const rest = next === home ? [home] : wayBack(home, next, seen)
      if (rest) return [file, ...rest]
    }
    return undefined
  }
  return sources.flatMap((file) => {
    const circle = wayBack(file, file, new Set())
    const isFirst = circle?.every((other) => file <= other) // a circle is told once
    return isFirst ? [{ file, what: `goes ${circle!.join(' -> ')}: move what both need down` }] : []
  })
}

function findUnreached(): Finding[] {
  const reached = new Set<string>()
  const waiting: string[] = [...ENTRIES]
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    waiting.push(...(importsOf.get(file) ?? []))
  }
  return sources
    .filter((file) => !reached.has(file))
    .map((file) => ({ file, what: 'is used by nothing that av starts from: use it or delete it' }))
}

function findTrespassers(): Finding[] {
  return sources.flatMap((file) => {
    const code = transpilerOf(file).transformSync(texts.get(file)!) // without its comments
    return OWNERS.filter(({ owner, pattern }) => owner !== file && pattern.test(code)).map(
      ({ of, owner }) => ({
        file,
        what: `touches ${of}: take it as an argument, only ${owner} may`,
      }),
    )
  })
}

function findForbidden(): Finding[] {
  return [...texts].flatMap(([file, text]) =>
    FORBIDDEN.filter((rule) => rule.in.test(file)).flatMap((rule) => {
      const match = text.match(rule.text)
      if (!match) return []
      const line = text.slice(0, match.index).split('\n').length
      return [{ file, what: `has \`${match[0].trim()}\` in line ${line}: ${rule.remedy}` }]
    }),
  )
}

function findLong(): Finding[] {
  return [...texts]
    .filter(([file]) => /^(src|scripts)\/.*\.tsx?$/.test(file))
    .map(([file, text]) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ file, lines }) => ({
      file,
      what: `has ${lines} lines, over ${LINES_MAX}: split it by subject`,
    }))
}

function findVague(): Finding[] {
  return [...texts.keys()]
    .filter((file) => CODE.test(file) && VAGUE.test(file))
    .map((file) => ({ file, what: 'has a name that says nothing: name it for its subject' }))
}

function findLockedHosts(): Finding[] {
  const file = 'bun.lock'
  const cure = `sed -i.bak -E 's#("[^"]+@[^"]+", )"https?://[^"]*"#\\1""#' bun.lock`
  const isClean = !/"https?:\/\//.test(texts.get(file)!)
  return isClean
    ? []
    : [{ file, what: `was written through a mirror and names it; clean it with: ${cure}` }]
}

function findMachineFolders(): Finding[] {
  return [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, at) => {
      const match = line.match(/(?<![\w.~$})*-])\/(?:work|root)\//)
      return match
        ? [{ file, what: `names a folder below ${match[0]} in line ${at + 1}: make it relative` }]
        : []
    }),
  )
}

/** Every text file of the repository by its path, whether or not it is committed yet. */
async function readTexts(): Promise<Map<string, string>> {
  const read = listFiles().map(
    async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const,
  )
  return new Map((await Promise.all(read)).filter(([, text]) => !text.includes('\0')))
}

function listFiles(): string[] {
  // A checkout that belongs to another user, as in a container, is still this repository.
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const git = Bun.spawnSync(['git', '-c', 'safe.directory=*', ...list], { cwd: ROOT })
  const files = git.success
    ? git.stdout.toString().split('\0').filter(Boolean)
    : // An unpacked archive: what git would leave out lies in these folders.
      [...new Bun.Glob('**').scanSync({ cwd: ROOT, dot: true })].filter(
        (file) => !/^(?:node_modules|dist|coverage)\//.test(file),
      )
  return files.filter((file) => existsSync(join(ROOT, file))).sort()
}

/** The files that a source names relative to itself: imports, lazy ones, those of types, and workers by their URL. */
function readImports(file: string): string[] {
  const text = texts.get(file)!
  const imports = transpilerOf(file).scanImports(text.replace(/^import type /gm, 'import '))
  const urls = [...text.matchAll(/\bnew URL\('([^']+)'/g)].map(([, to]) => to!)
  return [...imports.map(({ path }) => path), ...urls]
    .filter((to) => to.startsWith('.'))
    .map((to) => relative(ROOT, join(ROOT, dirname(file), to)))
}

function transpilerOf(file: string): Bun.Transpiler {
  return new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts', target: 'bun' })
}

/** `src/domain/fault.ts` to `domain`, `src/world.ts` to `world.ts`. */
function topOf(file: string): string {
  return file.split('/')[1] ?? file
}
