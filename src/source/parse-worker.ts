/**
 * A worker of `parse-pool`: takes one file a message and answers each in turn. Whatever a grammar
 * throws is told, and the pool ends this worker: what it would answer next could be wrong.
 */
import { NoGrammar, parseFile, type SourceFile, type SourceResult } from './parse-file.ts'

/** `null` comes first, once: the worker is there. */
export type ParseAnswer =
  | null
  | { readonly ok: true; readonly result: SourceResult }
  | { readonly ok: false; readonly message: string; readonly isFilesFault: boolean }

declare const self: Worker

let turn: Promise<void> = Promise.resolve()
let bytesSinceCollected = 0

/**
 * The collector lets garbage grow to the size of what is kept, and the grammars count as kept: left
 * alone a worker takes 100 MB more. Collecting by hand costs a tenth of the time.
 */
const COLLECT_EVERY_BYTES = 1_048_576

self.onmessage = (event: MessageEvent<SourceFile>) => {
  turn = turn.then(() => answer(event.data))
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
