import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { compareBytes } from '../domain/order.ts'
import type { CommitId } from '../domain/repo.ts'
import { codeLine } from '../domain/sanitise.ts'
import { adoptCommit, travelRef } from './attach.ts'
import { formatHeader, parseHeader } from './bundle-header.ts'
import { Quarantine } from './bundle-quarantine.ts'
import type { Span } from './changes.ts'
import { type Clone, lockFile, storeGit } from './clone.ts'
import { commitId } from './commit.ts'
import { bundleCorrupt } from './commit-inspection.ts'
import { hasReason } from './diagnosis.ts'
import { git } from './git.ts'
import type { Host } from './host.ts'
import { jj } from './jj.ts'
import { withLock } from './lock.ts'

/** A task's commits on their way to another clone: a thin git bundle, named by its content. */
export type Bundle = {
  /** Sha256 of the bytes, hex. */
  readonly id: string
  readonly base: CommitId | null
  readonly tip: CommitId
  /** Where the bytes are; who asked for the bundle removes the file. */
  readonly file: string
  readonly bytes: number
}

/** Of a whole bundle; what does not fit travels by a git remote. */
export const BUNDLE_BYTES_MAX = 64 * 1024 * 1024

const PACK_MS = 600_000

/**
 * Packs what `tip` has and `base` has not; with a base of null, all of tip's history. The same span
 * gives the same bytes where the store has the objects in the same form.
 * Faults with `too_large`, reason `bundle_too_large`: git is stopped at the limit.
 */
export async function makeBundle(host: Host, clone: Clone, span: Span): Promise<Bundle> {
  const { base, tip } = span
  const header = formatHeader({ tip, prerequisites: await boundary(host, clone, span) })
  const pack = await packOf(host, clone, span, BUNDLE_BYTES_MAX - header.length)
  const id = createHash('sha256').update(header).update(pack).digest('hex')
  const file = writeBeside(clone, tip, [header, pack])
  return { id, base, tip, file, bytes: header.length + pack.length }
}

/**
 * Takes a bundle in that anybody may have made. Nothing of it is in the store before all of it was
 * looked at: its bytes are those `id` names, it brings `tip` and no other ref, its objects are
 * sound and complete, every file name can be read by jj. Then the commit is known to jj, under a
 * ref of its own. A commit that is at hand already costs two processes.
 * Faults: `internal`, reason `bundle_corrupt`; `conflict`, reason `bundle_prerequisite`, when the
 * store lacks the commits `detail.missing` that it stands on.
 */
export async function takeBundle(
  host: Host,
  clone: Clone,
  bundle: Pick<Bundle, 'id' | 'tip' | 'file'>,
): Promise<void> {
  if (await hasCommit(host, clone, bundle.tip)) return
  const { header, pack } = readBundle(bundle)
  await withLock(host, lockFile(clone, '~bundle'), async (held) => {
    const missing = await notAtHand(held, clone, header.prerequisites)
    if (missing.length > 0) throw prerequisite(bundle.tip, missing)
    const quarantine = new Quarantine(held, clone)
    try {
      await quarantine.take(pack)
      await quarantine.inspect(header)
      quarantine.release()
    } finally {
      quarantine.remove()
    }
  })
  try {
    await adoptCommit(host, clone, bundle.tip, travelRef(bundle.tip))
  } catch (thrown) {
    throw hasReason(thrown, 'store_broken', 'jj_output', 'unknown')
      ? bundleCorrupt('jj cannot read its commit', thrown)
      : thrown
  }
}

/** Whether the commit is in this clone's store and jj knows it. */
export async function hasCommit(host: Host, clone: Clone, commit: CommitId): Promise<boolean> {
  if ((await notAtHand(host, clone, [commit])).length > 0) return false
  const args = ['log', '--no-graph', '-r', `present(${commit})`, '-T', 'commit_id']
  const ran = await jj(host, clone, args, { ignoreFiles: true })
  return ran.stdout.toString('utf8') === commit
}

/** Those that the store's git lacks, by id. */
async function notAtHand(
  host: Host,
  clone: Clone,
  commits: readonly CommitId[],
): Promise<CommitId[]> {
  if (commits.length === 0) return []
  const ran = await git(host, { gitDir: storeGit(clone) }, ['cat-file', '--batch-check'], {
    stdin: Buffer.from(commits.map((commit) => `${commit}\n`).join('')),
  })
  const answers = ran.stdout.toString('latin1').split('\n')
  return commits.filter((commit, at) => !answers[at]?.startsWith(`${commit} commit `)).sort()
}

