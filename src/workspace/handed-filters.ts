import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../domain/repo.ts'
import { storedTrunk } from './attach.ts'
import { readBlobs } from './blobs.ts'
import { type Clone, storeGit } from './clone.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'
import { type Ground, scanEnv, withIndex } from './scan.ts'
import { listTree } from './tree.ts'

export type AttributeTrouble = {
  /** Paths with a filter (git-lfs and others): jj recorded what no filter has seen. */
  readonly filtered: readonly string[]
  /** Paths whose line ends or encoding git would convert: it will show them as modified. */
  readonly converted: readonly string[]
}

const NAMES = ['filter', 'text', 'eol', 'working-tree-encoding'] as const
type Attributes = Partial<Record<(typeof NAMES)[number], string>>

/**
 * Of the changed paths, those that the repository's attributes treat in a way that workspaces do
 * not: by the `.gitattributes` of `tip` (of trunk, when it is left out) and the clone's own
 * `info/attributes`. With a tip, a file of converted line ends counts only when it holds any that git
 * would change; without one every file counts whose attributes name line ends. In the order given.
 */
export async function attributeTrouble(
  host: Host,
  clone: Clone,
  paths: readonly string[],
  tip: CommitId | null = null,
): Promise<AttributeTrouble> {
  if (paths.length === 0) return { filtered: [], converted: [] }
  const from = tip ?? (await storedTrunk(host, clone))
  const attributes = await attributesOf(host, clone, from, paths)
  const filtered = paths.filter((path) => isGiven(attributes.get(path)?.filter))
  const encoded = paths.filter((path) => isGiven(attributes.get(path)?.['working-tree-encoding']))
  const byLine = paths.filter((path) => {
    const { text, eol } = attributes.get(path) ?? {}
    if (text === 'unset') return false
    return isGiven(eol) || isGiven(text) || (tip !== null && text === 'auto')
  })
  const changing = tip === null ? new Set(byLine) : await withCrlf(host, clone, tip, byLine)
  const converted = paths.filter((path) => encoded.includes(path) || changing.has(path))
  return { filtered, converted }
}

async function attributesOf(
  host: Host,
  clone: Clone,
  commit: CommitId | null,
  paths: readonly string[],
): Promise<Map<string, Attributes>> {
  const ground = attributesGround(clone)
  const ran = await withIndex(host, ground, commit, (held, dir) =>
    git(held, { gitDir: dir }, ['check-attr', '--cached', '--stdin', '-z', ...NAMES], {
      env: scanEnv(ground),
      stdin: Buffer.from(paths.map((path) => `${path}\0`).join('')),
    }),
  )
  const parts = splitNul(ran.stdout).map((part) => part.toString('utf8'))
  const found = new Map<string, Attributes>()
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [path = '', name = '', value = ''] = parts.slice(i, i + 3)
    found.set(path, { ...found.get(path), [name]: value })
  }
  return found
}

/** An index for this question alone, whose attributes are the clone's and not "leave as it is". */
function attributesGround(clone: Clone): Ground {
  const file = join(clone.gitDir, 'info', 'attributes')
  const attributes = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // Named by them: what the index stands beside is written once.
  const key = createHash('sha256').update(attributes).digest('hex').slice(0, 8)
  return {
    clone,
    key: `~attributes-${key}`,
    folder: clone.dir,
    attributes,
    objects: [join(storeGit(clone), 'objects'), join(clone.gitDir, 'objects')],
  }
}

function isGiven(value: string | undefined): boolean {
  return value !== undefined && !['unspecified', 'unset', 'auto'].includes(value)
}

/** Those whose recorded content has a line end that git would turn into a plain one. */
async function withCrlf(
  host: Host,
  clone: Clone,
  tip: CommitId,
  paths: readonly string[],
): Promise<Set<string>> {
  const wanted = new Set(paths)
  if (wanted.size === 0) return wanted
  const store = { gitDir: storeGit(clone) }
  const files = (await listTree(host, store, tip)).filter(({ path }) => wanted.has(path))
  const found = new Set<string>()
  let next = 0
  const ids = files.map(({ blob }) => blob)
  for await (const { bytes } of readBlobs(host, store, ids)) {
    const path = files[next++]?.path ?? ''
    // Too large to look at counts as found: it is a warning.
    if (bytes === null || bytes.includes('\r\n')) found.add(path)
  }
  return found
}
