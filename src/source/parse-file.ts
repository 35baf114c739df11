import { symbolHash, textHash } from '../domain/anchor.ts'
import type { BlobId, CodeSymbol, FileIndex, ParseStatus } from '../domain/code.ts'
import { redactLines } from '../domain/redact.ts'
import { type GrammarName, type Language, languageClass, languageOf } from './languages.ts'
import { type LeftOutReason, leftOutByContent, leftOutByText } from './left-out.ts'
import { linksOf } from './links.ts'
import { headings } from './markdown.ts'
import { type SourceText, sourceText } from './source-text.ts'
import { type DeclaredSymbol, declaredSymbols } from './symbols.ts'
import { countWords } from './word-count.ts'

/** A file of a repository; `path` relative to its root, with `/`. */
export type SourceFile = {
  readonly blob: BlobId
  readonly path: string
  readonly bytes: Uint8Array
}

/** What became of a file: its index, or why it has no place there. */
export type SourceResult =
  | { readonly kind: 'indexed'; readonly path: string; readonly index: FileIndex }
  | {
      readonly kind: 'left_out'
      readonly path: string
      readonly blob: BlobId
      readonly reason: LeftOutReason
    }

/**
 * Reads, parses and counts one file. Throws `NoGrammar`, or what a grammar throws when a text brings
 * it down; no grammar of this thread is sound after that.
 */
export async function parseFile(file: SourceFile): Promise<SourceResult> {
  const read = readSource(file)
  if ('reason' in read) return { kind: 'left_out', path: file.path, blob: file.blob, ...read }
  const { language } = read
  if (language.name === 'text') return indexed(file, read, 'text', [])
  if (language.name === 'markdown')
    return indexed(file, read, 'parsed', headings(read.source.lines))
  const symbols = await symbolsOf(read)
  return indexed(file, read, symbols === null ? 'unparsable' : 'parsed', symbols ?? [])
}

/** The index of a file that a grammar failed on. Takes time in proportion to its length. */
export function indexWords(file: SourceFile): SourceResult {
  const read = readSource(file)
  if ('reason' in read) return { kind: 'left_out', path: file.path, blob: file.blob, ...read }
  return indexed(file, read, 'unparsable', [])
}

type ReadSource = {
  /** What is parsed and counted: without secrets, in the same lines. */
  readonly source: SourceText
  /** What is hashed. */
  readonly original: SourceText
  readonly language: Language
}

/**
 * Invalid UTF-8 is read with replacement characters: a Latin-1 comment costs a file its accents, not its
 * symbols.
 */
function readSource(file: SourceFile): ReadSource | { readonly reason: LeftOutReason } {
  const byContent = leftOutByContent(file.bytes)
  if (byContent !== null) return { reason: byContent }
  const text = new TextDecoder().decode(file.bytes)
  const original = sourceText(text)
  const language = languageOf(file.path, text)
  const byText = leftOutByText(original.lines, text.length, language)
  if (byText !== null) return { reason: byText }
  const safe = redactLines(text)
  return { source: safe.count === 0 ? original : sourceText(safe.text), original, language }
}

/** A grammar that is not where the build puts it, or does not load: no file is to blame. */
export class NoGrammar extends Error {}

/** Null: its grammar gave up on it. */
async function symbolsOf({ source, language }: ReadSource): Promise<DeclaredSymbol[] | null> {
  if (language.grammar === null || source.lines.some((line) => line.length > LINE_PARSED_MAX)) {
    return null
  }
  const { grammar, GaveUp, withMatches } = await grammarFor(language.grammar)
  try {
    return withMatches(grammar, source.text, (root, matches) =>
      declaredSymbols(root, matches, source, language, grammar),
    )
  } catch (error) {
    if (error instanceof GaveUp) return null
    throw error
  }
}

/** Loaded late: most commands parse nothing. */
async function grammarFor(name: GrammarName) {
  try {
    const { GaveUp, loadGrammar, withMatches } = await import('./grammars.ts')
    return { grammar: await loadGrammar(name), GaveUp, withMatches }
  } catch (error) {
    throw new NoGrammar(`the grammar of ${name} does not load: ${error}`, { cause: error })
  }
}

/** Some scanners read a word again from its start for every other character of it. */
const LINE_PARSED_MAX = 100_000

function indexed(
  file: SourceFile,
  { source, original, language }: ReadSource,
  status: ParseStatus,
  declared: readonly DeclaredSymbol[],
): SourceResult {
  const { lines, text } = original
  const count = countWords(source.lines)
  const symbols = declared.map((symbol): CodeSymbol => {
    const { comment: _, ...rest } = symbol
    const own = lines.slice(symbol.line - 1, symbol.endLine).join('\n')
    return { ...rest, hash: symbolHash(own, symbol.name), words: count.document(symbol) }
  })
  const kind = language.name === 'text' ? languageClass(file.path) : language.name
  const links = linksOf(kind, source.text)
  const index: FileIndex = {
    blob: file.blob,
    language: language.name,
    status,
    bytes: file.bytes.length,
    lines: lines.at(-1) === '' ? lines.length - 1 : lines.length,
    hash: textHash(text),
    words: count.words,
    counts: count.counts,
    symbols,
    ...(links.length === 0 ? {} : { links }),
  }
  return { kind: 'indexed', path: file.path, index }
}
