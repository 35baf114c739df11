import type { FoundLink } from './found-link.ts'

/** A file that says how a project's names become paths. */
export type ProjectFile = 'tsconfig' | 'package-json' | 'go-mod' | 'cargo' | 'pyproject'

/** Which one a file is by its name, lower case; null: none. */
export function projectFile(name: string): ProjectFile | null {
  if (/^(?:ts|js)config(?:\.[\w.-]+)?\.json$/.test(name)) return 'tsconfig'
  return NAMES[name] ?? null
}

const NAMES: Readonly<Record<string, ProjectFile>> = {
  'package.json': 'package-json',
  'go.mod': 'go-mod',
  'cargo.toml': 'cargo',
  'pyproject.toml': 'pyproject',
}

/** The few facts of a project file that name resolution needs; none of one that does not parse. */
export function* projectLinks(kind: ProjectFile, text: string): Generator<FoundLink> {
  let at = 0
  try {
    for (const link of READERS[kind](text)) yield { at: at++, link }
  } catch {
    // A project file with a mistake in it says nothing; its words are indexed all the same.
  }
}

type Facts = Generator<FoundLink['link']>

const READERS: Readonly<Record<ProjectFile, (text: string) => Facts>> = {
  tsconfig,
  'package-json': packageJson,
  'go-mod': goMod,
  cargo,
  pyproject,
}

function* tsconfig(text: string): Facts {
  const config = Bun.JSONC.parse(text)
  for (const base of strings(at(config, 'extends'))) yield ['import', base]
  const options = at(config, 'compilerOptions')
  const baseUrl = at(options, 'baseUrl')
  if (typeof baseUrl === 'string') yield ['root', baseUrl || '.']
  for (const [pattern, targets] of entries(at(options, 'paths'))) {
    const from = typeof baseUrl === 'string' ? `${baseUrl}/` : ''
    yield ['alias', pattern, ...strings(targets).map((target) => `${from}${target}`)]
  }
}

function* packageJson(text: string): Facts {
  const config: unknown = JSON.parse(text)
  const name = at(config, 'name')
  if (typeof name === 'string') yield ['package', name]
  for (const [pattern, target] of entries(at(config, 'imports'))) {
    const found = anyPath(target)
    if (found !== null) yield ['alias', pattern, found]
  }
  for (const [key, target] of entries(at(config, 'exports'))) {
    const found = key.startsWith('.') ? anyPath(target) : null
    if (typeof name === 'string' && found !== null) yield ['alias', name + key.slice(1), found]
  }
  for (const key of ['source', 'module', 'main', 'types']) {
    const entry = at(config, key)
    if (typeof name === 'string' && typeof entry === 'string') yield ['alias', name, entry]
  }
}

/** The first path that an entry of `exports` or `imports` gives under some condition. */
function anyPath(target: unknown, depth = 0): string | null {
  if (typeof target === 'string') return target.startsWith('.') ? target : null
  if (depth > 4) return null
  for (const [, inner] of entries(target)) {
    const found = anyPath(inner, depth + 1)
    if (found !== null) return found
  }
  return null
}

function* goMod(text: string): Facts {
  const name = /^[ \t]*module[ \t]+"?([^\s"]{1,300})/m.exec(text)?.[1]
  if (name !== undefined) yield ['package', name]
}

function* cargo(text: string): Facts {
  const config: unknown = Bun.TOML.parse(text)
  const lib = at(config, 'lib')
  const name = at(lib, 'name') ?? at(at(config, 'package'), 'name')
  if (typeof name === 'string') yield ['package', name.replaceAll('-', '_')]
  const path = at(lib, 'path')
  if (typeof path === 'string') yield ['root', path]
}

function* pyproject(text: string): Facts {
  const config: unknown = Bun.TOML.parse(text)
  const tool = at(config, 'tool')
  const setuptools = at(tool, 'setuptools')
  for (const folder of strings(at(at(at(setuptools, 'packages'), 'find'), 'where'))) {
    yield ['root', folder]
  }
  for (const [, folder] of entries(at(setuptools, 'package-dir'))) {
    if (typeof folder === 'string') yield ['root', folder]
  }
  const poetry = at(at(tool, 'poetry'), 'packages')
  for (const each of Array.isArray(poetry) ? poetry : []) {
    const from = at(each, 'from')
    if (typeof from === 'string') yield ['root', from]
  }
}

/** A member of what somebody else's file holds. */
function at(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function entries(value: unknown): [string, unknown][] {
  return isObject(value) && !Array.isArray(value) ? Object.entries(value) : []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function strings(value: unknown): string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((each) => typeof each === 'string')
}
