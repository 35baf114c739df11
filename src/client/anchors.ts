import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Anchor, textHash } from '../domain/anchor.ts'
import type { BlobId, CodeSymbol } from '../domain/code.ts'
import { Fault } from '../domain/fault.ts'
import { nearestFew } from '../domain/nearest.ts'
import { compareBytes } from '../domain/order.ts'
import { FILE_BYTES_MAX } from '../source/left-out.ts'
import { repoPath } from '../workspace/repo-path.ts'
import type { Place } from './place.ts'

/** What somebody wrote behind `--at` or to `why`, taken apart. */
export type Target = {
  readonly path: string
  readonly symbol: string | null
  readonly line: number | null
}

/** The code that anchors are looked up in: of a folder, or of a commit. */
export type AnchoredCode = {
  readonly root: string
  /** What paths are relative to: within the root, or the root. */
  readonly cwd: string
  readonly has: (path: string) => boolean
  /** Null: there is none. */
  readonly read: (path: string) => Uint8Array | null | Promise<Uint8Array | null>
  /** Every file known there, to name the nearest ones; asked only when one is not found. */
  readonly paths: () => Promise<readonly string[]>
}

/** The files that lie in the folder of a place. */
export function codeOnDisk(place: Place, paths: AnchoredCode['paths']): AnchoredCode {
  const { root, cwd } = place
  const read = (path: string) => readFile(place, path)
  return { root, cwd, has: (path) => exists(place, path), read, paths }
}

/**
 * `PATH`, `PATH:SYMBOL` or `PATH:LINE`, relative to where one stands. A colon in a file's own name
 * wins where that file exists.
 * @throws Fault `bad_input` for a path outside of the repository
 */
export function readTarget(
  place: Pick<Place, 'root' | 'cwd'>,
  written: string,
  has = (path: string) => exists(place, path),
): Target {
  const cut = written.lastIndexOf(':')
  const whole = repoPath(place.root, place.cwd, written)
  if (cut <= 0 || has(whole)) return { path: whole, symbol: null, line: null }
  const path = repoPath(place.root, place.cwd, written.slice(0, cut))
  const rest = written.slice(cut + 1).normalize('NFC')
  if (rest === '') return { path, symbol: null, line: null }
  if (/^\d{1,9}$/.test(rest)) return { path, symbol: null, line: Number(rest) }
  return { path, symbol: rest, line: null }
}

/**
 * The anchors for a record: each path and symbol looked up, with the hash of the code as it is there.
 * @throws Fault `not_found`, naming the three nearest, unless what is missing is allowed
 */
export async function findAnchors(
  code: AnchoredCode,
  written: readonly string[],
  allowMissing: boolean,
): Promise<Anchor[]> {
  const anchors = new Map<string, Anchor>()
  for (const text of written) {
    const target = readTarget(code, text, code.has)
    const anchor = await findAnchor(code, target, allowMissing)
    anchors.set(`${anchor.path}\0${anchor.symbol ?? ''}`, anchor)
  }
  return [...anchors.values()]
}

async function findAnchor(
  code: AnchoredCode,
  { path, symbol, line }: Target,
  allowMissing: boolean,
): Promise<Anchor> {
  if (path === '') throw notAFile(path)
  const bytes = await code.read(path)
  if (bytes === null) {
    if (allowMissing) return { path, symbol, hash: null }
    throw missingPath(path, await code.paths())
  }
  if (symbol === null && line === null) return { path, symbol, hash: hashOf(bytes) }
  const symbols = await symbolsOf(path, bytes)
  const found = line === null ? named(symbols, symbol ?? '') : innermost(symbols, line)
  if (found !== null) return { path, symbol: found.name, hash: found.hash }
  if (line !== null) return { path, symbol: null, hash: hashOf(bytes) }
  if (allowMissing) return { path, symbol, hash: null }
  throw missingSymbol(path, symbol ?? '', symbols)
}

