import { lstatSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs'
import { type Checkout, gitIn } from './checkout.ts'
import { splitNul } from './git.ts'
import type { Host } from './host.ts'
import type { IndexLock } from './index-lock.ts'
import { foldersAbove, shownPath, type TreeChange, type TreeSide } from './tree-change.ts'

/**
 * Finishes what a change of files was broken off in, from `from` to `to`, path by path: a file is
 * written or removed only when it still is exactly what `from` has, is gone, or was cut off in the
 * middle of being written. Anything else is the person's, and stays. Links that lead out of the
 * checkout are never written through. `indexAt` says which side the index stands on; since it moves
 * all at once, nothing is done when it stands elsewhere for any path: then the person, or another
 * client, has been at work since. The index is committed at the end.
 */
export async function completeCheckout(
  host: Host,
  checkout: Checkout,
  lock: IndexLock,
  changes: readonly TreeChange[],
  indexAt: 'from' | 'to',
): Promise<void> {
  const work = new CheckoutIndex(host, checkout, lock.index)
  const staged = await work.entries()
  if (!changes.every((change) => isAt(staged.get(change.path), change[indexAt]))) return
  const folder = Buffer.from(checkout.folder)

  const notFrom = await work.differing(changes, 'from')
  for (const { path, from, to } of changes) {
    if (to !== null || from === null || from.mode === SUBMODULE) continue
    const isOurs = !notFrom.has(path) || (await work.isCutOff(folder, path, [from]))
    if (isOurs) removeFile(folder, path)
  }

  const notTo = await work.differing(changes, 'to')
  const missing: string[] = []
  for (const { path, from, to } of changes) {
    if (!notTo.has(path) || to === null || to.mode === SUBMODULE) continue
    if (staged.get(path)?.hidden) continue
    const isOurs =
      (from !== null && !notFrom.has(path)) ||
      isGone(folder, path) ||
      (await work.isCutOff(folder, path, [to, from]))
    if (isOurs) missing.push(path)
  }
  await work.write(missing)
  await work.hide(changes.filter(({ path, to }) => to !== null && staged.get(path)?.hidden))
  lock.commit()
}

const SUBMODULE = '160000'

type Entry = TreeSide & {
  /** Left out of the files by a sparse checkout. */
  readonly hidden: boolean
}

/** The copy of the index that is worked on. */
class CheckoutIndex {
  constructor(
    private readonly host: Host,
    private readonly checkout: Checkout,
    private readonly index: string,
  ) {}

  /** What is staged at each path; a path in conflict is as if something of the person's were. */
  async entries(): Promise<Map<string, Entry>> {
    const entries = new Map<string, Entry>()
    for (const line of splitNul((await this.git(['ls-files', '-s', '-t', '-z'])).stdout)) {
      const text = line.toString('latin1')
      const tab = text.indexOf('\t')
      const [tag, mode = '', object = '', stage] = text.slice(0, tab).split(' ')
      const hidden = tag === 'S'
      entries.set(text.slice(tab + 1), { mode, object: stage === '0' ? object : '', hidden })
    }
    return entries
  }

  /** Puts one side of the changes into the index; the paths whose files are not that side's. */
  async differing(changes: readonly TreeChange[], name: 'from' | 'to'): Promise<Set<string>> {
    const gone = changes.filter((change) => change[name] === null)
    const there = changes.filter((change) => change[name] !== null)
    const lines = [...gone, ...there].map((change) => {
      const none = '0'.repeat((change.from ?? change.to)?.object.length ?? 0)
      const { mode, object } = change[name] ?? { mode: '0', object: none }
      return `${mode} ${object}\t${change.path}\0`
    })
    await this.git(['update-index', '-z', '--index-info'], lines)
    await this.git(['update-index', '-q', '--refresh'])
    const flags = ['--name-only', '-z', '--no-renames', '--ignore-submodules=dirty']
    const ran = await this.git(['diff-files', ...flags])
    return new Set(splitNul(ran.stdout).map((path) => path.toString('latin1')))
  }

  /** Whether the file at a path is the beginning of what would stand there, as a killed git leaves it. */
  async isCutOff(
    folder: Buffer,
    path: string,
    sides: readonly (TreeSide | null)[],
  ): Promise<boolean> {
    const file = fileAt(folder, path)
    if (!isInside(folder, path) || !lstatSync(file, { throwIfNoEntry: false })?.isFile()) {
      return false
    }
    const found = readFileSync(file)
    for (const side of sides) {
      if (side === null || !/^100/.test(side.mode)) continue
      const asFile = ['cat-file', '--filters', `--path=${shownPath(path)}`, side.object]
      const whole = (await this.git(asFile)).stdout
      if (found.length < whole.length && whole.subarray(0, found.length).equals(found)) return true
    }
    return false
  }

  /** Writes the files of the index; not where a link or a file of the person stands above one. */
  async write(paths: readonly string[]): Promise<void> {
    const folder = Buffer.from(this.checkout.folder)
    const safe = paths.filter((path) => isInside(folder, path))
    const names = safe.map((path) => `${path}\0`)
    await this.git(['checkout-index', '-f', '-u', '-z', '--stdin'], names)
    await this.git(['update-index', '-q', '--refresh'])
  }

  async hide(changes: readonly TreeChange[]): Promise<void> {
    if (changes.length === 0) return
    const names = changes.map(({ path }) => `${path}\0`)
    await this.git(['update-index', '--skip-worktree', '-z', '--stdin'], names)
  }

  private git(args: readonly string[], lines: readonly string[] = []) {
    const at = { folder: this.checkout.folder, index: this.index }
    const stdin = Buffer.from(lines.join(''), 'latin1')
    const answers = args.includes('--refresh') ? [1] : []
    return gitIn(this.host, at, args, { stdin, answers })
  }
}

function isAt(entry: Entry | undefined, side: TreeSide | null): boolean {
  if (entry === undefined || side === null) return entry === undefined && side === null
  return entry.mode === side.mode && entry.object === side.object
}

/** Each folder above the path is a real one, or not there yet. */
function isInside(folder: Buffer, path: string): boolean {
  return foldersAbove(path).every((above) => {
    const stat = lstatSync(fileAt(folder, above), { throwIfNoEntry: false })
    return stat === undefined || stat.isDirectory()
  })
}

function isGone(folder: Buffer, path: string): boolean {
  if (!isInside(folder, path)) return false
  return lstatSync(fileAt(folder, path), { throwIfNoEntry: false }) === undefined
}

/** With the folders above it that are empty then, as git does. */
function removeFile(folder: Buffer, path: string): void {
  if (!isInside(folder, path) || isGone(folder, path)) return
  if (lstatSync(fileAt(folder, path)).isDirectory()) return
  unlinkSync(fileAt(folder, path))
  for (const above of foldersAbove(path).reverse()) {
    try {
      rmdirSync(fileAt(folder, above))
    } catch {
      return
    }
  }
}

function fileAt(folder: Buffer, path: string): Buffer {
  return Buffer.concat([folder, Buffer.from(`/${path}`, 'latin1')])
}
