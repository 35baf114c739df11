import { memoryUsage } from 'bun:jsc'
import { languageClass } from './languages.ts'
import { indexWords, type SourceFile, type SourceResult } from './parse-file.ts'
import { ParseSeat } from './parse-seat.ts'

export type ParsePoolOptions = {
  /** Upper bound; workers start when there is work for them. */
  readonly workers: number
  /** How long one file may take before its worker is ended. */
  readonly fileTimeoutMs?: number
  /** Another script than `parse-worker`, for tests. */
  readonly entry?: string | URL
}

export type ParsePool = {
  /**
   * Indexes files as they come, in no stated order; what a file gives depends on the file alone. Takes
   * no more files than are soon needed, and none while nobody reads the results. One run at a time.
   */
  index(files: AsyncIterable<SourceFile>): AsyncGenerator<SourceResult>
  /** Ends the workers. */
  close(): void
}

/**
 * Parses in workers. A file that ends its worker (a grammar that aborts, or takes longer than
 * `fileTimeoutMs`) gets a second try in a fresh one, so that no file is blamed for what an earlier
 * one left behind; after that only its words are indexed.
 */
export function createParsePool(options: ParsePoolOptions): ParsePool {
  const seats = Array.from({ length: Math.max(1, options.workers) }, () => newSeat(options))
  let running = false
  return {
    async *index(files) {
      if (running) throw new Error('a parse pool runs one index at a time')
      running = true
      try {
        yield* run(seats, files)
      } finally {
        running = false
      }
    },
    close: () => {
      for (const seat of seats) seat.stop()
    },
  }
}

/** One file in a worker of its own. */
export async function indexAlone(file: SourceFile): Promise<SourceResult> {
  const pool = createParsePool({ workers: 1 })
  try {
    for await (const result of pool.index(only(file))) return result
    throw new Error('a file went into the parse pool and nothing came out')
  } finally {
    pool.close()
  }
}

async function* only(file: SourceFile): AsyncGenerator<SourceFile> {
  yield file
}

const FILE_TIMEOUT_MS = 10_000

function newSeat(options: ParsePoolOptions): ParseSeat {
  const { entry = workerEntry(), fileTimeoutMs = FILE_TIMEOUT_MS } = options
  return new ParseSeat(entry, fileTimeoutMs, indexWords)
}

/**
 * In a compiled binary code lies wherever the bundler put it, but an entry point keeps its path below
 * `src`.
 */
function workerEntry(): URL {
  const bundle = /^file:\/\/\/(?:\$bunfs|[A-Za-z]:\/~BUN)\/root\//.exec(import.meta.url)?.[0]
  return bundle === undefined
    ? new URL('./parse-worker.ts', import.meta.url)
    : new URL('source/parse-worker.js', bundle)
}

async function* run(
  seats: readonly ParseSeat[],
  files: AsyncIterable<SourceFile>,
): AsyncGenerator<SourceResult> {
  const input = files[Symbol.asyncIterator]()
  const done: SourceResult[] = []
  let failure: Error | null = null
  let wake = () => {}
  for (const seat of seats) {
    seat.onFailure = (error) => {
      failure = error
      wake()
    }
    seat.onResult = (result) => {
      done.push(result)
      relieve(seats)
      wake()
    }
  }
  let pulling: Promise<void> | null = null
  let ended = false
  const pull = async () => {
    const next = await input.next()
    pulling = null
    if (next.done) ended = true
    else seatFor(next.value, seats).add(next.value)
  }
  try {
    for (;;) {
      for (let next = done.shift(); next !== undefined; next = done.shift()) yield next
      if (failure !== null) throw failure
      if (!ended && pulling === null && hasRoom(seats)) pulling = pull()
      if (ended && seats.every((seat) => seat.files === 0) && done.length === 0) return
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      if (done.length === 0) await (pulling === null ? changed : Promise.race([pulling, changed]))
    }
  } finally {
    for (const seat of seats) if (seat.files > 0) seat.stop()
    await input.return?.()
  }
}

/** Replaces the worker that did most when the process takes too much memory; one at a time. */
function relieve(seats: readonly ParseSeat[]): void {
  if (memoryUsage().current < PROCESS_BYTES_MAX || seats.some((seat) => seat.isSpent)) return
  const most = seats.reduce((a, b) => (b.servedBytes > a.servedBytes ? b : a))
  if (most.servedBytes >= SERVED_BYTES_MIN) most.retire()
}

const MEBIBYTE = 1_048_576
const BYTES_IN_FLIGHT_MAX = 4 * MEBIBYTE
const PROCESS_BYTES_MAX = 256 * MEBIBYTE
/** A fresh worker takes a second of computing to be fast; it shall have been worth it. */
const SERVED_BYTES_MIN = 6 * MEBIBYTE
/** With less than this in use a second worker fits in. An ended one takes a moment to give back its own. */
const ROOM_FOR_ANOTHER_BYTES = 200 * MEBIBYTE

function hasRoom(seats: readonly ParseSeat[]): boolean {
  const bytes = seats.reduce((sum, seat) => sum + seat.bytes, 0)
  return bytes < BYTES_IN_FLIGHT_MAX && openSeats(seats).length > 0
}

function openSeats(seats: readonly ParseSeat[]): readonly ParseSeat[] {
  const running = seats.some((seat) => seat.started)
  const mayStart = !running || memoryUsage().current < ROOM_FOR_ANOTHER_BYTES
  return seats.filter((seat) => seat.hasRoom && (seat.started || mayStart))
}

/**
 * The seat with the least to do. A grammar takes up to 16 MB in each worker that loads it, so the
 * files of one that few files need stay together.
 */
function seatFor(file: SourceFile, seats: readonly ParseSeat[]): ParseSeat {
  const language = languageClass(file.path)
  const knowing = seats.filter((seat) => seat.filesOf(language) > 0)
  const fewest = (among: readonly ParseSeat[]) =>
    among.reduce((a, b) => (b.files < a.files ? b : a))
  const open = openSeats(seats)
  const total = seats.reduce((sum, seat) => sum + seat.filesOf(language), 0)
  if (knowing.length > 0 && total < FILES_TO_SPREAD) return fewest(knowing)
  return fewest(open.length > 0 ? open : seats)
}

const FILES_TO_SPREAD = 40
