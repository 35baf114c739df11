/**
 * A person's repository, as far as av can tell: commits, trees, and one trunk that only moves from where one says it
 * is. Files have two lines each; what two sides changed in one line conflicts, and what stands beside a changed line is
 * part of a patch's identity. All of it follows from what is asked, so that a history repeats itself.
 */
export class SimulatedRepository {
  readonly root: string
  /** Where trunk was, and who moved it there. */
  readonly moves: { readonly to: string; readonly by: string }[] = []
  private readonly commits = new Map<string, Commit>()
  private at: string

  constructor(private readonly name: string) {
    this.root = this.commit(null, EMPTY, 'root')
    this.at = this.root
  }

  get trunk(): string {
    return this.at
  }

  /** As `git update-ref` with an old value. */
  compareAndSwap(old: string, to: string, by: string): boolean {
    if (this.at !== old) return false
    this.moveBy(to, by)
    return true
  }

  /** A person's own hand asks nobody. */
  moveBy(to: string, by: string): void {
    this.at = to
    this.moves.push({ to, by })
  }

  commit(parent: string | null, lines: Lines, nonce: string): string {
    const id = hexOf(`${this.name} ${parent} ${lines.join()} ${nonce}`)
    this.commits.set(id, { parent, lines })
    return id
  }

  linesOf(commit: string): Lines {
    return this.found(commit).lines
  }

  parentOf(commit: string): string | null {
    return this.found(commit).parent
  }

  isAncestor(ancestor: string, of: string): boolean {
    for (let at: string | null = of; at !== null; at = this.parentOf(at)) {
      if (at === ancestor) return true
    }
    return false
  }

  /** Newest first: from `to` down to `since`, which is left out. */
  steps(since: string, to: string): readonly string[] {
    const found: string[] = []
    for (let at: string | null = to; at !== null && at !== since; at = this.parentOf(at)) {
      found.push(at)
    }
    return found
  }

  /** Per file that differs: what the change is and what stands beside it. */
  patchOf(base: string, tip: Lines): Patch {
    const before = this.linesOf(base)
    const files = new Map<string, string>()
    FILES.forEach((file, index) => {
      const [a, b] = [index * 2, index * 2 + 1]
      if (before[a] === tip[a] && before[b] === tip[b]) return
      files.set(file, [a, b].map((line) => `${before[line]}>${tip[line]}`).join())
    })
    const text = [...files].map(([file, change]) => `${file}=${change}`).join(';')
    return { identity: `1:${hexOf(`patch ${text}`)}`, files }
  }

  /** What `base..tip` becomes on `onto`. */
  trial(base: string, tip: Lines, onto: string): Trial {
    const [before, trunk] = [this.linesOf(base), this.linesOf(onto)]
    const conflicted = new Set<string>()
    const lines = tip.map((mine, line) => {
      const [was, theirs] = [before[line], trunk[line] ?? 0]
      if (mine === was) return theirs
      if (theirs !== was && theirs !== mine) conflicted.add(fileAt(line))
      return mine
    })
    return { lines, conflicted: [...conflicted] }
  }

  private found(commit: string): Commit {
    const found = this.commits.get(commit)
    if (found === undefined) throw new TypeError(`no such commit: ${commit}`)
    return found
  }
}

/** What each line holds, by a number; the files' lines one after the other. */
export type Lines = readonly number[]
export type Patch = { readonly identity: string; readonly files: ReadonlyMap<string, string> }
export type Trial = { readonly lines: Lines; readonly conflicted: readonly string[] }
type Commit = { readonly parent: string | null; readonly lines: Lines }

export const FILES = ['src/cart.ts', 'src/shop.ts', 'notes.md'] as const
const EMPTY: Lines = FILES.flatMap(() => [0, 0])

function fileAt(line: number): string {
  return FILES[Math.floor(line / 2)] ?? ''
}

/** Whether an approval may carry over a change of trunk in this file. */
export function isCarried(file: string): boolean {
  return file.endsWith('.md')
}

export function treeOf(lines: Lines): string {
  return hexOf(`tree ${lines.join()}`)
}

/** 40 hex digits for a text. */
export function hexOf(text: string): string {
  return new Bun.CryptoHasher('sha1').update(text).digest('hex')
}
