#!/usr/bin/env bun
/**
 * Step 1 of the table: what people said of a change, beside the code they changed.
 *
 *   bun scripts/distill/pairs.ts --clones DIR --out DIR [--commits 4000] [--histories owner/name,…]
 *
 * DIR holds a clone of each history of `histories.ts` as `owner+name`. For each commit that would be a
 * task of the benchmark (one to five source files, four words or more), one line of JSON is written to
 * `OUT/owner+name.jsonl`: its message as a goal, and the embedded text of each changed file and
 * definition as it was before. Reads only; takes about half an hour of one core.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BlobId } from '../../src/domain/code.ts'
import { fileText, symbolText } from '../../src/domain/embedding-text.ts'
import { indexFile } from '../../src/source/file-index.ts'
import { LANGUAGES } from '../../src/source/languages.ts'
import { leftOutByPath } from '../../src/source/left-out.ts'
import { goalOf, isSource } from '../bench/bench-tasks.ts'
import { HISTORIES, nameOf, type TrainingHistory } from './histories.ts'

/** One task: its goal, and what it changed as texts. */
export type Pair = {
  readonly goal: string
  readonly files: readonly {
    readonly path: string
    readonly text: string
    readonly symbols: readonly string[]
  }[]
}

type ChangedFile = {
  readonly path: string
  readonly blob: string
  /** Old lines, 1-based, inclusive. */
  readonly ranges: (readonly [number, number])[]
}

const FILES_MAX = 5
/** Subjects that say what kind of commit it is, and no more. */
const NO_TASK =
  /^(?:release|chore|docs?|ci|style|revert|build|bump|version|v?\d+\.|set version|merge|copy|cleanup|lint|format|forward|backport)\b/i
const WORDS_MIN = 4
const SYMBOLS_MAX = 6

async function writePairs(history: TrainingHistory, gitDir: string, out: string, commits: number) {
  const file = Bun.file(out).writer()
  const blobs = new BlobReader(gitDir)
  let pairs = 0
  for await (const { message, files } of readCommits(gitDir, history.commit, commits)) {
    const gold = files.filter(({ path }) => isSource(path) && leftOutByPath(path) === null)
    const goal = goalOf(message)
    if (gold.length === 0 || gold.length > FILES_MAX) continue
    const texts = []
    for (const changed of gold) {
      const text = await textsOf(changed, await blobs.read(changed.blob))
      if (text !== null) texts.push(text)
    }
    if (texts.length === 0) continue
    file.write(`${JSON.stringify({ goal, files: texts } satisfies Pair)}\n`)
    pairs++
  }
  await file.end()
  blobs.close()
  console.log(`${history.repo}: ${pairs} pairs`)
}

async function textsOf(changed: ChangedFile, bytes: Uint8Array | null) {
  if (bytes === null) return null
  const { path, blob } = changed
  const result = await indexFile({ path, blob: blob as BlobId, bytes })
  if (result.kind !== 'indexed') return null
  const { symbols } = result.index
  const around = new Set(
    changed.ranges.flatMap(
      ([from, to]) =>
        symbols
          .filter(({ line, endLine }) => line <= to && endLine >= from)
          .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))[0] ?? [],
    ),
  )
  return {
    path,
    text: fileText(path, symbols),
    symbols: [...around].slice(0, SYMBOLS_MAX).map((symbol) => symbolText(path, symbol)),
  }
}

/** Nothing else is diffed: a clone may lack large files, and git stops at the first it misses. */
const SOURCES = LANGUAGES.filter(({ grammar }) => grammar !== null).flatMap(({ extensions }) =>
  extensions.split(' ').map((extension) => `*.${extension}`),
)

