import { Language, type Node, Parser } from 'web-tree-sitter'
import { QUERIES } from './definition-queries.ts'
import type { GrammarName } from './languages.ts'
import { type Match, PatternSearch } from './pattern-match.ts'
import { readPatterns } from './pattern-source.ts'
import { wasmModule } from './wasm-modules.ts'

/** A grammar with the patterns of its definitions, ready to run in this thread. */
export type Grammar = {
  readonly language: Language
  readonly definitions: PatternSearch
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
  visit: (root: Node, matches: readonly Match[]) => T,
): T {
  const parser = new Parser()
  const isOver = workBound(text.length)
  try {
    parser.setLanguage(grammar.language)
    const tree = parser.parse(text, null, { progressCallback: isOver })
    if (tree === null) throw new GaveUp('parsing')
    try {
      const root = tree.rootNode
      // Only sheer noise has so many errors.
      if (root.type === 'ERROR' && root.childCount > ERRORS_MAX) throw new GaveUp('errors')
      const matches = grammar.definitions.matches(root, text, isOver)
      if (isOver()) throw new GaveUp('the query')
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

const loaded = new Map<GrammarName, Promise<Grammar>>()
let runtime: Promise<void> | null = null

async function load(name: GrammarName): Promise<Grammar> {
  runtime ??= startRuntime()
  const [module] = await Promise.all([wasmModule(name), runtime])
  const language = Language.loadSync(module)
  return {
    language,
    definitions: new PatternSearch(readPatterns(QUERIES[name], language), language),
    body: language.fieldIdForName('body'),
    value: language.fieldIdForName('value'),
    right: language.fieldIdForName('right'),
  }
}

/** The runtime looks for its module beside itself, where nothing is in a compiled binary. */
async function startRuntime(): Promise<void> {
  const module = await wasmModule('runtime')
  const wasmMemory = new WebAssembly.Memory(MEMORY_PAGES)
  const quiet = () => {}
  await Parser.init({
    instantiateWasm: (imports: Bun.WebAssembly.Imports, receive: Receive) => {
      receive(new WebAssembly.Instance(module, imports), module)
      return {}
    },
    ...{ wasmMemory, print: quiet, printErr: quiet },
  })
}

type Receive = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void
