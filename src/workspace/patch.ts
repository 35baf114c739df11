import { createHash } from 'node:crypto'
import { Fault } from '../domain/fault.ts'
import { compareBytes } from '../domain/order.ts'
import type { Span } from './changes.ts'
import { baseTree } from './commit.ts'
import { type GitPlace, git, nameText } from './git.ts'
import type { Host } from './host.ts'

/**
 * A task's own change, told apart from where it lies: two patches with the same hash change the
 * same files in the same way, whatever the line numbers. Context lines count, white space counts.
 */
export type Patch = {
  /** Of this algorithm: hashes of different versions never compare as equal. */
  readonly version: typeof PATCH_VERSION
  readonly hash: string
  /** By path, in the order of its bytes. A rename is a removal and an addition. */
  readonly files: readonly PatchFile[]
}

export type PatchFile = {
  readonly path: string
  readonly digest: string
  /** `text`: by its hunks. `binary`, `other` (links, submodules, changes of type): by its objects. */
  readonly kind: 'text' | 'binary' | 'other'
}

export const PATCH_VERSION = 1

/** As it is stored: the version in front. */
export function patchIdentity(patch: Patch): string {
  return `${patch.version}:${patch.hash}`
}

const ARGS = [
  'diff-tree',
  '-r',
  '--raw',
  '-p',
  '-z',
  '--no-renames',
  '--full-index',
  '--no-textconv',
  '--no-ext-diff',
  '--no-color',
  '--diff-algorithm=myers',
  '--no-indent-heuristic',
  '-U3',
  '--inter-hunk-context=0',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
  '--ignore-submodules=none',
  '--no-relative',
  '-O/dev/null',
]

const PATCH_BYTES_MAX = 128 * 1024 * 1024

/**
 * The identity of what lies between two commits, by one git process that no configuration reaches.
 * Faults (`internal`, reason `patch_unreadable`; `too_large`) instead of guessing: a patch that
 * cannot be told must not pass for one that was reviewed. Not for commits with conflicts.
 */
export async function patchOf(host: Host, place: GitPlace, { base, tip }: Span): Promise<Patch> {
  const ran = await git(host, place, [...ARGS, baseTree(base, tip), tip], {
    env: { GIT_CONFIG_GLOBAL: '/dev/null' },
    stdoutMax: PATCH_BYTES_MAX,
  })
  const files = patchFiles(ran.stdout)
  const hash = createHash('sha256').update(`av-patch-${PATCH_VERSION}\0`)
  for (const { path, digest } of files) hash.update(`${path}\0${digest}\0`)
  return { version: PATCH_VERSION, hash: hash.digest('hex'), files }
}

type RawEntry = {
  readonly oldMode: string
  readonly newMode: string
  readonly oldId: string
  readonly newId: string
  readonly status: string
  readonly path: Buffer
}

/** Takes the output apart: first the raw entries, then the patch, whose sections are in the same order. */
function patchFiles(output: Buffer): PatchFile[] {
  if (output.length === 0) return []
  const { entries, rest } = rawEntries(output)
  // Latin-1 maps every byte to one character and back: the text is the bytes.
  const sections = rest.toString('latin1').split(/(?<=^|\n)(?=diff --git )/)
  if (sections[0]?.trim() === '') sections.shift()
  const wanted = entries.reduce((sum, entry) => sum + sectionsOf(entry), 0)
  if (wanted !== sections.length) throw unreadable(`${wanted} sections, ${sections.length} found`)
  let next = 0
  return entries
    .map((entry) => {
      const count = sectionsOf(entry)
      const body = sections.slice(next, next + count).join('')
      next += count
      return patchFile(entry, body)
    })
    .sort((a, b) => compareBytes(a.path, b.path))
}

function rawEntries(output: Buffer): { entries: RawEntry[]; rest: Buffer } {
  const entries: RawEntry[] = []
  let at = 0
  while (output[at] === COLON) {
    const metaEnd = output.indexOf(0, at)
    const pathEnd = output.indexOf(0, metaEnd + 1)
    const fields = output
      .subarray(at + 1, metaEnd)
      .toString('latin1')
      .split(' ')
    const [oldMode, newMode, oldId, newId, status] = fields
    if (metaEnd < 0 || pathEnd < 0 || !oldMode || !newMode || !oldId || !newId || !status) {
      throw unreadable('a raw entry is cut off')
    }
    const path = output.subarray(metaEnd + 1, pathEnd)
    entries.push({ oldMode, newMode, oldId, newId, status, path })
    at = pathEnd + 1
  }
  return { entries, rest: output.subarray(output[at] === 0 ? at + 1 : at) }
}

const COLON = 0x3a
const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/
const REGULAR = new Set(['100644', '100755', '000000'])

/** A change of type is shown as a removal and an addition. */
function sectionsOf(entry: RawEntry): 1 | 2 {
  return entry.status.startsWith('T') ? 2 : 1
}

function patchFile(entry: RawEntry, body: string): PatchFile {
  const { oldMode, newMode, oldId, newId, status } = entry
  const path = nameText(entry.path)
  if (path === null) throw unreadable('a name is not UTF-8')
  const hash = createHash('sha256').update(
    [`v${PATCH_VERSION}`, path, oldMode, newMode, status, ''].join('\0'),
  )
  const lines = body.split('\n')
  const firstHunk = lines.findIndex((line) => HUNK.test(line))
  const done = (kind: PatchFile['kind']) => ({ path, digest: hash.digest('hex'), kind })
  if (sectionsOf(entry) === 2 || !REGULAR.has(oldMode) || !REGULAR.has(newMode)) {
    hash.update(`${oldId}>${newId}`)
    return done('other')
  }
  if (firstHunk >= 0) {
    for (const line of lines.slice(firstHunk)) {
      // Line numbers and git's guess of a heading are left out, everything else counts byte for byte.
      hash.update(HUNK.test(line) ? '@@\n' : `${line}\n`, 'latin1')
    }
    return done('text')
  }
  if (oldId === newId) {
    hash.update('nohunk')
    return done('text')
  }
  hash.update(`${oldId}>${newId}`)
  const emptyFile = /^[AD]/.test(status) && !body.includes('Binary files')
  return done(emptyFile ? 'text' : 'binary')
}

function unreadable(what: string): Fault {
  return new Fault(
    'internal',
    `The patch cannot be told apart from others: ${what}.`,
    'Report it with the version of git in use.',
    { detail: { reason: 'patch_unreadable' } },
  )
}
