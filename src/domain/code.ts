/**
 * What the client finds out about one file's content and sends to the daemon, once ever, by
 * content hash. The daemon never reads a repository file; this is all it knows of the code.
 */

/**
 * Names a file's content and how it is read: the git blob id in lower-case hex, and after a dot the
 * language its path tells (`….typescript`), which is left out for plain text. The same bytes under
 * `a.js` and `a.txt` are two.
 */
export type BlobId = string & { readonly __brand: 'BlobId' }

export const SYMBOL_KINDS = [
  'function',
  'method',
  'class',
  'interface',
  'type',
  'enum',
  'constant',
  'variable',
  'field',
  'module',
  'macro',
  'heading',
] as const
export type SymbolKind = (typeof SYMBOL_KINDS)[number]

/** One definition in a file. Lines are 1-based and inclusive. */
export type CodeSymbol = {
  /** Dotted path within the file (`Session.refresh`); a Markdown heading's own text. */
  readonly name: string
  readonly kind: SymbolKind
  readonly line: number
  readonly endLine: number
  /** One line, white space folded, at most 160 characters, no body. */
  readonly signature: string
  /** First line of the comment that documents it, at most 160 characters, or ''. */
  readonly doc: string
  /** `symbolHash` of its own text, from `line` to `endLine`. */
  readonly hash: string
  /** Pairs flattened: index into the file's `words`, count in this symbol's document. */
  readonly words: readonly number[]
}

/**
 * What a file says of other files, as it says it: nothing is looked up before a view is known.
 *
 * `import`, `export`: it names `target` (`./session`, `flask.json`, `crate::a`), and of that these
 * names; `*` all of it, none the thing itself. `export`: it hands them on. `package`: what it belongs
 * to or is called (a Java package, a Go module, a crate). `alias`: names of the form `target` are
 * those that `names` say, both with at most one `*`. `root`: a folder that names are looked up from.
 */
export const LINK_KINDS = ['import', 'export', 'package', 'alias', 'root'] as const
export type LinkKind = (typeof LINK_KINDS)[number]
export type Link = readonly [kind: LinkKind, target: string, ...names: string[]]

/** Bounds on what one file may say. */
export const LINKS_MAX = 2_000
export const LINK_NAMES_MAX = 200
export const LINK_CHARS_MAX = 300

/**
 * How a file took to parsing: `parsed` by its language's grammar, `text` (no grammar: words only),
 * `unparsable` (a grammar failed on it: words only, `av doctor` reports it), `left_out` (binary,
 * generated, minified: nothing of it is indexed).
 */
export const PARSE_STATUSES = ['parsed', 'text', 'unparsable', 'left_out'] as const
export type ParseStatus = (typeof PARSE_STATUSES)[number]

export type FileIndex = {
  readonly blob: BlobId
  /** A row of `source/languages`, or `text`. */
  readonly language: string
  readonly status: ParseStatus
  readonly bytes: number
  readonly lines: number
  /** `textHash` of the whole file. */
  readonly hash: string
  /** Distinct terms of the whole content, in order of first appearance (see `domain/terms`). */
  readonly words: readonly string[]
  /** How often each of `words` occurs in the content. */
  readonly counts: readonly number[]
  /** In order of line, then end line (descending), then name. */
  readonly symbols: readonly CodeSymbol[]
  /** In order of place; left out when there are none. */
  readonly links?: readonly Link[]
}
