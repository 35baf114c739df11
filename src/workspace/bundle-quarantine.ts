import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import { proseLine } from '../domain/sanitise.ts'
import type { BundleHeader } from './bundle-header.ts'
import { type Clone, storeGit } from './clone.ts'
import { bundleCorrupt, inspectCommits } from './commit-inspection.ts'
import { diagnose } from './diagnosis.ts'
import { type GitOptions, git } from './git.ts'
import type { Host } from './host.ts'
import type { Ran } from './run.ts'

const TAKE_MS = 600_000
/** What a bundle may unfold to: a small pack can hold a file that fills any disk. */
const UNPACKED_BYTES_MAX = 4 * 1024 ** 3
/** Git gives up before it takes more memory than this for one object. */
const ALLOC_MAX = '512m'

/**
 * A folder for objects that came from elsewhere: git sees them together with those of the store,
 * and the store does not have them until they are released. Callers hold a lock: there is one.
 */
export class Quarantine {
  private readonly objects: string
  private readonly store: { readonly gitDir: string }

  constructor(
    private readonly host: Host,
    clone: Clone,
  ) {
    this.objects = join(clone.dir, 'bundles', 'quarantine')
    this.store = { gitDir: storeGit(clone) }
    this.remove()
    mkdirSync(join(this.objects, 'pack'), { recursive: true, mode: 0o700 })
  }

  /** Unpacks: every object sound by git's own rules, and whatever it points to at hand. */
  async take(pack: Buffer): Promise<void> {
    const args = ['index-pack', '--stdin', '--fix-thin', '--strict']
    const limits = ['-c', 'core.bigFileThreshold=64m', '-c', 'pack.threads=1']
    await this.git([...limits, ...args], { stdin: pack })
    const sizes = await this.git(
      ['cat-file', '--batch-all-objects', '--batch-check=%(objectsize)'],
      {
        env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: '' },
      },
    )
    const total = sizes.stdout
      .toString('latin1')
      .split('\n')
      .reduce((sum, size) => sum + Number(size), 0)
    if (total > UNPACKED_BYTES_MAX) throw bundleCorrupt(`it unfolds to ${total} bytes`)
  }

  /** Whether the tip came with it, and jj will be able to read each commit between. */
  async inspect({ tip, prerequisites }: BundleHeader): Promise<void> {
    const less = prerequisites.map((commit) => `^${commit}`)
    const run = (args: readonly string[], stdin?: Uint8Array) =>
      this.git(args, stdin === undefined ? {} : { stdin })
    if (!(await inspectCommits(run, tip, less)).includes(tip)) {
      throw bundleCorrupt('its commit is not in it')
    }
  }

  /** From here on the objects are the store's. */
  release(): void {
    const from = join(this.objects, 'pack')
    const to = join(this.store.gitDir, 'objects', 'pack')
    mkdirSync(to, { recursive: true })
    // The index comes last: only then git looks for the rest.
    const isIndex = (name: string) => Number(extname(name) === '.idx')
    const names = readdirSync(from).sort((a, b) => isIndex(a) - isIndex(b))
    for (const name of names) renameSync(join(from, name), join(to, name))
  }

  remove(): void {
    rmSync(this.objects, { recursive: true, force: true })
  }

  private async git(args: readonly string[], options: GitOptions = {}): Promise<Ran> {
    const { env, ...rest } = options
    const ran = await git(this.host, this.store, args, {
      timeoutMs: TAKE_MS,
      answers: [1, 128],
      env: {
        GIT_OBJECT_DIRECTORY: this.objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(join(this.store.gitDir, 'objects')),
        GIT_ALLOC_LIMIT: ALLOC_MAX,
        ...env,
      },
      ...rest,
    })
    if (ran.exitCode === 0) return ran
    const fault = diagnose(ran)
    if (fault.detail.reason === 'disk_full') throw fault
    throw bundleCorrupt(
      `git refuses it: ${proseLine(ran.stderr.trim().split('\n').at(-1) ?? '')}`,
      fault,
    )
  }
}

/** A path in a list that is separated by colons. */
export function quotedPath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