/** The symbol of a target: named, or the innermost on its line; null where there is none. */
export async function symbolOf(
  place: Place,
  { path, symbol, line }: Target,
): Promise<string | null> {
  if (line === null) return symbol
  const bytes = readFile(place, path)
  if (bytes === null) return null
  return innermost(await symbolsOf(path, bytes), line)?.name ?? null
}

/** The definitions of a file's content. */
export async function symbolsOf(path: string, bytes: Uint8Array): Promise<readonly CodeSymbol[]> {
  const { indexFile } = await import('../source/file-index.ts')
  const result = await indexFile({ path, bytes, blob: '' as BlobId })
  return result.kind === 'indexed' ? result.index.symbols : []
}

function named(symbols: readonly CodeSymbol[], name: string): CodeSymbol | null {
  return symbols.find((symbol) => symbol.name === name) ?? null
}

function innermost(symbols: readonly CodeSymbol[], line: number): CodeSymbol | null {
  const around = symbols.filter((symbol) => symbol.line <= line && line <= symbol.endLine)
  around.sort((a, b) => a.endLine - a.line - (b.endLine - b.line))
  return around[0] ?? null
}

/** As the index hashes a file. */
function hashOf(bytes: Uint8Array): string {
  return textHash(new TextDecoder().decode(bytes))
}

/** A link counts as what it is, not as what it leads to. */
export function exists(place: Pick<Place, 'root'>, path: string): boolean {
  return path !== '' && lstatSync(join(place.root, path), { throwIfNoEntry: false }) !== undefined
}

/** A link is read as the text it holds: nothing is followed out of the repository. */
function readFile(place: Place, path: string): Uint8Array | null {
  const file = join(place.root, path)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (stat.isSymbolicLink()) return readlinkSync(file, { encoding: 'buffer' })
  if (!stat.isFile()) throw notAFile(path)
  refuseTooLarge(path, stat.size)
  return readFileSync(file)
}

/** Files that are not indexed can be anchored all the same, as long as they can be read at once. */
const ANCHORED_BYTES_MAX = 64 * FILE_BYTES_MAX

/** @param next what to do instead */
export function notAFile(
  path: string,
  next = 'Name a file, and if you like a symbol in it: PATH:SYMBOL.',
): Fault {
  return new Fault(
    'bad_input',
    `${path === '' ? 'The root of the repository' : path} is not a file.`,
    next,
    { detail: { reason: 'not_a_file', path } },
  )
}

/** @throws Fault `too_large` */
export function refuseTooLarge(path: string, bytes: number): void {
  if (bytes <= ANCHORED_BYTES_MAX) return
  throw new Fault(
    'too_large',
    `${path} has ${bytes} bytes; a file to anchor at has at most ${ANCHORED_BYTES_MAX}.`,
    'Anchor the record at the code that reads it.',
    { detail: { reason: 'anchor_too_large', path, bytes } },
  )
}

function missingPath(path: string, known: readonly string[]): Fault {
  const near = nearestFew(path, known, NEAREST)
  return new Fault(
    'not_found',
    `There is no file ${path} here.`,
    near.length === 0
      ? 'Take --allow-missing to record it all the same.'
      : `Did you mean ${near.join(', ')}? --allow-missing records it all the same.`,
    { detail: { reason: 'path_missing', path, nearest: near } },
  )
}

function missingSymbol(path: string, symbol: string, symbols: readonly CodeSymbol[]): Fault {
  const names = [...new Set(symbols.map(({ name }) => name))].sort(compareBytes)
  const near = nearestFew(symbol, names, NEAREST)
  return new Fault(
    'not_found',
    `There is no symbol ${symbol} in ${path}.`,
    near.length === 0
      ? `Anchor it at the file: --at ${path}`
      : `Did you mean ${near.map((name) => `${path}:${name}`).join(', ')}?`,
    { detail: { reason: 'symbol_missing', path, symbol, nearest: near } },
  )
}

const NEAREST = 3