/** The newest commits of a history that say something, each with the source files it modified. */
async function* readCommits(gitDir: string, from: string, wanted: number) {
  const flags = ['-U0', '--raw', '-p', '--no-abbrev', '--no-renames', '--no-ext-diff', '--no-color']
  const git = Bun.spawn(
    ['git', `--git-dir=${gitDir}`, '-c', 'safe.directory=*', '-c', 'core.quotepath=off'].concat([
      'log',
      '--no-merges',
      '--format=%x01%B%x02',
      ...flags,
      from,
      '--',
      ...SOURCES,
    ]),
    { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
  )
  let given = 0
  let message: string[] | null = null
  let text = ''
  let files = new Map<string, ChangedFile>()
  let current: ChangedFile | undefined
  const isTask = () =>
    files.size > 0 && !NO_TASK.test(text) && text.split('\n')[0]!.split(/\s+/).length >= WORDS_MIN
  for await (const line of linesOf(git.stdout)) {
    if (line.startsWith('\u0001')) {
      if (isTask()) {
        yield { message: text, files: [...files.values()] }
        if (++given >= wanted) break
      }
      files = new Map()
      message = [line.slice(1)]
    } else if (message !== null) message.push(line)
    if (message !== null) {
      const last = message.at(-1)!
      if (!last.endsWith('\u0002')) continue
      text = message.join('\n').slice(0, -1).trim()
      message = null
      continue
    }
    const raw = /^:100\d+ 100\d+ ([0-9a-f]{40}) [0-9a-f]{40} M\t(.*)$/.exec(line)
    if (raw) files.set(raw[2]!, { path: raw[2]!, blob: raw[1]!, ranges: [] })
    else if (line.startsWith('--- a/')) current = files.get(line.slice(6))
    else if (line.startsWith('@@ ') && current !== undefined) {
      const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line)
      if (hunk) {
        const start = Number(hunk[1])
        const count = hunk[2] === undefined ? 1 : Number(hunk[2])
        current.ranges.push([start, Math.max(start, start + count - 1)])
      }
    }
  }
  git.kill()
}

const LINE_MAX = 20_000

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of stream) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = lines.pop()!.slice(0, LINE_MAX)
    yield* lines
  }
  yield held
}

/** Contents of blobs by their ids, through one `git cat-file`. */
class BlobReader {
  private readonly git
  private readonly chunks
  private held: Uint8Array = new Uint8Array(0)

  constructor(gitDir: string) {
    this.git = Bun.spawn(
      ['git', `--git-dir=${gitDir}`, '-c', 'safe.directory=*', 'cat-file', '--batch'],
      { stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' },
    )
    this.chunks = this.git.stdout[Symbol.asyncIterator]()
  }

  /** Null when the clone does not hold it. */
  async read(id: string): Promise<Uint8Array | null> {
    this.git.stdin.write(`${id}\n`)
    await this.git.stdin.flush()
    let end = this.held.indexOf(10)
    while (end < 0) {
      await this.more()
      end = this.held.indexOf(10)
    }
    const header = new TextDecoder().decode(this.held.subarray(0, end)).split(' ')
    this.held = this.held.subarray(end + 1)
    if (header[1] === 'missing') return null
    const size = Number(header[2])
    while (this.held.length < size + 1) await this.more()
    const content = this.held.slice(0, size)
    this.held = this.held.subarray(size + 1)
    return content
  }

  close(): void {
    this.git.kill()
  }

  private async more(): Promise<void> {
    const { value, done } = await this.chunks.next()
    if (done) throw new Error('git cat-file ended early')
    this.held = this.held.length === 0 ? value : Buffer.concat([this.held, value])
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      clones: { type: 'string' },
      out: { type: 'string' },
      commits: { type: 'string', default: '4000' },
      histories: { type: 'string' },
    },
  })
  if (values.clones === undefined || values.out === undefined) {
    console.error('usage: pairs.ts --clones DIR --out DIR')
    process.exit(2)
  }
  mkdirSync(values.out, { recursive: true })
  for (const history of wantedHistories(values.histories)) {
    const name = nameOf(history)
    const gitDir = await gitDirOf(join(values.clones, name))
    await writePairs(history, gitDir, join(values.out, `${name}.jsonl`), Number(values.commits))
  }
  process.exit(0)
}

/** @param names separated by commas; undefined: all */
function wantedHistories(names: string | undefined): readonly TrainingHistory[] {
  if (names === undefined) return HISTORIES
  return names.split(',').map((name) => {
    const history = HISTORIES.find(({ repo }) => repo === name)
    if (history === undefined) throw new Error(`${name} is not in histories.ts`)
    return history
  })
}

/** A clone lies in the folder itself, in its `.git`, or as a bare one in its `repo`. */
async function gitDirOf(folder: string): Promise<string> {
  for (const dir of [`${folder}/.git`, `${folder}/repo`, folder]) {
    if (await Bun.file(join(dir, 'HEAD')).exists()) return dir
  }
  throw new Error(`no clone at ${folder}`)
}
