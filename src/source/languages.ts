import { projectFile } from './links-project.ts'

/**
 * The languages whose files are more than words. A new one is a row here, a grammar in
 * `wasm-modules.ts`, a query in `queries/` and a golden file in `test/fixtures/languages/`.
 */
export const LANGUAGES = [
  { ...ecmascript('typescript'), grammar: 'typescript', extensions: 'ts mts cts' },
  { ...ecmascript('tsx'), grammar: 'tsx', extensions: 'tsx' },
  {
    ...ecmascript('javascript'),
    grammar: 'javascript',
    extensions: 'js jsx mjs cjs',
    interpreters: 'node deno bun',
  },
  {
    ...hash('python'),
    grammar: 'python',
    extensions: 'py pyi pyw',
    interpreters: 'python python2 python3',
    attribute: '@',
    docstrings: true,
  },
  { ...curly('go'), grammar: 'go', extensions: 'go', attribute: null, quotes: '"`' },
  {
    ...curly('rust'),
    grammar: 'rust',
    extensions: 'rs',
    attribute: '#[',
    siblingAttributes: true,
  },
  { ...curly('java'), grammar: 'java', extensions: 'java' },
  { ...curly('c'), grammar: 'c', extensions: 'c', attribute: '[[' },
  {
    ...curly('cpp'),
    grammar: 'cpp',
    extensions: 'cc cpp cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh ino',
    attribute: '[[',
  },
  { ...curly('c-sharp'), grammar: 'c-sharp', extensions: 'cs', attribute: '[' },
  {
    ...hash('ruby'),
    grammar: 'ruby',
    extensions: 'rb rake gemspec ru podspec',
    fileNames: 'rakefile gemfile guardfile vagrantfile podfile brewfile fastfile',
    interpreters: 'ruby',
    endsAtLine: true,
  },
  {
    ...curly('php'),
    grammar: 'php',
    extensions: 'php phtml',
    interpreters: 'php',
    lineComments: ['//', '#'],
    attribute: '#[',
    quotes: '"\'',
  },
  { ...curly('kotlin'), grammar: 'kotlin', extensions: 'kt kts' },
  { ...curly('scala'), grammar: 'scala', extensions: 'scala sc sbt' },
  {
    ...hash('bash'),
    grammar: 'bash',
    extensions: 'sh bash zsh ksh bats',
    fileNames: '.bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .envrc pkgbuild',
    interpreters: 'sh bash zsh ksh dash ash',
  },
  { ...hash('markdown'), grammar: null, extensions: 'md markdown mdx mkd' },
  { ...hash('text'), grammar: null, extensions: '' },
] as const satisfies readonly Row[]

export type GrammarName = Exclude<(typeof LANGUAGES)[number]['grammar'], null>

export type Language = Row & { readonly grammar: GrammarName | null }

type Row = {
  /** What a `FileIndex` calls it. */
  readonly name: string
  /** Null: no grammar (`text`), or a scanner of our own (`markdown`). */
  readonly grammar: string | null
  /** Lower case, separated by spaces. */
  readonly extensions: string
  /** Whole names of files without a telling extension, lower case. */
  readonly fileNames: string
  /** Programs in a first line `#!…` that say this language. */
  readonly interpreters: string
  readonly lineComments: readonly string[]
  /** Whether a comment may also stand between slash-star and star-slash. */
  readonly blockComments: boolean
  /** How a decorator, annotation or attribute before a definition begins. */
  readonly attribute: '@' | '#[' | '[' | '[[' | null
  /** Whether they are nodes beside the definition, not in it. */
  readonly siblingAttributes: boolean
  /** Whether the first string of a body documents it. */
  readonly docstrings: boolean
  /** Characters that open and close a string. */
  readonly quotes: string
  /** Whether a declaration without a known body ends with its line (else at `{` or `;`). */
  readonly endsAtLine: boolean
}

/**
 * The language of a file, from its path and, where the path does not tell (no extension, `.h`),
 * from its text.
 */
export function languageOf(path: string, text: string): Language {
  const byPath = languageClass(path)
  if (byPath === 'c-header') return rowOf(looksLikeCpp(text) ? 'cpp' : 'c')
  if (byPath === 'unknown') return rowOf(interpreted(text) ?? 'text')
  return byName.get(byPath) ?? rowOf('text')
}

/**
 * What the path alone says: a language's name, `c-header`, a kind of project file (which is text that
 * says how names become paths) or `unknown`. Together with the content it
 * decides a `FileIndex` in full, so an index kept by content is exact when its key holds both.
 */
export function languageClass(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const named = byFileName.get(name)
  if (named !== undefined) return named
  const project = projectFile(name)
  if (project !== null) return project
  const dot = name.lastIndexOf('.')
  if (dot <= 0) return 'unknown'
  const extension = name.slice(dot + 1)
  return extension === 'h' ? 'c-header' : (byExtension.get(extension) ?? 'text')
}

type Style = Omit<Row, 'grammar' | 'extensions'>

function curly<const N extends string>(name: N): Style & { name: N } {
  return {
    name,
    fileNames: '',
    interpreters: '',
    lineComments: ['//'],
    blockComments: true,
    attribute: '@',
    siblingAttributes: false,
    docstrings: false,
    quotes: '"',
    endsAtLine: false,
  }
}

function ecmascript<const N extends string>(name: N): Style & { name: N } {
  return { ...curly(name), quotes: '"\'`', siblingAttributes: true }
}

function hash<const N extends string>(name: N): Style & { name: N } {
  const differs = { lineComments: ['#'], blockComments: false, attribute: null, quotes: '"\'' }
  return { ...curly(name), ...differs }
}

const byName = new Map<string, Language>(LANGUAGES.map((row) => [row.name, row]))
const byExtension = lookup('extensions')
const byFileName = lookup('fileNames')
const byInterpreter = lookup('interpreters')

function lookup(column: 'extensions' | 'fileNames' | 'interpreters'): ReadonlyMap<string, string> {
  const pairs = LANGUAGES.flatMap((row) => row[column].split(' ').map((word) => [word, row.name]))
  return new Map(pairs.filter(([word]) => word !== '') as [string, string][])
}

function rowOf(name: string): Language {
  const row = byName.get(name)
  if (row === undefined) throw new Error(`no language is named ${name}`)
  return row
}

/** `#!/usr/bin/env -S python3.12 -u` says python. */
function interpreted(text: string): string | undefined {
  if (!text.startsWith('#!')) return undefined
  const line = text.slice(2, Math.min(200, (text.indexOf('\n') + 1 || text.length + 1) - 1))
  for (const word of line.trim().split(/\s+/)) {
    const program = word.slice(word.lastIndexOf('/') + 1)
    const named = byInterpreter.get(program) ?? byInterpreter.get(program.replace(/[\d.]+$/, ''))
    if (named !== undefined) return named
  }
  return undefined
}

/** What a C header cannot say; `extern "C"` is left out, as C headers say it for C++'s sake. */
const CPP_ONLY =
  /^[ \t]*(?:class[ \t]+\w+[^;(){]{0,200}\{|namespace[ \t]+\w|template[ \t]*<|(?:public|private|protected)[ \t]*:|using[ \t]+\w|#[ \t]*include[ \t]*<[a-z_]+>)/m

function looksLikeCpp(text: string): boolean {
  return CPP_ONLY.test(text.slice(0, 65_536))
}
