import { compareBytes } from '../domain/order.ts'
import { FILE_BYTES_MAX, leftOutByPath } from '../source/left-out.ts'
import { readBlobs } from '../workspace/blobs.ts'
import { changedFiles, type FileChange, type Span } from '../workspace/changes.ts'
import { type Clone, storeGit } from '../workspace/clone.ts'
import type { Host } from '../workspace/host.ts'
import { symbolsOf } from './anchors.ts'

/** Files looked into; a task that changes more says so by its files. */
const FILES_MAX = 500

/**
 * `path:Symbol` of each definition that a task added, changed or removed, ordered by bytes. A
 * definition that only moved within its file, or with its file, is not among them.
 */
export async function changedSymbols(host: Host, clone: Clone, span: Span): Promise<string[]> {
  const store = { gitDir: storeGit(clone) }
  const changes = (await changedFiles(host, store, span))
    .filter(
      ({ path, oldMode, newMode }) => isFile(oldMode ?? newMode) && leftOutByPath(path) === null,
    )
    .slice(0, FILES_MAX)
  const wanted = changes
    .flatMap(({ oldBlob, newBlob }) => [oldBlob, newBlob])
    .filter((b) => b !== null)
  const contents = readBlobs(host, store, wanted, FILE_BYTES_MAX)
  const changed: string[] = []
  for (const change of changes) {
    const before = await definitions(change, 'old', contents)
    const after = await definitions(change, 'new', contents)
    const names = new Set([...before.keys(), ...after.keys()])
    for (const name of names) {
      if (before.get(name) !== after.get(name)) changed.push(`${change.path}:${name}`)
    }
  }
  return changed.sort(compareBytes)
}

/** Name → hash of all definitions of that name on one side of a change. */
async function definitions(
  change: FileChange,
  side: 'old' | 'new',
  contents: AsyncGenerator<{ readonly bytes: Uint8Array | null }>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if ((side === 'old' ? change.oldBlob : change.newBlob) === null) return found
  const next = await contents.next()
  if (next.done || next.value.bytes === null) return found
  const path = side === 'old' ? (change.from ?? change.path) : change.path
  for (const { name, hash } of await symbolsOf(path, next.value.bytes)) {
    found.set(name, `${found.get(name) ?? ''}${hash}`)
  }
  return found
}

function isFile(mode: string | null): boolean {
  return mode === '100644' || mode === '100755'
}
