import type { Language } from './languages.ts'

/** Why a file has no place in the index. */
export type LeftOutReason = 'binary' | 'too_large' | 'minified' | 'generated' | 'vendored'

export const FILE_BYTES_MAX = 1_048_576

/**
 * What a well-known path says by itself; null: nothing. Rules of the repository (`.gitignore`,
 * `linguist-` attributes) are another's affair and come before.
 */
export function leftOutByPath(path: string): LeftOutReason | null {
  const segments = path.toLowerCase().split('/')
  const name = segments.pop() ?? ''
  if (segments.some((segment) => VENDORED_FOLDERS.has(segment))) return 'vendored'
  if (segments.some((segment) => GENERATED_FOLDERS.has(segment))) return 'generated'
  if (segments.includes('dist') && BUILT.test(name)) return 'generated'
  if (LOCK_FILES.has(name) || GENERATED_NAMES.test(name)) return 'generated'
  return MINIFIED_NAMES.test(name) ? 'minified' : null
}

/** What the bytes say. */
export function leftOutByContent(bytes: Uint8Array): LeftOutReason | null {
  if (bytes.length > FILE_BYTES_MAX) return 'too_large'
  if (bytes.includes(0)) return 'binary'
  return null
}

/** What the text says, which is known not to be binary. */
export function leftOutByText(
  lines: readonly string[],
  length: number,
  language: Language,
): LeftOutReason | null {
  if (length > LINE_AVERAGE_MAX * lines.length) return 'minified'
  const comment = language.name === 'markdown' ? MARKDOWN_COMMENT : COMMENT
  for (const line of lines.slice(0, MARKER_LINES)) {
    const marks = comment.exec(line)?.[0]
    if (marks === undefined) continue
    const said = line.slice(marks.length, MARKER_MAX).trim()
    if (GENERATED.some((pattern) => pattern.test(said))) return 'generated'
  }
  return null
}

const VENDORED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'third_party',
  'third-party',
  'site-packages',
  '.venv',
  '.yarn',
  'pods',
  'carthage',
])
const GENERATED_FOLDERS: ReadonlySet<string> = new Set([
  '__snapshots__',
  '__pycache__',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.gradle',
  '.terraform',
])
/** In `dist`, which elsewhere may be a package like any other (Go's cmd/dist). */
const BUILT = /\.(?:[cm]?js|css|html|map|d\.[cm]?ts)$/
const LOCK_FILES: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'cargo.lock',
  'gemfile.lock',
  'podfile.lock',
  'pipfile.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'composer.lock',
  'packages.lock.json',
  'gradle.lockfile',
  'mix.lock',
  'flake.lock',
  'pubspec.lock',
  'package.resolved',
  'go.sum',
  'go.work.sum',
])
const GENERATED_NAMES =
  /\.(?:snap|snap\.new|map|pb\.go|pb\.cc|pb\.h|g\.dart|freezed\.dart|designer\.cs|g\.cs)$|_pb2(?:_grpc)?\.pyi?$|[._]generated\.\w+$|^zz_generated\.|\.gen\.\w+$/
const MINIFIED_NAMES = /[.-]min\.(?:[cm]?js|css)$|\.bundle\.js$/

const LINE_AVERAGE_MAX = 2_000
const MARKER_LINES = 12
const MARKER_MAX = 300
const COMMENT = /^\s{0,40}(?:\/\/+|\/\*+|\*+|#+|--+|;+|<!--|%+|"""|\{-|\(\*)/
const MARKDOWN_COMMENT = /^\s{0,3}<!--/
/** As generators write it. That a comment merely speaks of generated things must not count. */
const GENERATED = [
  /(?:^|\s)@generated\b/,
  /<auto-?generated/i,
  /\bgenerated\b.{0,200}\bdo not (?:edit|modify|change)\b/i,
  /\bdo not (?:edit|modify|change)\b.{0,200}\bgenerated\b/i,
  /^this (?:file|code) (?:is|was|has been) (?:automatically |auto-?)generated\b/i,
  /^(?:automatically |auto-?)generated(?: (?:by|from|with|using|via|file|code)\b|[.,;:]|$)/i,
]
