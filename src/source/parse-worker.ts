/**
 * A worker of `parse-pool`: takes one file a message and answers each in turn. Whatever a grammar
 * throws is told, and the pool ends this worker: what it would answer next could be wrong.
 */
import { NoGrammar, parseFile, type SourceFile, type SourceResult } from './parse-file.ts'
import { borrowModules, type ModuleName } from './wasm-modules.ts'

/** `null` comes first, once: the worker is there. */
export type ParseAnswer =
  | null
  | { readonly needs: ModuleName }
  | { readonly ok: true; readonly result: SourceResult }
  | { readonly ok: false; readonly message: string; readonly isFilesFault: boolean }

/** A module that was asked for, or why it cannot be had. */
export type LentModule = {
  readonly name: ModuleName
  readonly module: WebAssembly.Module | null
  readonly message: string
}

declare const self: Worker

let turn: Promise<void> = Promise.resolve()
let bytesSinceCollected = 0

/**
 * The collector lets garbage grow to the size of what is kept, and the grammars count as kept: left
 * alone a worker takes 100 MB more. Collecting by hand costs a tenth of the time.
 */
const COLLECT_EVERY_BYTES = 1_048_576

self.onmessage = ({ data }: MessageEvent<SourceFile | LentModule>) => {
  if ('module' in data) take(data)
  else turn = turn.then(() => answer(data))
}

const borrowed = new Map<ModuleName, PromiseWithResolvers<WebAssembly.Module>>()

borrowModules((name) => {
  const module = Promise.withResolvers<WebAssembly.Module>()
  borrowed.set(name, module)
  self.postMessage({ needs: name } satisfies ParseAnswer)
  return module.promise
})

function take({ name, module, message }: LentModule): void {
  if (module === null) borrowed.get(name)?.reject(new Error(message))
  else borrowed.get(name)?.resolve(module)
}

async function answer(file: SourceFile): Promise<void> {
  self.postMessage(await tryParse(file))
  bytesSinceCollected += file.bytes.length
  if (bytesSinceCollected < COLLECT_EVERY_BYTES) return
  bytesSinceCollected = 0
  Bun.gc(true)
}

async function tryParse(file: SourceFile): Promise<ParseAnswer> {
  try {
    return { ok: true, result: await parseFile(file) }
  } catch (error) {
    return { ok: false, message: String(error), isFilesFault: !(error instanceof NoGrammar) }
  }
}

self.postMessage(null satisfies ParseAnswer)
