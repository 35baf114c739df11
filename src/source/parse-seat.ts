import { languageClass, languageOf } from './languages.ts'
import type { SourceFile, SourceResult } from './parse-file.ts'
import type { LentModule, ParseAnswer } from './parse-worker.ts'
import { type ModuleName, wasmModule } from './wasm-modules.ts'

/**
 * A place for one worker at a time, with the files it was given and has not answered. Replaces a
 * worker that ended, that does not answer, or that has done enough: a grammar's memory never shrinks.
 */
export class ParseSeat {
  onResult: (result: SourceResult) => void = () => {}
  /** A worker that cannot start or has no grammar: the fault is not any file's. */
  onFailure: (error: Error) => void = () => {}
  private worker: Worker | null = null
  private timer: ReturnType<typeof setTimeout> | null = null
  /** In the order given; the worker is at the first. */
  private waiting: Job[] = []
  private served = { files: 0, bytes: 0 }
  private languages = new Map<string, number>()
  private retiring = false
  private ready = false

  constructor(
    private readonly entry: string | URL,
    private readonly fileTimeoutMs: number,
    private readonly withoutGrammar: (file: SourceFile) => SourceResult,
  ) {}

  get files(): number {
    return this.waiting.length
  }

  get bytes(): number {
    return this.waiting.reduce((sum, { file }) => sum + file.bytes.length, 0)
  }

  get started(): boolean {
    return this.worker !== null
  }

  /** How many files of a language the present worker was given. */
  filesOf(language: string): number {
    return this.languages.get(language) ?? 0
  }

  /** Whether it takes another file; a worker that has done enough finishes what it has first. */
  get hasRoom(): boolean {
    return this.files < QUEUE_MAX && !(this.worker !== null && this.isSpent)
  }

  add(file: SourceFile): void {
    this.waiting.push({ file, tries: 0 })
    prepareFor(file)
    this.worker ??= this.start()
    const language = languageClass(file.path)
    this.languages.set(language, this.filesOf(language) + 1)
    this.worker.postMessage(file)
    if (this.waiting.length === 1) this.watch()
  }

  /** Ends the worker and forgets its files. */
  stop(): void {
    this.waiting = []
    this.end()
  }

  /** Bytes that the present worker has answered for. */
  get servedBytes(): number {
    return this.worker === null ? 0 : this.served.bytes
  }

  /** Has the worker finish what it has and end. */
  retire(): void {
    this.retiring = true
  }

  get isSpent(): boolean {
    const { files, bytes } = this.served
    return this.retiring || files >= SERVED_FILES_MAX || bytes >= SERVED_BYTES_MAX
  }

  private start(): Worker {
    const worker = new Worker(this.entry, { smol: true })
    // An ended worker may still speak; only the present one is heard.
    const ifPresent = (act: () => void) => {
      if (this.worker === worker) act()
    }
    worker.onmessage = (event: MessageEvent<ParseAnswer>) => ifPresent(() => this.take(event.data))
    worker.onerror = (event) => {
      event.preventDefault()
      ifPresent(() => this.replace(event.message))
    }
    worker.addEventListener('close', () => ifPresent(() => this.replace('it ended')))
    this.served = { files: 0, bytes: 0 }
    this.retiring = false
    this.ready = false
    return worker
  }

  private end(): void {
    const { worker } = this
    this.worker = null
    this.languages = new Map()
    if (this.timer !== null) clearTimeout(this.timer)
    worker?.terminate()
  }

  private watch(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = setTimeout(() => this.replace('it does not answer'), this.fileTimeoutMs)
  }

  private take(answer: ParseAnswer): void {
    if (answer === null) {
      this.ready = true
      if (this.waiting.length > 0) this.watch()
      return
    }
    if ('needs' in answer) {
      if (this.worker !== null) void lend(this.worker, answer.needs)
      return
    }
    if (!answer.ok) {
      if (answer.isFilesFault) this.replace(answer.message)
      else this.fail(answer.message)
      return
    }
    const { file } = this.waiting.shift()!
    this.served.files++
    this.served.bytes += file.bytes.length
    if (this.waiting.length > 0) this.watch()
    else if (this.isSpent) this.end()
    else if (this.timer !== null) clearTimeout(this.timer)
    this.onResult(answer.result)
  }

  private fail(why: string): void {
    this.end()
    this.onFailure(new Error(`a parse worker is of no use: ${why}`))
  }

  /** Ends the worker over its first file, and gives all of them to a new one. */
  private replace(why: string): void {
    if (!this.ready) {
      this.fail(`it did not start: ${why}`)
      return
    }
    this.end()
    const first = this.waiting[0]
    if (first === undefined) return
    first.tries++
    if (first.tries >= TRIES_MAX) {
      this.waiting.shift()
      this.onResult(this.withoutGrammar(first.file))
    }
    if (this.waiting.length === 0) return
    this.worker = this.start()
    for (const { file } of this.waiting) this.worker.postMessage(file)
    this.watch()
  }
}

/** Compiles what a file is parsed with while the worker starts; it will ask, and is told then what went wrong. */
function prepareFor({ path }: SourceFile): void {
  const { grammar } = languageOf(path, '')
  if (grammar === null) return
  for (const name of ['runtime', grammar] as const) wasmModule(name).catch(() => {})
}

async function lend(worker: Worker, name: ModuleName): Promise<void> {
  let lent: LentModule
  try {
    lent = { name, module: await wasmModule(name), message: '' }
  } catch (error) {
    lent = { name, module: null, message: String(error) }
  }
  worker.postMessage(lent)
}

type Job = { readonly file: SourceFile; tries: number }

/** Enough that a worker never waits for the next file. */
const QUEUE_MAX = 4
const TRIES_MAX = 2
const SERVED_FILES_MAX = 5_000
const SERVED_BYTES_MAX = 64 * 1_048_576
