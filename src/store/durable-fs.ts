import { fsyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type ModuleOptions = Parameters<NodeFS['init']>[1]
type PreRun = NonNullable<ModuleOptions['preRun']>

/**
 * PGlite's file system on a folder, with an fsync that reaches the disk: the one it ships does nothing, and PGlite asks
 * for none. Needs `DURABLE_PARAMS`; Emscripten's fdatasync is a no-op, so the WAL must be synced by fsync.
 * Entries of folders are not synced by themselves: the file systems in use do so with the file.
 */
export class DurableNodeFS extends NodeFS {
  /** How often a file was synced. */
  fsyncs = 0

  override async init(pg: PGlite, options: ModuleOptions) {
    const { emscriptenOpts } = await super.init(pg, options)
    const preRun: PreRun = [
      ...(emscriptenOpts.preRun ?? []),
      (module) => {
        const streams = syncable(module)
        streams.fsync = (stream) => {
          if (stream.nfd === undefined) return 0
          this.fsyncs++
          fsyncSync(stream.nfd)
          return 0
        }
      },
    ]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}

/** Switches fsync on in what PGlite starts Postgres with by default. */
export function durableParams(defaults: readonly string[]): string[] {
  return [
    ...defaults.filter((param) => param !== '-F'),
    '-c',
    'fsync=on',
    '-c',
    'wal_sync_method=fsync',
  ]
}

type Streams = { fsync: (stream: { readonly nfd?: number }) => number }

/** Emscripten's table of what can be done to a file in a folder of the machine. */
function syncable(module: object): Streams {
  if ('NODEFS' in module) {
    const nodefs = module.NODEFS
    if (typeof nodefs === 'object' && nodefs !== null && 'stream_ops' in nodefs)
      return nodefs.stream_ops as Streams
  }
  throw new Error('PGlite has no NODEFS whose fsync could be made real')
}