/** The commits outside the span that those inside it stand on. */
async function boundary(host: Host, clone: Clone, span: Span): Promise<CommitId[]> {
  const args = ['rev-list', '--boundary', ...revisions(span)]
  const ran = await git(host, { gitDir: storeGit(clone) }, args)
  const lines = ran.stdout.toString('latin1').split('\n')
  return lines
    .filter((line) => line.startsWith('-'))
    .map((line) => commitId(line.slice(1)))
    .sort()
}

function revisions({ base, tip }: Span): string[] {
  return base === null ? [tip] : [tip, `^${base}`]
}

/** What keeps git's memory bounded, and its output the same each time. */
const PACKING = ['pack.threads=1', 'pack.windowMemory=256m', 'core.bigFileThreshold=64m']

async function packOf(host: Host, clone: Clone, span: Span, bytesMax: number): Promise<Buffer> {
  const settings = PACKING.flatMap((setting) => ['-c', setting])
  const args = [
    ...settings,
    'pack-objects',
    '-q',
    '--revs',
    '--thin',
    '--delta-base-offset',
    '--stdout',
  ]
  const stdin = Buffer.from(`${revisions(span).join('\n')}\n`)
  try {
    const options = { stdin, stdoutMax: bytesMax, timeoutMs: PACK_MS }
    return (await git(host, { gitDir: storeGit(clone) }, args, options)).stdout
  } catch (thrown) {
    if (hasReason(thrown, 'output_too_large')) throw await tooLarge(host, clone, span, thrown)
    throw thrown
  }
}

/** In the clone's own folder, where only its owner reads; no two callers get the same file. */
function writeBeside(clone: Clone, tip: CommitId, parts: readonly Buffer[]): string {
  const dir = join(clone.dir, 'bundles')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (let n = 0; ; n++) {
    const path = join(dir, `${tip}.${n}.bundle`)
    if (existsSync(path)) continue
    const file = openSync(path, 'wx', 0o600)
    try {
      for (const part of parts) writeFileSync(file, part)
      return path
    } catch (thrown) {
      rmSync(path, { force: true })
      throw thrown
    } finally {
      closeSync(file)
    }
  }
}

function readBundle({ id, tip, file }: Pick<Bundle, 'id' | 'tip' | 'file'>) {
  const { size } = statSync(file)
  if (size > BUNDLE_BYTES_MAX) throw bundleCorrupt(`it has ${size} bytes`)
  const bytes = readFileSync(file)
  if (createHash('sha256').update(bytes).digest('hex') !== id) {
    throw bundleCorrupt('its bytes are not those that were sent')
  }
  const read = parseHeader(bytes)
  if (read === null) throw bundleCorrupt('it is no bundle as av makes them')
  if (read.header.tip !== tip) throw bundleCorrupt('it brings another commit')
  return read
}

function prerequisite(tip: CommitId, missing: readonly CommitId[]): Fault {
  return new Fault(
    'conflict',
    `The commit ${tip} stands on ${missing.join(', ').slice(0, 200)}, which this clone does not have.`,
    'Fetch trunk of the team (`git fetch` in the repository, then `av sync`), and repeat the command.',
    { detail: { reason: 'bundle_prerequisite', tip, missing } },
  )
}

const SHOWN_MAX = 5

async function tooLarge(host: Host, clone: Clone, span: Span, cause: unknown): Promise<Fault> {
  const files = await largestFiles(host, clone, span)
  const shown = files.map(({ path, bytes }) => `${codeLine(path)} (${bytes} bytes)`).join(', ')
  return new Fault(
    'too_large',
    `The task's changes take more than ${BUNDLE_BYTES_MAX} bytes, which is too much to hand on. The largest files: ${shown}.`,
    `Take the large files out of the task, or push its commit to a git remote as refs/av/${span.tip}.`,
    { cause, detail: { reason: 'bundle_too_large', limit: BUNDLE_BYTES_MAX, files } },
  )
}

/** Of the contents that the span brings, by size; also those that a later commit removed again. */
async function largestFiles(host: Host, clone: Clone, span: Span) {
  const store = { gitDir: storeGit(clone) }
  const listed = await git(host, store, ['rev-list', '--objects', ...revisions(span)])
  const format = '--batch-check=%(objecttype) %(objectsize) %(rest)'
  const sized = await git(host, store, ['cat-file', format], { stdin: listed.stdout })
  const largest = new Map<string, number>()
  for (const line of sized.stdout.toString('utf8').split('\n')) {
    const [, size, path] = /^blob ([0-9]+) (.+)$/.exec(line) ?? []
    if (path !== undefined) largest.set(path, Math.max(Number(size), largest.get(path) ?? 0))
  }
  return [...largest]
    .map(([path, bytes]) => ({ path, bytes }))
    .sort((a, b) => b.bytes - a.bytes || compareBytes(a.path, b.path))
    .slice(0, SHOWN_MAX)
}
