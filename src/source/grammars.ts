import { Language, type Node, Parser, Query, type QueryMatch } from 'web-tree-sitter'
import bashWasm from '../../dist/assets/grammars/bash.wasm.zst' with { type: 'file' }
import cWasm from '../../dist/assets/grammars/c.wasm.zst' with { type: 'file' }
import cSharpWasm from '../../dist/assets/grammars/c-sharp.wasm.zst' with { type: 'file' }
import cppWasm from '../../dist/assets/grammars/cpp.wasm.zst' with { type: 'file' }
import goWasm from '../../dist/assets/grammars/go.wasm.zst' with { type: 'file' }
import javaWasm from '../../dist/assets/grammars/java.wasm.zst' with { type: 'file' }
import javascriptWasm from '../../dist/assets/grammars/javascript.wasm.zst' with { type: 'file' }
import kotlinWasm from '../../dist/assets/grammars/kotlin.wasm.zst' with { type: 'file' }
import phpWasm from '../../dist/assets/grammars/php.wasm.zst' with { type: 'file' }
import pythonWasm from '../../dist/assets/grammars/python.wasm.zst' with { type: 'file' }
import rubyWasm from '../../dist/assets/grammars/ruby.wasm.zst' with { type: 'file' }
import rustWasm from '../../dist/assets/grammars/rust.wasm.zst' with { type: 'file' }
import scalaWasm from '../../dist/assets/grammars/scala.wasm.zst' with { type: 'file' }
import tsxWasm from '../../dist/assets/grammars/tsx.wasm.zst' with { type: 'file' }
import typescriptWasm from '../../dist/assets/grammars/typescript.wasm.zst' with { type: 'file' }
import coreWasm from '../../node_modules/web-tree-sitter/web-tree-sitter.wasm' with { type: 'file' }
import type { GrammarName } from './languages.ts'
import bashQuery from './queries/bash.scm' with { type: 'text' }
import cQuery from './queries/c.scm' with { type: 'text' }
import cSharpQuery from './queries/c-sharp.scm' with { type: 'text' }
import cppQuery from './queries/cpp.scm' with { type: 'text' }
import fieldsQuery from './queries/ecmascript-fields.scm' with { type: 'text' }
import goQuery from './queries/go.scm' with { type: 'text' }
import javaQuery from './queries/java.scm' with { type: 'text' }
import javascriptQuery from './queries/javascript.scm' with { type: 'text' }
import kotlinQuery from './queries/kotlin.scm' with { type: 'text' }
import phpQuery from './queries/php.scm' with { type: 'text' }
import pythonQuery from './queries/python.scm' with { type: 'text' }
import rubyQuery from './queries/ruby.scm' with { type: 'text' }
import rustQuery from './queries/rust.scm' with { type: 'text' }
import scalaQuery from './queries/scala.scm' with { type: 'text' }
import typescriptQuery from './queries/typescript.scm' with { type: 'text' }

/** A grammar with the query for its definitions, ready to run in this thread. */
export type Grammar = {
  readonly language: Language
  readonly query: Query
  /** Field ids, null where the grammar has no such field. */
  readonly body: number | null
  readonly value: number | null
  readonly right: number | null
}

/** A text that takes a grammar more work than any text people wrote; the grammar itself stays sound. */
export class GaveUp extends Error {}

/**
 * Parses a text and hands its definitions to `visit`, while the tree is alive. Throws `GaveUp` when
 * the work passes its bounds, so that no text can hang a thread; anything else thrown leaves the
 * thread's parsers unsound.
 */
export function withMatches<T>(
  grammar: Grammar,
  text: string,
  visit: (root: Node, matches: readonly QueryMatch[]) => T,
): T {
  const parser = new Parser()
  const progressCallback = workBound(text.length)
  try {
    parser.setLanguage(grammar.language)
    const tree = parser.parse(text, null, { progressCallback })
    if (tree === null) throw new GaveUp('parsing')
    try {
      const root = tree.rootNode
      // The query walks a node's children again for each of them; only sheer noise has so many errors.
      if (root.type === 'ERROR' && root.childCount > ERRORS_MAX) throw new GaveUp('errors')
      const matches = grammar.query.matches(root, { progressCallback })
      if (progressCallback()) throw new GaveUp('the query')
      return visit(root, matches)
    } finally {
      tree.delete()
    }
  } finally {
    parser.delete()
  }
}

/**
 * Tells when to stop. The count of steps is the same on every machine and bounds most texts; the
 * clock is for the rest, where one step takes a thousand times as long as another.
 */
function workBound(length: number): () => boolean {
  const stepsMax = STEPS_FLOOR + length * STEPS_PER_UNIT
  const endMs = performance.now() + WORK_MS_MAX
  let steps = 0
  return () => ++steps > stepsMax || performance.now() > endMs
}

/** Loads a grammar on first use; kept for the life of the thread. */
export function loadGrammar(name: GrammarName): Promise<Grammar> {
  let loading = loaded.get(name)
  if (loading === undefined) {
    loading = load(name)
    loaded.set(name, loading)
  }
  return loading
}

/** Whole repositories took .008 steps a UTF-16 unit, their worst file .026. */
const STEPS_PER_UNIT = 0.5
const STEPS_FLOOR = 10_000
const WORK_MS_MAX = 8_000
const ERRORS_MAX = 10_000
/** Pages of 64 KiB: a text that makes a grammar want more than 128 MiB ends it, not the machine. */
const MEMORY_PAGES = { initial: 512, maximum: 2_048 }

const SOURCES = {
  bash: [bashWasm, bashQuery],
  c: [cWasm, cQuery],
  'c-sharp': [cSharpWasm, cSharpQuery],
  cpp: [cppWasm, cQuery + cppQuery],
  go: [goWasm, goQuery],
  java: [javaWasm, javaQuery],
  javascript: [javascriptWasm, javascriptQuery + fieldsQuery],
  kotlin: [kotlinWasm, kotlinQuery],
  php: [phpWasm, phpQuery],
  python: [pythonWasm, pythonQuery],
  ruby: [rubyWasm, rubyQuery],
  rust: [rustWasm, rustQuery],
  scala: [scalaWasm, scalaQuery],
  tsx: [tsxWasm, javascriptQuery + typescriptQuery],
  typescript: [typescriptWasm, javascriptQuery + typescriptQuery],
} as const satisfies Record<GrammarName, readonly [wasm: string, query: string]>

const loaded = new Map<GrammarName, Promise<Grammar>>()
let runtime: Promise<void> | null = null

async function load(name: GrammarName): Promise<Grammar> {
  runtime ??= startRuntime()
  await runtime
  const [wasm, source] = SOURCES[name]
  const bytes = Bun.zstdDecompressSync(await Bun.file(wasm).bytes())
  const language = await Language.load(bytes)
  return {
    language,
    query: new Query(language, source),
    body: language.fieldIdForName('body'),
    value: language.fieldIdForName('value'),
    right: language.fieldIdForName('right'),
  }
}

/** The runtime looks for its module beside itself, where nothing is in a compiled binary. */
async function startRuntime(): Promise<void> {
  const wasmBinary = await Bun.file(coreWasm).bytes()
  const wasmMemory = new WebAssembly.Memory(MEMORY_PAGES)
  const quiet = () => {}
  await Parser.init({ wasmBinary, wasmMemory, print: quiet, printErr: quiet })
}
